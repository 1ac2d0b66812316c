#include "mom/problem/near_field_request.h"

#include <cmath>

#include "kernels/base/constants.h"

namespace thinwire {
namespace {

Vec3 point_at(const NearFieldRequest& request, double x, double y, double z) {
  if (request.grid == NearFieldRequest::Grid::rectangular) return {x, y, z};
  if (request.grid == NearFieldRequest::Grid::near_ground)
    return {z * std::cos(y * (pi / 180)), z * std::sin(y * (pi / 180)), x};
  const double phi = y * (pi / 180), theta = z * (pi / 180);
  return {x * std::sin(theta) * std::cos(phi), x * std::sin(theta) * std::sin(phi),
          x * std::cos(theta)};
}

/// Returns the axis of the grid along which heights change.
int height_axis(const NearFieldRequest& request) {
  return request.grid == NearFieldRequest::Grid::near_ground ? 0 : 2;
}

}  // namespace

std::vector<Vec3> near_field_points(const NearFieldRequest& request) {
  const auto coordinate = [&](int axis, std::int64_t i) {
    return request.start[axis] + request.step[axis] * static_cast<double>(i);
  };
  std::vector<Vec3> points;
  for (std::int64_t c = 0; c < request.count[2]; ++c)
    for (std::int64_t b = 0; b < request.count[1]; ++b)
      for (std::int64_t a = 0; a < request.count[0]; ++a)
        points.push_back(
            point_at(request, coordinate(0, a), coordinate(1, b), coordinate(2, c)));
  return points;
}

std::size_t point_count(const NearFieldRequest& request) {
  return static_cast<std::size_t>(request.count[0] * request.count[1] * request.count[2]);
}

std::int64_t height_count(const NearFieldRequest& request) {
  return request.count[height_axis(request)];
}

double share_below(const NearFieldRequest& request) {
  const bool spherical = request.grid == NearFieldRequest::Grid::spherical;
  const int axis = height_axis(request);
  std::int64_t below = 0;
  for (std::int64_t i = 0; i < request.count[axis]; ++i) {
    const double at = request.start[axis] + request.step[axis] * static_cast<double>(i);
    below += (spherical ? std::cos(at * (pi / 180)) : at) < 0 ? 1 : 0;
  }
  return static_cast<double>(below) / static_cast<double>(request.count[axis]);
}

}  // namespace thinwire
