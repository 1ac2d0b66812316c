#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "cg/multi_gpu_product_timer.h"
#include "cg/rank_threads.h"
#include "cg/tiled_operator.h"
#include "kernels/device/multi_gpu.h"
#include "kernels/device/time_runs.h"
#include "kernels/matrix/random_fill.h"

namespace thinwire {
namespace {

/// After memory was freed, of a matrix timed before, a GPU reads by a tenth more slowly
/// for a while, as if it were clearing that memory: 0.1 s after 34 GB on an H100.
constexpr std::chrono::milliseconds clearing{600};

}  // namespace

MultiGpuProductTimes time_multi_gpu_product(std::size_t n, Storage storage,
                                            std::span<const int> devices, int repeats,
                                            bool through_host) {
  const PackedTiles layout{n};
  MultiGpu peers(devices, through_host);
  MultiGpuProductTimes times;
  RankThreads threads(static_cast<int>(devices.size()));
  threads.run([&](const Comm& comm) {
    const auto owner = static_cast<std::size_t>(comm.rank());
    const std::unique_ptr<DeviceExchange> exchange =
        peers.join(comm.rank(), TiledOperator::window_bytes(layout), threads.failed());
    const DeviceStream stream;
    DeviceTiles z(layout, storage,
                  TileShare::part(layout, owner, devices.size()).in_whole_rows());
    if (storage == Storage::complex_double)
      fill_with_random<double>(z.data(), z.bytes(), stream);
    else
      fill_with_random<float>(z.data(), z.bytes(), stream);
    const TiledOperator product(z, {}, devices.size() > 1 ? exchange.get() : nullptr);
    DeviceBuffer<Complex> x(layout.padded(), "x"), y(layout.padded(), "y");
    fill_with_random<double>(x.data(), x.bytes(), stream);
    std::this_thread::sleep_for(clearing);
    const RunTimes whole = time_runs(
        repeats, stream, [&] { product.multiply(x.data(), y.data(), 1, stream); });
    const RunTimes sum = time_runs(repeats, stream, [&] {
      exchange->sum_windows(y.data(), layout.padded(), stream);
    });
    stream.synchronize();
    if (owner == 0) times = {whole, sum};
  });
  return times;
}

}  // namespace thinwire
