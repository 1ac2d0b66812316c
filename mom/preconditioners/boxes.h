#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cg/precondition/overlap.h"
#include "kernels/base/large_vector.h"
#include "mom/discretization/discretization.h"
#include "mom/preconditioners/antennas.h"
#include "mom/preconditioners/equal_sets.h"

namespace thinwire {

/// The typical length of an element, metres: half of all wire is in elements that are at
/// least as long. Elements that are graded down at ends and sources are many but hold
/// little wire, and do not move it, as they would the median or the mean.
double cell_length_m(const Discretization& where);

/// The functions in the order in which one walks along the wires, straight on at
/// junctions, whatever the order and the cutting of the cards.
std::vector<std::uint32_t> functions_along_wires(const Discretization& where);

/// The functions by place, whatever the cards and tags that made them. A function's place
/// is the node where its elements meet, so that no junction is cut: with places between
/// the middles of the elements, boxes of 8 cells with an overlap of 1 take 105 iterations
/// on a plate where these take 41. Connected antennas of at most largest_whole_antenna
/// functions are never cut: all their functions have the place of their middle.
class FunctionPlaces {
 public:
  /// where: must outlive this.
  explicit FunctionPlaces(const Discretization& where);

  /// Boxes alike, at most `size.box` cells long, wide and high, that hold a function.
  /// Their own functions come first, so that each is one box's own; then those of other
  /// boxes that are within the overlap of the box around these. Boxes stand along a
  /// Morton curve, the functions of each along the wires.
  std::vector<OverlappingSet> boxes(BoxSize size) const;

  /// How large these are for each size, without making them, those that are equal
  /// (equal_sets.h) taken together, loads apart.
  std::vector<OverlapExtent> extents(std::span<const BoxSize> sizes,
                                     bool over_ground = false) const;
  OverlapExtent extent(BoxSize size, bool over_ground = false) const {
    return extents({&size, 1}, over_ground).front();
  }

  /// A partition: each small antenna whole; others halved by place, across the longest
  /// side of what is halved, until no part has more functions than
  /// largest_whole_antenna. In each part along the wires.
  std::vector<std::vector<std::uint32_t>> blocks() const;

  /// Returns the number of functions of each block, in any order, without making the
  /// blocks.
  std::vector<std::size_t> block_sizes() const;

  const std::vector<Antenna>& antennas() const { return antennas_; }
  double cell_m() const { return cell_m_; }
  /// Returns the edges of the box around all places.
  Vec3 edges_m() const { return high_m_ - low_m_; }
  double lowest_m() const { return low_m_.z; }
  /// Whether wires stand in nearly all directions as seen from their middle: a hull, in
  /// which waves go to and fro, and neither a plate nor a dish.
  bool encloses() const;

 private:
  class Grid;
  class WireOrder;
  /// A unit that stays together: a small antenna, or one function.
  struct Unit {
    Vec3 place_m;
    std::uint32_t first = 0, count = 0;  ///< in functions_
  };
  std::span<const std::uint32_t> functions_of(const Unit& unit) const {
    return {functions_.data() + unit.first, unit.count};
  }

  const Discretization& where_;
  double cell_m_;
  FunctionShapes shapes_;
  std::vector<Antenna> antennas_;
  LargeVector<Unit> units_;               ///< antenna by antenna
  LargeVector<std::uint32_t> functions_;  ///< unit by unit
  Vec3 low_m_, high_m_;
};

}  // namespace thinwire
