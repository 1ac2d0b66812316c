#pragma once

#include <vector>

#include "cg/comm.h"
#include "mom/systems/field_sharing.h"

namespace thinwire {

/// A Backend of several ranks: each computes its part of the places of a field and gets
/// the others'. All ranks make the same calls, each from one thread.
class SharedBackend final : public FieldSharingBackend {
 public:
  /// Both must outlive this.
  SharedBackend(const Backend& own, const Comm& ranks)
      : own_(own), ranks_(ranks), rates_(static_cast<std::size_t>(ranks.ranks()), 1.0) {}

  std::string name() const override { return own_.name(); }
  std::unique_ptr<System> make_system(const SystemInput& input) const override {
    return own_.make_system(input);
  }
  double terms_at_once() const override { return ranks_.ranks() * own_.terms_at_once(); }
  double max_power_terms() const override {
    return ranks_.ranks() * own_.max_power_terms();
  }

 private:
  void share(const Field& field, const AtPlaces& at) const override;
  void far_field_part(const CurrentMoments& moments,
                      std::span<const Direction> directions, double k_rad_per_m,
                      std::span<Complex> e_theta_v, std::span<Complex> e_phi_v,
                      std::size_t) const override {
    own_.far_field(moments, directions, k_rad_per_m, e_theta_v, e_phi_v);
  }
  void electric_field_part(const NearFieldSources& sources,
                           std::span<const Vec3> points_m, double k_rad_per_m,
                           std::span<Complex> e_v_per_m, std::size_t) const override {
    own_.electric_field(sources, points_m, k_rad_per_m, e_v_per_m);
  }
  void magnetic_field_part(const NearFieldSources& sources,
                           std::span<const Vec3> points_m, double k_rad_per_m,
                           std::span<Complex> h_a_per_m, std::size_t) const override {
    own_.magnetic_field(sources, points_m, k_rad_per_m, h_a_per_m);
  }

  const Backend& own_;
  const Comm& ranks_;
  std::vector<double> rates_;  // all alike
};

}  // namespace thinwire
