#include "kernels/base/point_grid.h"

#include <cmath>

namespace thinwire {

PointGrid::PointGrid(std::span<const Vec3> points_m, double cell_m) {
  if (points_m.empty()) return;
  Vec3 high = low_m_ = points_m.front();
  for (const Vec3& p : points_m) {
    low_m_ = {std::min(low_m_.x, p.x), std::min(low_m_.y, p.y), std::min(low_m_.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const Vec3 extent = high - low_m_;
  const double widest = std::max({extent.x, extent.y, extent.z});
  cell_m_ = std::max(cell_m, widest / static_cast<double>(last_cell));
  if (!(cell_m_ > 0)) cell_m_ = 1;  // all points are one
  points_.resize(points_m.size());
  const auto count = static_cast<std::int64_t>(points_m.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i)
    points_[i] = {key_of(cell_of(points_m[i])), points_m[i], static_cast<std::size_t>(i)};
  std::sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  });
}

PointGrid::Cell PointGrid::cell_of(Vec3 at_m) const {
  const auto number = [&](double from_low) {
    const double cell = std::floor(from_low / cell_m_);
    return static_cast<std::int64_t>(
        std::clamp(cell, 0.0, static_cast<double>(last_cell)));
  };
  const Vec3 r = at_m - low_m_;
  return {number(r.x), number(r.y), number(r.z)};
}

}  // namespace thinwire
