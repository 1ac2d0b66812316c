#include "cg/impedance_matrix.h"

#include <new>

#include <fmt/format.h>

#include "cg/many_rhs.h"
#include "kernels/base/bytes_text.h"
#include "kernels/base/error.h"
#include "kernels/matrix/symv.h"
#include "kernels/matrix/whole_matrix.h"

namespace thinwire {

ImpedanceMatrix::ImpedanceMatrix(std::size_t n) : layout_{n} {
  try {
    storage_ = std::make_unique_for_overwrite<double[]>(2 * layout_.entries());
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory,
                fmt::format("impedance matrix needs {}, more than this machine has "
                            "(N = {}). Use fewer segments or --mesh as-given.",
                            bytes_text(static_cast<double>(bytes(n))), n));
  }
}

void ImpedanceMatrix::apply(std::span<const Complex> x, std::span<Complex> y) const {
  symv(layout_, tiles(), x, y);
}

void ImpedanceMatrix::apply_many(std::span<const Complex> x, std::span<Complex> y) const {
  if (x.size() >= min_rhs_for_blas * size())
    multiply_many(layout_, tiles(), x, y);
  else
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
  return whole_matrix(layout_, tiles());
}

}  // namespace thinwire
