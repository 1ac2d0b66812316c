#pragma once

#include <cstddef>
#include <vector>

#include "mom/problem/problem.h"

namespace thinwire {

/// Returns the points of a request, metres, with its first coordinate running fastest and
/// its third slowest.
std::vector<Vec3> near_field_points(const NearFieldRequest& request);

/// Returns the number of points of a request.
std::size_t point_count(const NearFieldRequest& request);

/// Returns a lower bound of the number of heights among the points.
std::int64_t height_count(const NearFieldRequest& request);

/// Returns about which part of a request's points has z < 0.
double share_below(const NearFieldRequest& request);

}  // namespace thinwire
