#include "kernels/fill/fill.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <vector>

#include <omp.h>

#include "kernels/base/parallel.h"
#include "kernels/fill/tile_fill.h"
#include "kernels/fill/tile_side.h"

namespace thinwire {
void fill_impedance(const FillInput& input, std::span<Complex> z,
                    const Monitor& monitor) {
  fill_impedance(input, TileShare::whole({input.basis.size()}), z, monitor);
}

void fill_impedance(const FillInput& input, TileShare share, std::span<Complex> z,
                    const Monitor& monitor) {
  const PackedTiles layout{input.basis.size()};
  const std::size_t rows = layout.rows(), count = share.size();
  std::vector<TileSide> sides(rows);
  for_each_parallel(rows, [&](std::size_t i) {
    sides[i] = make_tile_side(input.elements, input.basis, i, input.k_rad_per_m);
  });

  // A region of threads must not be left by an exception: what the listener throws waits.
  std::exception_ptr thrown;
  std::atomic<bool> go_on{true};
  std::atomic<std::size_t> done{0};
#pragma omp parallel
  {
    TileFill worker(input);
#pragma omp for schedule(dynamic, 4)
    for (std::int64_t t = 0; t < static_cast<std::int64_t>(count); ++t) {
      if (!go_on.load(std::memory_order_relaxed) || monitor.stopped()) continue;
      const auto number = share.first + static_cast<std::size_t>(t);
      const auto [i, j] = PackedTiles::tile_at(number);
      worker.fill(sides[i], sides[j], i == j, z.data() + share.offset(number));
      const std::size_t so_far = done.fetch_add(1) + 1;
      if (omp_get_thread_num() != 0) continue;
      try {
        monitor.report("fill", static_cast<double>(so_far) / static_cast<double>(count));
      } catch (...) {
        thrown = std::current_exception();
        go_on = false;
      }
    }
  }
  if (thrown) std::rethrow_exception(thrown);
  // The calling thread may have had no tile to fill, and so not have asked.
  monitor.report("fill", 1);
}

}  // namespace thinwire
