#include "kernels/fill/line_table.h"

#include "kernels/base/host_device.h"
#include "kernels/base/simd_clones.h"

namespace thinwire {
namespace {

constexpr std::size_t line_numbers = 2 * LineTable::line_entries;

/// For `count` sets of weights.
template <std::size_t count>
THINWIRE_INLINE void sum_nodes(const double* __restrict numbers,
                               const double* const* weight, std::size_t nodes,
                               double* const* out) {
  // Sums that stay in registers.
  constexpr std::size_t width = 32 / count;
  for (std::size_t first = 0; first < line_numbers; first += width) {
    double sum[count][width] = {};
    for (std::size_t n = 0; n < nodes; ++n) {
      const double* __restrict node = numbers + n * line_numbers + first;
#pragma GCC unroll 4
      for (std::size_t i = 0; i < count; ++i) {
        const double w = weight[i][n];
#pragma omp simd
        for (std::size_t c = 0; c < width; ++c) sum[i][c] += w * node[c];
      }
    }
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t c = 0; c < width; ++c) out[i][first + c] = sum[i][c];
  }
}

THINWIRE_SIMD_CLONES
void sum_nodes_once(const double* numbers, const double* weight, std::size_t nodes,
                    double* out) {
  sum_nodes<1>(numbers, &weight, nodes, &out);
}
THINWIRE_SIMD_CLONES
void sum_nodes_at_once(const double* numbers, const double* const* weight,
                       std::size_t nodes, double* const* out) {
  sum_nodes<LineTable::at_once>(numbers, weight, nodes, out);
}

}  // namespace

void LineTable::interpolate(std::size_t line, std::span<const double> weight,
                            double* out) const {
  sum_nodes_once(&numbers_[line * nodes_ * line_numbers], weight.data(), nodes_, out);
}

void LineTable::interpolate(std::size_t line, const double* const weight[at_once],
                            double* const out[at_once]) const {
  sum_nodes_at_once(&numbers_[line * nodes_ * line_numbers], weight, nodes_, out);
}

}  // namespace thinwire
