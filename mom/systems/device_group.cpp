#include "mom/systems/device_group.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cg/device_product_rates.h"
#include "kernels/device/device.h"
#include "kernels/device/multi_gpu.h"
#include "mom/plan/gpus.h"
#include "mom/systems/device_fft_system.h"
#include "mom/systems/device_system.h"
#include "mom/systems/field_group.h"
#include "mom/systems/group_system.h"

namespace thinwire {
namespace {

/// Sums of fewer terms take one GPU 2 ms at most, much of it for copies to it, of which
/// every GPU has its own.
constexpr double worth_sharing_terms = 1e8;

class DeviceGroupBackend final : public FieldSharingBackend {
 public:
  DeviceGroupBackend(std::vector<int> devices, std::vector<double> weights)
      : devices_(std::move(devices)),
        weights_(std::move(weights)),
        first_(make_device_backend(current_device().name)),
        name_(fmt::format("cuda:{} {}", fmt::join(devices_, ","), first_->name())),
        fields_(steady_rates(device_product_rates(devices_)), [this](std::size_t owner) {
          use_device(devices_[owner]);
          prepare_exchange(devices_);
        }) {}

  std::string name() const override { return name_; }

  std::unique_ptr<System> make_system(const SystemInput& input) const override {
    const PackedTiles layout{input.discretization.unknowns()};
    const bool by_grid = input.operator_choice == OperatorChoice::fft;
    if (input.discretization.lattice() || layout.rows() < devices_.size() ||
        (by_grid && input.grid && input.grid->ground_eps != 0.0))
      return first_->make_system(input);
    const std::vector<TileShare> shares = TileShare::rows_by(layout, weights_);
    const auto peers = std::make_shared<MultiGpu>(devices_);
    const auto common = std::make_shared<CommonFft>();
    const std::size_t window = DeviceOperator::window_bytes(layout);
    return std::make_unique<GroupSystem>(
        static_cast<int>(devices_.size()), input.discretization.unknowns(),
        [&](const Comm& comm,
            const std::atomic<bool>& failed) -> std::unique_ptr<System> {
          DeviceOwner owner = {peers, peers->join(comm.rank(), window, failed), shares,
                               &comm};
          if (by_grid)
            return std::make_unique<DeviceFftSystem>(input, std::move(owner), common);
          return std::make_unique<DeviceSystem>(input, std::move(owner));
        });
  }

  // As the first alone has them: calls are cut in the same places, and give its bits.
  double terms_at_once() const override { return first_->terms_at_once(); }
  double max_power_terms() const override { return first_->max_power_terms(); }

 private:
  void share(const Field& field, const AtPlaces& at) const override {
    if (field.terms() < worth_sharing_terms) return at({0, field.places});
    fields_.share(field.places, at);
  }
  void far_field_part(const CurrentMoments& moments,
                      std::span<const Direction> directions, double k_rad_per_m,
                      std::span<Complex> e_theta_v, std::span<Complex> e_phi_v,
                      std::size_t directions_in_all) const override {
    device_far_field(moments, directions, k_rad_per_m, e_theta_v, e_phi_v,
                     directions_in_all);
  }
  void electric_field_part(const NearFieldSources& sources,
                           std::span<const Vec3> points_m, double k_rad_per_m,
                           std::span<Complex> e_v_per_m,
                           std::size_t points_in_all) const override {
    device_electric_field(sources, points_m, k_rad_per_m, e_v_per_m, points_in_all);
  }
  void magnetic_field_part(const NearFieldSources& sources,
                           std::span<const Vec3> points_m, double k_rad_per_m,
                           std::span<Complex> h_a_per_m,
                           std::size_t points_in_all) const override {
    device_magnetic_field(sources, points_m, k_rad_per_m, h_a_per_m, points_in_all);
  }

  std::vector<int> devices_;
  std::vector<double> weights_;
  std::unique_ptr<Backend> first_;
  std::string name_;
  FieldGroup fields_;
};

}  // namespace

std::unique_ptr<Backend> make_device_group_backend(std::vector<int> devices,
                                                   std::vector<double> weights) {
  return std::make_unique<DeviceGroupBackend>(std::move(devices), std::move(weights));
}

}  // namespace thinwire
