#pragma once

#include "cg/comm.h"
#include "mom/system/backend.h"

namespace thinwire {

/// A Backend of several ranks: far fields are shared by directions, near fields by
/// points, each rank computing its part and getting the others', where there is enough to
/// share. All ranks make the same calls, each from one thread.
class SharedBackend final : public Backend {
 public:
  /// Both must outlive this.
  SharedBackend(const Backend& own, const Comm& ranks) : own_(own), ranks_(ranks) {}

  std::string name() const override { return own_.name(); }
  std::unique_ptr<System> make_system(const SystemInput& input) const override {
    return own_.make_system(input);
  }
  void far_field(const CurrentMoments& moments, std::span<const Direction> directions,
                 double k_rad_per_m, std::span<Complex> e_theta_v,
                 std::span<Complex> e_phi_v) const override;
  void electric_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                      double k_rad_per_m, std::span<Complex> e_v_per_m) const override;
  void magnetic_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                      double k_rad_per_m, std::span<Complex> h_a_per_m) const override;
  double terms_at_once() const override { return ranks_.ranks() * own_.terms_at_once(); }
  double far_terms_at_once() const override {
    return ranks_.ranks() * own_.far_terms_at_once();
  }

 private:
  template <class Field>
  void share(std::size_t count, std::size_t terms_each, std::size_t numbers_each,
             std::span<const std::span<Complex>> whole, const Field& field) const;

  const Backend& own_;
  const Comm& ranks_;
};

}  // namespace thinwire
