#pragma once

#include "kernels/device_check.cuh"
#include "kernels/device_complex.cuh"
#include "kernels/device_tiles.h"

namespace thinwire::device {

__device__ inline void store(double2* to, double2 value) {
  *to = value;
}
__device__ inline void store(float2* to, double2 value) {
  *to = {static_cast<float>(value.x), static_cast<float>(value.y)};
}

/// Writes the lower triangle of Z, or all of it, to dense[i + j * leading] for
/// i, j < leading; beyond n the identity. A block of the grid writes one tile, column by
/// column; its reads across the tile's rows come from the cache.
template <class Entry, class Dense>
__global__ void expand_kernel(PackedTiles layout, const Entry* z, Dense* dense,
                              std::size_t leading, bool both_triangles) {
  constexpr unsigned tile = PackedTiles::tile;
  const std::size_t row = blockIdx.y, column = blockIdx.x;
  if (column > row) return;
  const bool inside = row < layout.rows();
  const Entry* from = inside ? z + PackedTiles::tile_offset(row, column) : nullptr;
  const auto value_at = [&](unsigned r, unsigned c) {
    const std::size_t i = row * tile + r, j = column * tile + c;
    return i < layout.n && j < layout.n ? widen(from[r * tile + c])
                                        : double2{i == j ? 1.0 : 0.0, 0};
  };
  const unsigned a = threadIdx.x % tile;
  for (unsigned b = threadIdx.x / tile; b < tile; b += blockDim.x / tile) {
    if (row * tile + a < leading && column * tile + b < leading)
      store(dense + (column * tile + b) * leading + row * tile + a, value_at(a, b));
    if (both_triangles && row != column && row * tile + b < leading)
      store(dense + (row * tile + b) * leading + column * tile + a, value_at(b, a));
  }
}

template <class Dense>
void expand(const DeviceTiles& z, Dense* dense, std::size_t leading, bool both_triangles,
            const DeviceStream& stream) {
  const auto tiles =
      static_cast<unsigned>((leading + PackedTiles::tile - 1) / PackedTiles::tile);
  const dim3 grid(tiles, tiles);
  if (z.storage() == Storage::complex_double)
    expand_kernel<<<grid, 256, 0, stream.get()>>>(z.layout(),
                                                  static_cast<const double2*>(z.data()),
                                                  dense, leading, both_triangles);
  else
    expand_kernel<<<grid, 256, 0, stream.get()>>>(
        z.layout(), static_cast<const float2*>(z.data()), dense, leading, both_triangles);
  check_launch("matrix expansion");
}

}  // namespace thinwire::device
