#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/fill/far_pair.h"
#include "kernels/fill/fill_input.h"
#include "kernels/fill/ground_tile.h"
#include "kernels/fill/tile_side.h"

namespace thinwire {

/// Computes 64 x 64 entries of the impedance matrix at a time. One for each thread: it
/// keeps what a tile needs for a while.
class TileFill {
 public:
  /// input and what it refers to must outlive this.
  explicit TileFill(const FillInput& input) : input_(input), ground_(input) {}

  /// Z of the rows' and the columns' functions, ohm, to out [64][64], row-major, zero
  /// where a side has no function. diagonal: both sides are the same, and the upper half
  /// is to be the mirror image of the lower to the last bit.
  void fill(const TileSide& rows, const TileSide& columns, bool diagonal, Complex* out);

  /// The element matrices of source s of p and those lanes of q that `wanted` ([lanes],
  /// not 0) names, by the same rules, the source's factor included; other lanes hold any
  /// numbers. Valid until the next call.
  const LaneMatrices& element_matrices(std::uint32_t p_index, int s, const TileSide& q,
                                       std::span<const std::uint8_t> wanted);

 private:
  /// The first `lanes` of q; of these, where `wanted` is not empty, those that it names.
  struct LaneChoice {
    std::size_t lanes;
    std::span<const std::uint8_t> wanted = {};
  };
  void add_surface(std::uint32_t p_index, const TileSide& q, std::size_t lanes);
  void add_direct(const TileSide& rows, std::size_t p_lane, const TileSide& q,
                  std::size_t lanes);
  void set_buried(std::uint32_t p_index, const TileSide& q, std::size_t lanes);
  void choose_rules(const Element& p, const TileSide& q, LaneChoice choice);
  void add_element(std::uint32_t p_index, SideElement p, int s, const TileSide& q,
                   LaneChoice choice);
  void add_rows(const TileSide& rows, std::size_t group, int end, const TileSide& columns,
                Complex* out) const;

  const FillInput& input_;
  GroundTile ground_;
  LaneMatrices lane_matrices_;
  std::vector<FarRuleChoice> rules_;  ///< of each group of lanes
  std::vector<char> group_wanted_;
  std::vector<std::uint8_t> above_;       ///< lanes above the ground
  std::vector<std::int32_t> near_lanes_;  ///< lanes whose pair is near
};

}  // namespace thinwire
