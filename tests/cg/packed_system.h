#pragma once

#include <gtest/gtest.h>

#include "cg/tiled_operator.h"
#include "tests/cg/dense_system.h"
#include "tests/on_device.h"

namespace thinwire::testing {

inline std::vector<Complex> packed(const DenseOperator& z) {
  constexpr std::size_t tile = PackedTiles::tile;
  const PackedTiles layout{z.size()};
  std::vector<Complex> tiles(layout.entries());
  for (std::size_t i = 0; i < z.size(); ++i)
    for (std::size_t j = 0; j < z.size(); ++j)
      if (i / tile >= j / tile)
        tiles[PackedTiles::tile_offset(i / tile, j / tile) + i % tile * tile + j % tile] =
            z.at(i, j);
  return tiles;
}

/// A matrix on the GPU.
struct OnGpu {
  explicit OnGpu(const DenseOperator& z, Storage storage = Storage::complex_double)
      : tiles(PackedTiles{z.size()}, storage), product(uploaded(z)) {}
  DeviceTiles tiles;
  TiledOperator product;

 private:
  const DeviceTiles& uploaded(const DenseOperator& z) {
    const DeviceStream stream;
    tiles.upload(packed(z), stream);
    return tiles;
  }
};

}  // namespace thinwire::testing
