#include "cg/device_product_rates.h"

#include <future>
#include <map>
#include <mutex>

#include "cg/tiled_operator.h"
#include "kernels/device/device.h"
#include "kernels/device/time_runs.h"
#include "kernels/matrix/random_fill.h"

namespace thinwire {
namespace {

/// 0.54 GB in complex double: more than a GPU's cache holds, and short beside the slices
/// of time in which programs take turns on a GPU, so that one run or another is its own.
constexpr std::size_t unknowns = 8192;
constexpr int repeats = 100;

double measured_rate(int device) {
  use_device(device);
  const PackedTiles layout{unknowns};
  const std::size_t matrix_bytes = DeviceTiles::bytes(layout, Storage::complex_double);
  if (current_device().free_bytes < matrix_bytes + matrix_bytes / 8) return 0;
  const DeviceStream stream;
  DeviceTiles z(layout, Storage::complex_double);
  fill_with_random<double>(z.data(), z.bytes(), stream);
  const TiledOperator product(z);
  DeviceBuffer<Complex> x(layout.padded(), "x"), y(layout.padded(), "y");
  fill_with_random<double>(x.data(), x.bytes(), stream);
  const RunTimes times = time_runs(
      repeats, stream, [&] { product.multiply(x.data(), y.data(), 1, stream); });
  return static_cast<double>(matrix_bytes) / times.fastest_s;
}

}  // namespace

std::vector<double> device_product_rates(std::span<const int> devices) {
  static std::mutex mutex;
  static std::map<int, double> known;
  const std::lock_guard lock(mutex);
  // On threads of their own, which those GPUs become the current ones of.
  std::map<int, std::future<double>> measured;
  for (const int device : devices)
    if (!known.contains(device) && !measured.contains(device))
      measured[device] = std::async(std::launch::async, measured_rate, device);
  for (auto& [device, rate] : measured) known[device] = rate.get();
  std::vector<double> rates;
  for (const int device : devices) rates.push_back(known[device]);
  return rates;
}

}  // namespace thinwire
