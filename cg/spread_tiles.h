#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "cg/comm.h"
#include "kernels/base/complex.h"
#include "kernels/matrix/packed_tiles.h"
#include "kernels/matrix/row_bands.h"
#include "kernels/matrix/tile_share.h"

namespace thinwire {

/// A symmetric matrix whose tiles lie spread over ranks, in the memory of hosts or of
/// GPUs, as whole rows on the ranks that take them. A rank never has more of another's
/// tiles than those of a band of 64 rows.
struct SpreadTiles {
  PackedTiles layout;
  TileShare share;  ///< of this rank; those of all are all tiles once, in rank order
  const Comm& comm;
  /// This rank's tiles from number `first` on, to the host: [some][64][64].
  std::function<void(std::size_t first, std::span<Complex> to)> read;

  /// All rows, a band at a time, to the first rank's `take`; that of the others is not
  /// called. The first rank takes up to 3 KiB x n for it, the others 1. All ranks make
  /// this call.
  void gather_rows(const TakeRows& take) const { hand_bands(1, take); }
  /// All rows, bands to the ranks in turn: each to its own `take`, all at the same time.
  /// Every rank takes up to 3 KiB x n for it. All ranks make this call.
  void scatter_rows(const TakeRows& take) const { hand_bands(comm.ranks(), take); }

 private:
  void hand_bands(int takers, const TakeRows& take) const;
  void read_own(std::size_t band, std::vector<Complex>& part) const;
};

}  // namespace thinwire
