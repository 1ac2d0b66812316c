#include "mom/system/device_group.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/device/device_team.h"
#include "mom/system/device_system.h"
#include "mom/system/group_system.h"

namespace thinwire {
namespace {

class DeviceGroupBackend final : public Backend {
 public:
  DeviceGroupBackend(std::vector<int> devices, std::vector<double> weights)
      : devices_(std::move(devices)),
        weights_(std::move(weights)),
        first_(make_device_backend(current_device().name)),
        name_(fmt::format("cuda:{} {}", fmt::join(devices_, ","), first_->name())) {}

  std::string name() const override { return name_; }

  std::unique_ptr<System> make_system(const SystemInput& input) const override {
    const PackedTiles layout{input.antenna.unknowns()};
    if (input.operator_choice != OperatorChoice::dense || input.antenna.lattice() ||
        layout.rows() < devices_.size())
      return first_->make_system(input);
    const std::vector<TileShare> shares = TileShare::rows_by(layout, weights_);
    const auto team = std::make_shared<DeviceTeam>(devices_);
    const std::size_t window = TiledOperator::window_bytes(layout);
    return std::make_unique<GroupSystem>(
        static_cast<int>(devices_.size()), input.antenna.unknowns(),
        [&](const Comm& comm, const std::atomic<bool>& failed) {
          DeviceOwner owner = {team, team->join(comm.rank(), window, failed), shares};
          return std::make_unique<DeviceSystem>(input, std::move(owner));
        });
  }

  void far_field(const CurrentMoments& moments, std::span<const Direction> directions,
                 double k_rad_per_m, std::span<Complex> e_theta_v,
                 std::span<Complex> e_phi_v) const override {
    first_->far_field(moments, directions, k_rad_per_m, e_theta_v, e_phi_v);
  }
  void electric_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                      double k_rad_per_m, std::span<Complex> e_v_per_m) const override {
    first_->electric_field(sources, points_m, k_rad_per_m, e_v_per_m);
  }
  void magnetic_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                      double k_rad_per_m, std::span<Complex> h_a_per_m) const override {
    first_->magnetic_field(sources, points_m, k_rad_per_m, h_a_per_m);
  }
  double terms_at_once() const override { return first_->terms_at_once(); }
  double far_terms_at_once() const override { return first_->far_terms_at_once(); }

 private:
  std::vector<int> devices_;
  std::vector<double> weights_;
  std::unique_ptr<Backend> first_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Backend> make_device_group_backend(std::vector<int> devices,
                                                   std::vector<double> weights) {
  return std::make_unique<DeviceGroupBackend>(std::move(devices), std::move(weights));
}

}  // namespace thinwire
