#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "geometry/structure.h"
#include "io/deck/card.h"

namespace thinwire {

/// The surface patches of a deck (SP, SM, SC) as a grid of wires. Each patch becomes a
/// star: arms from its centre, to which wires may be joined, to the middles of its edges.
/// A patch that is given by area and normal alone has arms half-way to those beside it.
/// The arms have the area of the patch once for each of the two directions of current:
/// a radius of area / (pi length of all arms), which is pitch / (2 pi) on a square grid.
class PatchGrid {
 public:
  static bool knows(Mnemonic mnemonic);

  /// Acts on a card of patches.
  void read(const CardFields& card);

  bool empty() const { return patches_.segments().empty() && arms_.segments().empty(); }

  /// Calls act(structure) for what is to be transformed with the wires.
  template <class Act>
  void transform(const Act& act) {
    for (Structure* part : {&patches_, &arms_})
      if (!part->segments().empty()) act(*part);
  }

  /// Adds the wires of the grid, with tag 0, behind the others. on_ground: whether
  /// patches beside z = 0 are connected to it. Returns a sentence on what was made.
  std::string add_to(Structure& structure, bool on_ground);

 private:
  void add_patch(const std::vector<Vec3>& corners);
  void add_surface(int along, int across);

  /// Patches without edges: each from its centre a little along its normal, the radius
  /// being the square root of its area.
  Structure patches_;
  Structure arms_;
  std::size_t with_edges_ = 0;  ///< patches that arms_ was made from
  /// Corners so far, of the patch or surface that an SC card is to complete or to go on
  /// from.
  std::vector<Vec3> corners_;
  int shape_ = 0;               ///< 0: none, 1 rectangle, 2 triangle, 3 quadrilateral
  int along_ = 0, across_ = 0;  ///< patches of a surface (SM) that SC completes
  bool complete_ = true;
};

}  // namespace thinwire
