#include "geometry/surface_lift.h"

#include <algorithm>
#include <cmath>

#include "geometry/end_clusters.h"
#include "geometry/wires_below.h"

namespace thinwire {

namespace {

/// By how much the surface of a wire reaches below its lower end.
double reach_m(const Segment& s) {
  const Vec3 along = s.end_m - s.start_m;
  return std::hypot(along.x, along.y) / norm(along) * s.radius_m;
}

}  // namespace

SurfaceLift find_surface_lift(const Structure& structure, bool ground_contact) {
  const auto& segments = structure.segments();
  SurfaceLift lift;
  if (std::none_of(segments.begin(), segments.end(), [](const Segment& s) {
        return std::min(s.start_m.z, s.end_m.z) <=
               std::max(reach_m(s), surface_tolerance_m(s));
      }))
    return lift;
  const EndClusters clusters(segments);
  const auto height = [&](std::size_t end) {
    const std::size_t root = clusters.root(end);
    const Segment& s = segments[root / 2];
    return root % 2 == 0 ? s.start_m.z : s.end_m.z;
  };
  const auto low = [&](std::size_t s) {
    return std::min(height(2 * s), height(2 * s + 1));
  };
  std::vector<char> joins_surface(2 * segments.size(), 0);  // of clusters
  for (std::size_t s = 0; s < segments.size(); ++s) {
    lift.depth_m = std::max(lift.depth_m, -low(s));
    const bool ends_there =
        !lies_on_surface(segments[s]) && low(s) <= surface_tolerance_m(segments[s]);
    if (reaches_below(segments[s]) || ends_there ||
        !(low(s) < (1 - 1e-9) * reach_m(segments[s])))
      continue;
    if (lift.segments++ == 0) lift.segment = s;
    for (const std::size_t end : {2 * s, 2 * s + 1})
      joins_surface[clusters.root(end)] = 1;
  }
  if (lift.segments == 0) return lift;
  std::vector<char> stays(2 * segments.size(), 1);  // of clusters
  for (std::size_t end = 0; end < stays.size(); ++end) {
    const double z = height(end), tolerance = surface_tolerance_m(segments[end / 2]);
    const std::size_t root = clusters.root(end);
    if (z > tolerance || joins_surface[root] != 0 || (z >= -tolerance && !ground_contact))
      stays[root] = 0;
  }
  for (std::size_t end = 0; end < stays.size(); ++end)
    lift.rises.push_back(stays[clusters.root(end)] == 0);
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const double needed = reach_m(segments[s]) - low(s);
    lift.clearance_m = std::max(lift.clearance_m, needed);
    if (lift.rises[2 * s] != 0 && lift.rises[2 * s + 1] != 0)
      lift.height_m = std::max(lift.height_m, needed);
  }
  return lift;
}

}  // namespace thinwire
