#include "mom/systems/device_ranks.h"

#include <utility>
#include <vector>

#include "cg/rank_link.h"
#include "mom/systems/device_system.h"

namespace thinwire {
namespace {

class DeviceRankBackend final : public Backend {
 public:
  DeviceRankBackend(std::string name, const Comm& ranks, std::span<const double> weights)
      : weights_(weights.begin(), weights.end()),
        own_(make_device_backend(std::move(name))),
        link_(ranks) {}

  std::string name() const override { return own_->name(); }

  std::unique_ptr<System> make_system(const SystemInput& input) const override {
    if (input.ranks == nullptr) return own_->make_system(input);
    const PackedTiles layout{input.discretization.unknowns()};
    return std::make_unique<DeviceSystem>(
        input, DeviceOwner{nullptr, link_.join(TiledOperator::window_bytes(layout)),
                           TileShare::rows_by(layout, weights_), input.ranks});
  }

  void far_field(const CurrentMoments& moments, std::span<const Direction> directions,
                 double k_rad_per_m, std::span<Complex> e_theta_v,
                 std::span<Complex> e_phi_v) const override {
    own_->far_field(moments, directions, k_rad_per_m, e_theta_v, e_phi_v);
  }
  void electric_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                      double k_rad_per_m, std::span<Complex> e_v_per_m) const override {
    own_->electric_field(sources, points_m, k_rad_per_m, e_v_per_m);
  }
  void magnetic_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                      double k_rad_per_m, std::span<Complex> h_a_per_m) const override {
    own_->magnetic_field(sources, points_m, k_rad_per_m, h_a_per_m);
  }
  double terms_at_once() const override { return own_->terms_at_once(); }
  double max_power_terms() const override { return own_->max_power_terms(); }

 private:
  std::vector<double> weights_;
  std::unique_ptr<Backend> own_;
  RankLink link_;
};

}  // namespace

std::unique_ptr<Backend> make_device_rank_backend(std::string name, const Comm& ranks,
                                                  std::span<const double> weights) {
  return std::make_unique<DeviceRankBackend>(std::move(name), ranks, weights);
}

}  // namespace thinwire
