#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/vec3.h"

namespace thinwire {

/// Points sorted into cubes of one size, so that those near a place are found without
/// looking at all of them.
class PointGrid {
 public:
  PointGrid() = default;
  /// cell_m: about the size of the boxes that will be asked for; a bad choice costs time
  /// only.
  PointGrid(std::span<const Vec3> points_m, double cell_m);

  /// Calls visit(i) for every point i in the box (its faces included), always in the same
  /// order. Several threads may call at once.
  template <class Visit>
  void visit(Vec3 low_m, Vec3 high_m, Visit&& visit) const {
    const Cell low = cell_of(low_m), high = cell_of(high_m);
    const auto look_at = [&](auto from, auto to) {
      for (auto p = from; p != to; ++p)
        if (inside(p->at_m, low_m, high_m)) visit(p->index);
    };
    const auto rows = static_cast<std::uint64_t>(high.x - low.x + 1) *
                      static_cast<std::uint64_t>(high.y - low.y + 1);
    if (rows > points_.size()) return look_at(points_.begin(), points_.end());
    for (std::int64_t x = low.x; x <= high.x; ++x)
      for (std::int64_t y = low.y; y <= high.y; ++y)
        look_at(first_from({x, y, low.z}), first_from({x, y, high.z + 1}));
  }

 private:
  struct Cell {
    std::int64_t x, y, z;
  };
  struct Point {
    std::uint64_t key;  ///< of its cell
    Vec3 at_m;
    std::size_t index;
  };
  /// Cells of an axis are numbered from 0 to 2^21 - 2: keys fit in 63 bits.
  static constexpr std::int64_t last_cell = (std::int64_t{1} << 21) - 2;

  static std::uint64_t key_of(Cell cell) {
    return static_cast<std::uint64_t>(cell.x) << 42 |
           static_cast<std::uint64_t>(cell.y) << 21 | static_cast<std::uint64_t>(cell.z);
  }
  static bool inside(Vec3 p, Vec3 low, Vec3 high) {
    return p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x <= high.x &&
           p.y <= high.y && p.z <= high.z;
  }
  /// Places outside belong to the outermost cells.
  Cell cell_of(Vec3 at_m) const;
  std::vector<Point>::const_iterator first_from(Cell cell) const {
    return std::lower_bound(
        points_.begin(), points_.end(), key_of(cell),
        [](const Point& point, std::uint64_t key) { return point.key < key; });
  }

  Vec3 low_m_;
  double cell_m_ = 1;
  std::vector<Point> points_;  ///< by key, then index
};

}  // namespace thinwire
