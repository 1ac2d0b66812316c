#include "cg/shared_matrix.h"

#include <algorithm>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "kernels/base/bytes_text.h"
#include "kernels/base/error.h"
#include "kernels/matrix/symv.h"

namespace thinwire {
namespace {

constexpr std::size_t tile_size = PackedTiles::tile;

}  // namespace

SharedMatrix::SharedMatrix(std::size_t n, TileShare share, const Comm& comm)
    : layout_{n}, share_(share), comm_(comm) {
  try {
    storage_ = std::make_unique_for_overwrite<double[]>(2 * share_.entries());
  } catch (const std::bad_alloc&) {
    throw Error(
        ErrorKind::memory,
        fmt::format("rank {} of {}: its share of the impedance matrix needs {}, more "
                    "than this machine has (N = {}). Use more ranks, "
                    "fewer segments or --mesh as-given.",
                    comm.rank(), comm.ranks(),
                    bytes_text(static_cast<double>(share_.entries() * sizeof(Complex))),
                    n));
  }
}

void SharedMatrix::apply(std::span<const Complex> x, std::span<Complex> y) const {
  symv(layout_, share_, tiles(), x, y);
  comm_.sum(y);
}

void SharedMatrix::add(std::span<const MatrixUpdate> updates) {
  for (const MatrixUpdate& u : updates) {
    const std::size_t number =
        PackedTiles::tile_number(u.row / tile_size, u.column / tile_size);
    if (!share_.holds(number)) continue;
    Complex* entries = &tiles()[share_.offset(number)];
    entries[u.row % tile_size * tile_size + u.column % tile_size] += u.value;
    // Diagonal tiles are stored whole.
    if (u.row != u.column && u.row / tile_size == u.column / tile_size)
      entries[u.column % tile_size * tile_size + u.row % tile_size] += u.value;
  }
}

void SharedMatrix::read_own(std::span<const std::uint32_t> rows,
                            std::span<const std::uint32_t> columns,
                            std::span<Complex> entries) const {
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto [low, high] = std::minmax(rows[i], columns[j]);
      const std::size_t number =
          PackedTiles::tile_number(high / tile_size, low / tile_size);
      entries[i + j * rows.size()] =
          share_.holds(number) ? tiles()[share_.offset(number) +
                                         high % tile_size * tile_size + low % tile_size]
                               : 0;
    }
}

bool SharedMatrix::may_have(std::uint32_t first, std::uint32_t last,
                            std::uint32_t other_first, std::uint32_t other_last) const {
  const std::size_t low_row = std::max(first, other_first) / tile_size,
                    high_row = std::max(last, other_last) / tile_size;
  return share_.size() > 0 && PackedTiles::tile_number(low_row, 0) < share_.last &&
         PackedTiles::tile_number(high_row, high_row) >= share_.first;
}

void SharedMatrix::gather_column(std::size_t column, std::span<Complex> tiles) const {
  // Down a column numbers rise, so that the parts follow each other as the ranks do.
  std::vector<Complex> part;
  for (std::size_t row = column; row < layout_.rows(); ++row) {
    const std::size_t number = PackedTiles::tile_number(row, column);
    if (!share_.holds(number)) continue;
    const auto own =
        this->tiles().subspan(share_.offset(number), PackedTiles::tile_entries);
    part.insert(part.end(), own.begin(), own.end());
  }
  comm_.gather(std::span<const Complex>(part), tiles);
}

SpreadTiles SharedMatrix::spread() const {
  const auto read = [this](std::size_t first, std::span<Complex> to) {
    const auto from = tiles().subspan(share_.offset(first), to.size());
    std::copy(from.begin(), from.end(), to.begin());
  };
  return {layout_, share_, comm_, read};
}

double SharedMatrix::norm1() const {
  std::vector<double> sums(layout_.padded());
  for (std::size_t number = share_.first; number < share_.last; ++number) {
    const auto [row, column] = PackedTiles::tile_at(number);
    const Complex* entries = &tiles()[share_.offset(number)];
    for (std::size_t i = 0; i < tile_size; ++i)
      for (std::size_t j = 0; j < tile_size; ++j) {
        const double size = std::abs(entries[i * tile_size + j]);
        sums[column * tile_size + j] += size;
        if (row != column) sums[row * tile_size + i] += size;
      }
  }
  comm_.sum(sums);
  double norm = 0;
  for (const double sum : sums) norm = sum > norm || std::isnan(sum) ? sum : norm;
  return norm;
}

}  // namespace thinwire
