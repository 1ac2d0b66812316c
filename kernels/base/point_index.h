#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/base/vec3.h"

namespace thinwire {

/// Points in a balanced k-d tree (Bentley 1975), so that those near a box are found
/// without looking at all of them, however unevenly they lie. Takes n log n time to
/// build, and to ask log n and the time of the points found.
class PointIndex {
 public:
  PointIndex() = default;
  /// Throws what the monitor throws; reports no progress.
  explicit PointIndex(std::span<const Vec3> points_m, const Monitor& monitor = {});

  /// Calls visit(i) for every point i in the box (its faces included), always in the same
  /// order. Where visit returns a bool, false ends the search. Several threads may call
  /// at once.
  template <class Visit>
  void visit(Vec3 low_m, Vec3 high_m, Visit&& visit) const {
    this->visit(low_m, high_m, 0, visit);
  }
  /// Calls it for every point that is within `reach_m` of the box.
  template <class Visit>
  void visit(Vec3 low_m, Vec3 high_m, double reach_m, Visit&& visit) const {
    const Box box = {{low_m.x, low_m.y, low_m.z}, {high_m.x, high_m.y, high_m.z}};
    (void)visit_range(0, points_.size(), 0, {box, reach_m * reach_m}, visit);
  }

 private:
  struct Point {
    std::array<double, 3> at_m;
    std::size_t index;
  };
  struct Box {
    std::array<double, 3> low, high;
  };
  /// Search for all points within a distance of a box.
  struct Search {
    Box box;
    double reach2;

    /// Whether a part of another box may be.
    bool meets(const std::array<double, 3>& low,
               const std::array<double, 3>& high) const {
      double away2 = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const double away = std::max({box.low[i] - high[i], low[i] - box.high[i], 0.0});
        away2 += away * away;
      }
      return away2 <= reach2;
    }
  };
  /// Ranges of so many points are not divided any more.
  static constexpr std::size_t leaf = 16;

  void divide(std::size_t first, std::size_t last, std::size_t node,
              const Monitor& monitor);

  /// False where the search is to end.
  template <class Visit>
  bool visit_range(std::size_t first, std::size_t last, std::size_t node,
                   const Search& search, Visit& visit) const {
    if (first == last || !search.meets(boxes_[node].low, boxes_[node].high)) return true;
    if (last - first > leaf) {
      const std::size_t middle = first + (last - first) / 2;
      return visit_range(first, middle, 2 * node + 1, search, visit) &&
             visit_point(points_[middle], search, visit) &&
             visit_range(middle + 1, last, 2 * node + 2, search, visit);
    }
    for (std::size_t p = first; p < last; ++p)
      if (!visit_point(points_[p], search, visit)) return false;
    return true;
  }
  template <class Visit>
  static bool visit_point(const Point& point, const Search& search, Visit& visit) {
    if (!search.meets(point.at_m, point.at_m)) return true;
    if constexpr (std::is_same_v<decltype(visit(std::size_t{})), bool>) {
      return visit(point.index);
    } else {
      visit(point.index);
      return true;
    }
  }

  // A range of the points is divided by its middle: those before it lie below on the
  // longest edge of the range's box, or level with it, those behind it above.
  std::vector<Point> points_;
  std::vector<Box>
      boxes_;  ///< around the points of node n, divided into 2 n + 1, 2 n + 2
};

}  // namespace thinwire
