#pragma once

#include <span>
#include <vector>

#include "cg/shared_matrix.h"
#include "tests/cg/dense_system.h"

namespace thinwire::testing {

/// This rank's share of a matrix. weights: of the ranks; empty: all the same.
inline SharedMatrix share_of(const DenseOperator& z, const Comm& comm,
                             std::vector<double> weights = {}) {
  weights.resize(static_cast<std::size_t>(comm.ranks()), 1);
  const std::size_t n = z.size();
  SharedMatrix shared(
      n, TileShare::part(PackedTiles{n}, static_cast<std::size_t>(comm.rank()), weights),
      comm);
  const TileShare share = shared.share();
  for (std::size_t t = share.first; t < share.last; ++t)
    for (std::size_t e = 0; e < PackedTiles::tile_entries; ++e) {
      const auto [row, column] = PackedTiles::tile_at(t);
      const std::size_t i = row * PackedTiles::tile + e / PackedTiles::tile,
                        j = column * PackedTiles::tile + e % PackedTiles::tile;
      shared.tiles()[share.offset(t) + e] = i < n && j < n ? z.at(i, j) : 0;
    }
  return shared;
}

}  // namespace thinwire::testing
