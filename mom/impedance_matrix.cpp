#include "mom/impedance_matrix.h"

#include <cstdint>
#include <new>

#include <fmt/format.h>

#include "kernels/base/error.h"
#include "kernels/matrix/symv.h"

namespace thinwire {

ImpedanceMatrix::ImpedanceMatrix(std::size_t n) : layout_{n} {
  try {
    storage_ = std::make_unique_for_overwrite<double[]>(2 * layout_.entries());
  } catch (const std::bad_alloc&) {
    throw Error(
        ErrorKind::memory,
        fmt::format("impedance matrix needs {:.1f} GiB, more than this machine gives "
                    "(N = {}). Use fewer segments or --mesh as-given.",
                    static_cast<double>(bytes(n)) / (1u << 30), n));
  }
}

void ImpedanceMatrix::apply(std::span<const Complex> x, std::span<Complex> y) const {
  symv(layout_, tiles(), x, y);
}

void ImpedanceMatrix::add(std::size_t i, std::size_t j, Complex value) {
  tiles()[PackedTiles::offset(i, j)] += value;
  // Diagonal tiles are stored whole.
  constexpr std::size_t tile = PackedTiles::tile;
  if (i != j && i / tile == j / tile) {
    const std::size_t row = i / tile;
    tiles()[PackedTiles::tile_offset(row, row) + (i < j ? i : j) % tile * tile +
            (i < j ? j : i) % tile] += value;
  }
}

std::vector<Complex> ImpedanceMatrix::dense() const {
  constexpr std::size_t tile = PackedTiles::tile;
  const std::size_t n = size();
  std::vector<Complex> full(n * n);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t r = 0; r < static_cast<std::int64_t>(layout_.rows()); ++r) {
    const auto row = static_cast<std::size_t>(r);
    for (std::size_t column = 0; column <= row; ++column) {
      const Complex* from = tiles().data() + PackedTiles::tile_offset(row, column);
      for (std::size_t i = 0; i < tile && row * tile + i < n; ++i)
        for (std::size_t j = 0; j < tile && column * tile + j < n; ++j) {
          const std::size_t m = row * tile + i, k = column * tile + j;
          full[k * n + m] = full[m * n + k] = from[i * tile + j];
        }
    }
  }
  return full;
}

}  // namespace thinwire
