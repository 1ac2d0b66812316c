#pragma once

#include "kernels/base/host_device.h"
#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/matrix/tiles.h"

namespace thinwire::device {

/// A whole matrix, column-major, order x order: what LdltLayout is for half of one.
struct SquareLayout {
  std::size_t n;
  THINWIRE_HD std::size_t order() const { return n; }
  THINWIRE_HD std::size_t leading(std::size_t) const { return n; }
  THINWIRE_HD std::size_t offset(std::size_t i, std::size_t j) const { return j * n + i; }
};

/// Writes the lower triangle of Z, or all of it, to dense[to.offset(i, j)] for
/// i, j < to.order(); beyond n the identity. What is not in the share stays as it is. A
/// block of the grid writes one tile, column by column; its reads across the tile's rows
/// come from the cache.
template <class Entry, class Dense, class Layout>
__global__ void expand_kernel(PackedTiles layout, TileShare share, const Entry* z,
                              Dense* dense, Layout to, bool both_triangles) {
  constexpr unsigned tile = PackedTiles::tile;
  const std::size_t row = blockIdx.y, column = blockIdx.x;
  if (column > row) return;
  const std::size_t number = PackedTiles::tile_number(row, column);
  if (!share.holds(number)) return;
  const Entry* from = z + share.offset(number);
  const std::size_t first_i = row * tile, first_j = column * tile, order = to.order();
  const auto value_at = [&](unsigned r, unsigned c) {
    const std::size_t i = first_i + r, j = first_j + c;
    return i < layout.n && j < layout.n ? widen(from[r * tile + c])
                                        : double2{i == j ? 1.0 : 0.0, 0};
  };
  const unsigned a = threadIdx.x % tile;
  Dense* lower = dense + to.offset(first_i, first_j);
  for (unsigned b = threadIdx.x / tile; b < tile; b += blockDim.x / tile)
    if (first_i + a < order && first_j + b < order)
      store(lower + b * to.leading(first_j) + a, value_at(a, b));
  if (!both_triangles || row == column) return;
  Dense* upper = dense + to.offset(first_j, first_i);
  for (unsigned b = threadIdx.x / tile; b < tile; b += blockDim.x / tile)
    if (first_i + b < order) store(upper + b * to.leading(first_i) + a, value_at(b, a));
}

/// to: a SquareLayout or, for one triangle, an LdltLayout, of order z.layout().padded()
/// at most.
template <class Dense, class Layout>
void expand(const DeviceTiles& z, Dense* dense, const Layout& to, bool both_triangles,
            const DeviceStream& stream) {
  const auto tiles = static_cast<unsigned>(z.layout().rows());
  const dim3 grid(tiles, tiles);
  if (z.storage() == Storage::complex_double)
    expand_kernel<<<grid, pass_threads, 0, stream.get()>>>(
        z.layout(), z.share(), static_cast<const double2*>(z.data()), dense, to,
        both_triangles);
  else
    expand_kernel<<<grid, pass_threads, 0, stream.get()>>>(
        z.layout(), z.share(), static_cast<const float2*>(z.data()), dense, to,
        both_triangles);
  check_launch("matrix expansion");
}

}  // namespace thinwire::device
