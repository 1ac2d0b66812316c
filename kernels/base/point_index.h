#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/base/vec3.h"

namespace thinwire {

/// Points in a balanced k-d tree (Bentley 1975), so that those in a box are found without
/// looking at all of them, however unevenly they lie. Takes n log n time to build, and to
/// ask log n and the time of the points found.
class PointIndex {
 public:
  PointIndex() = default;
  explicit PointIndex(std::span<const Vec3> points_m);

  /// Calls visit(i) for every point i in the box (its faces included), always in the same
  /// order. Where visit returns a bool, false ends the search. Several threads may call
  /// at once.
  template <class Visit>
  void visit(Vec3 low_m, Vec3 high_m, Visit&& visit) const {
    const Box box = {{low_m.x, low_m.y, low_m.z}, {high_m.x, high_m.y, high_m.z}};
    (void)visit_range(0, points_.size(), box, visit);
  }

 private:
  struct Point {
    std::array<double, 3> at_m;
    std::size_t index;
  };
  struct Box {
    std::array<double, 3> low, high;
  };
  /// Ranges of so many points are not divided any more.
  static constexpr std::size_t leaf = 16;

  void divide(std::size_t first, std::size_t last);

  /// False where the search is to end.
  template <class Visit>
  bool visit_range(std::size_t first, std::size_t last, const Box& box,
                   Visit& visit) const {
    while (last - first > leaf) {
      const std::size_t middle = first + (last - first) / 2;
      const std::uint8_t axis = axis_[middle];
      const double at = points_[middle].at_m[axis];
      if (box.low[axis] <= at && !visit_range(first, middle, box, visit)) return false;
      if (!visit_point(points_[middle], box, visit)) return false;
      if (!(box.high[axis] >= at)) return true;
      first = middle + 1;
    }
    for (std::size_t p = first; p < last; ++p)
      if (!visit_point(points_[p], box, visit)) return false;
    return true;
  }
  template <class Visit>
  static bool visit_point(const Point& point, const Box& box, Visit& visit) {
    if (!inside(point, box)) return true;
    if constexpr (std::is_same_v<decltype(visit(std::size_t{})), bool>) {
      return visit(point.index);
    } else {
      visit(point.index);
      return true;
    }
  }
  static bool inside(const Point& p, const Box& box) {
    for (std::size_t i = 0; i < 3; ++i)
      if (!(p.at_m[i] >= box.low[i] && p.at_m[i] <= box.high[i])) return false;
    return true;
  }

  // A range of the points is divided by its middle: those before it lie below on its
  // axis, or level with it, those behind it above.
  std::vector<Point> points_;
  std::vector<std::uint8_t> axis_;  ///< of each middle
};

}  // namespace thinwire
