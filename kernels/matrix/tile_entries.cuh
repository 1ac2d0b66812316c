#pragma once

#include "kernels/device/complex.cuh"
#include "kernels/matrix/tiles.h"

namespace thinwire::device {

/// Entries of a matrix on the GPU, of which a share of the tiles is there.
template <class Entry>
struct TileEntries {
  const Entry* z;
  TileShare share;

  /// Entry (i, j), i and j in any order; zero where another owner has it.
  __device__ double2 at(std::size_t i, std::size_t j) const {
    constexpr std::size_t tile = PackedTiles::tile;
    const std::size_t row = i > j ? i : j, column = i > j ? j : i;
    const std::size_t number = PackedTiles::tile_number(row / tile, column / tile);
    if (!share.holds(number)) return {0, 0};
    return widen(z[share.offset(number) + row % tile * tile + column % tile]);
  }
};

/// Calls use(entries) with those of z, whatever its storage.
template <class Use>
void with_entries(const DeviceTiles& z, const Use& use) {
  if (z.storage() == Storage::complex_double)
    use(TileEntries<double2>{static_cast<const double2*>(z.data()), z.share()});
  else
    use(TileEntries<float2>{static_cast<const float2*>(z.data()), z.share()});
}

}  // namespace thinwire::device
