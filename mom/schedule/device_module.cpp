// The CUDA module's entry: what the program gets of it.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cg/device_product_rates.h"
#include "kernels/device/device.h"
#include "kernels/matrix/symv.h"
#include "mom/gpu/gpu.h"
#include "mom/gpu/gpu_module.h"
#include "mom/schedule/batch_solver.h"
#include "mom/systems/device_group.h"
#include "mom/systems/device_ranks.h"
#include "mom/systems/device_system.h"

namespace thinwire {
namespace {

/// "cuda:0 NVIDIA H200".
std::string name_of_current() {
  const DeviceInfo info = current_device();
  return fmt::format("cuda:{} {}", info.index, info.name);
}

class CudaGpu final : public Gpu {
 public:
  DeviceReport report() const override { return device_report(); }
  std::vector<std::string> names() const override { return device_names(); }
  DeviceInfo use(int index) const override {
    use_device(index);
    return current_device();
  }
  std::unique_ptr<Backend> backend() const override {
    return make_device_backend(name_of_current());
  }
  std::unique_ptr<Backend> backend(std::span<const int> devices,
                                   std::span<const double> weights) const override {
    use_device(devices.front());
    return make_device_group_backend({devices.begin(), devices.end()},
                                     {weights.begin(), weights.end()});
  }
  std::unique_ptr<Backend> backend(const Comm& ranks,
                                   std::span<const double> weights) const override {
    return make_device_rank_backend(name_of_current(), ranks, weights);
  }
  std::unique_ptr<BatchSolver> batch_solver() const override {
    return make_device_batch_solver(current_device().index, name_of_current());
  }
  std::size_t product_bytes(PackedTiles layout, Storage storage, int rhs_count,
                            int multiprocessors, SymvSetting setting) const override {
    return DeviceSymv::bytes(layout, storage, rhs_count, multiprocessors, setting);
  }
  std::unique_ptr<ProductBench> product_bench(std::size_t n, int repeats) const override {
    return std::make_unique<DeviceProductBench>(n, repeats);
  }
  MultiGpuProductTimes multi_gpu_product(std::size_t n, std::span<const int> devices,
                                         int repeats) const override {
    return time_multi_gpu_product(n, Storage::complex_double, devices, repeats);
  }
  std::vector<double> product_rates(std::span<const int> devices) const override {
    return device_product_rates(devices);
  }
};

}  // namespace
}  // namespace thinwire

extern "C" __attribute__((visibility("default"))) const thinwire::Gpu*
thinwire_gpu_module(const char* version) {
  static const thinwire::CudaGpu gpu;
  return std::string_view(version) == thinwire::gpu_module_version ? &gpu : nullptr;
}
