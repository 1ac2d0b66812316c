#include "kernels/base/point_index.h"

#include <algorithm>

#include "kernels/base/parallel.h"

namespace thinwire {

PointIndex::PointIndex(std::span<const Vec3> points_m, const Monitor& monitor)
    : points_(points_m.size()) {
  std::size_t nodes = 1;
  for (std::size_t left = points_.size(); left > leaf; left /= 2) nodes = 2 * nodes + 1;
  boxes_.resize(nodes);
  for (std::size_t i = 0; i < points_.size(); ++i)
    points_[i] = {{points_m[i].x, points_m[i].y, points_m[i].z}, i};
  if (points_.size() < worth_threads) {
    divide(0, points_.size(), 0, monitor);
  } else {
#pragma omp parallel
#pragma omp single
    divide(0, points_.size(), 0, monitor);
  }
  monitor.check();
}

/// Finds the box of a range, and divides the range along the box's widest axis.
void PointIndex::divide(std::size_t first, std::size_t last, std::size_t node,
                        const Monitor& monitor) {
  if (first == last || monitor.stopped()) return;
  Box box = {points_[first].at_m, points_[first].at_m};
  for (std::size_t p = first; p < last; ++p)
    for (std::size_t i = 0; i < 3; ++i) {
      box.low[i] = std::min(box.low[i], points_[p].at_m[i]);
      box.high[i] = std::max(box.high[i], points_[p].at_m[i]);
    }
  boxes_[node] = box;
  if (last - first <= leaf) return;
  std::size_t axis = 0;
  for (std::size_t i = 1; i < 3; ++i)
    if (box.high[i] - box.low[i] > box.high[axis] - box.low[axis]) axis = i;
  const std::size_t middle = first + (last - first) / 2;
  const auto at = [this](std::size_t p) {
    return points_.begin() + static_cast<std::ptrdiff_t>(p);
  };
  std::nth_element(at(first), at(middle), at(last),
                   [axis](const Point& a, const Point& b) {
                     return a.at_m[axis] != b.at_m[axis] ? a.at_m[axis] < b.at_m[axis]
                                                         : a.index < b.index;
                   });
  const bool many = last - first > std::size_t{1} << 13;
#pragma omp task if (many)
  divide(first, middle, 2 * node + 1, monitor);
  divide(middle + 1, last, 2 * node + 2, monitor);
}

}  // namespace thinwire
