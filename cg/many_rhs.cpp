#include "cg/many_rhs.h"

#include <cblas.h>
#include <omp.h>

#include <algorithm>

#include "cg/blas_threads.h"
#include "kernels/base/parallel.h"

namespace thinwire {
void for_chunks_of_rhs(std::size_t rhs_count,
                       const std::function<void(std::size_t, std::size_t)>& work,
                       std::size_t at_once) {
  const std::size_t chunks = (rhs_count + at_once - 1) / at_once;
  require_blas_buffers(std::min(omp_get_max_threads(), static_cast<int>(chunks)));
  const BlasThreads one_thread(1);
  for_each_parallel(chunks, [&](std::size_t chunk) {
    const std::size_t first = chunk * at_once;
    work(first, std::min(at_once, rhs_count - first));
  });
}

void multiply_many(PackedTiles layout, std::span<const Complex> z,
                   std::span<const Complex> x, std::span<Complex> y) {
  constexpr std::size_t tile = PackedTiles::tile;
  const std::size_t n = layout.n;
  const auto order = static_cast<int>(n);
  const Complex one = 1;
  std::fill(y.begin(), y.end(), Complex(0));
  for_chunks_of_rhs(x.size() / n, [&](std::size_t first, std::size_t count) {
    const Complex* from = x.data() + first * n;
    Complex* to = y.data() + first * n;
    const auto length = [&](std::size_t block) {
      return static_cast<int>(std::min(tile, n - tile * block));
    };
    // A tile is row-major: BLAS sees it transposed.
    const auto add = [&](CBLAS_TRANSPOSE transpose, const Complex* entries,
                         std::size_t row, std::size_t column) {
      cblas_zgemm(CblasColMajor, transpose, CblasNoTrans, length(row),
                  static_cast<int>(count), length(column), &one, entries,
                  static_cast<int>(tile), from + tile * column, order, &one,
                  to + tile * row, order);
    };
    for (std::size_t i = 0; i < layout.rows(); ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const Complex* entries = z.data() + PackedTiles::tile_offset(i, j);
        add(CblasTrans, entries, i, j);
        if (i != j) add(CblasNoTrans, entries, j, i);
      }
  });
}

void add_sums(std::span<const Complex> basis, std::span<const Complex> coefficients,
              std::span<Complex> y, std::size_t count) {
  if (basis.empty() || y.empty()) return;
  const std::size_t length = y.size() / count, rank = coefficients.size() / count;
  const auto rows = static_cast<int>(length), order = static_cast<int>(rank);
  const Complex one = 1;
  for_chunks_of_rhs(
      count,
      [&](std::size_t first, std::size_t some) {
        cblas_zgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows,
                    static_cast<int>(some), order, &one, basis.data(), rows,
                    coefficients.data() + first * rank, order, &one,
                    y.data() + first * length, rows);
      },
      sums_at_once);
}

}  // namespace thinwire
