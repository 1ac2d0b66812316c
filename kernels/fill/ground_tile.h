#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/fill/far_pair.h"
#include "kernels/fill/fill_input.h"
#include "kernels/fill/tile_side.h"

namespace thinwire {

/// Reflection of a real ground between the elements of two sides of a tile that lie above
/// it, image included. Pairs that lie alike (alike_pairs.h) are computed once a tile.
class GroundTile {
 public:
  /// input and what it refers to must outlive this.
  explicit GroundTile(const FillInput& input) : input_(input) {}

  /// Element p of the rows with the first lanes[p] of the columns, for all p; of these,
  /// where `wanted` is not empty, those that it names.
  void compute(const TileSide& rows, const TileSide& columns,
               std::span<const std::size_t> lanes,
               std::span<const std::uint8_t> wanted = {});
  /// Adds those of p to `to`, of `lanes` lanes of the columns.
  void add_to(std::size_t p, LaneMatrices& to) const;

 private:
  void find(const TileSide& rows, const TileSide& columns,
            std::span<const std::size_t> lanes, std::span<const std::uint8_t> wanted);
  void compute_far(const TileSide& rows, const TileSide& columns, FarRuleChoice rule,
                   std::span<const std::uint32_t> pairs);

  const FillInput& input_;
  struct Pair {
    std::uint32_t p, q;  ///< lanes
  };
  std::vector<Pair> pairs_;  ///< that are computed
  std::vector<ElementMatrix> matrices_;
  std::vector<std::uint32_t> number_;  ///< [rows][columns.lanes], into these
  std::vector<std::size_t> lanes_;
  std::size_t columns_ = 0;
};

}  // namespace thinwire
