#pragma once

#include "papers/assembly/device_assembly.h"

namespace thinwire::device {

/// A warp makes the gradients of an element: lane 4 p + axis those along `axis` at Gauss
/// point p. The fourth lane of a point repeats the third.
struct GradientLane {
  int point, axis;
  bool idle;

  __device__ explicit GradientLane(int lane)
      : point(lane / 4), axis(lane % 4 == 3 ? 2 : lane % 4), idle(lane % 4 == 3) {}

  /// coordinate: of the corners, along this lane's axis. derivative: as ElementGradients
  /// has them. All lanes of the warp call it.
  __device__ void make(const double (&coordinate)[8], double (&derivative)[8]) const {
    const Vec3 mine = local_derivatives(coordinate, static_cast<unsigned>(point));
    const auto of = [&](int source) {
      constexpr unsigned all = 0xffffffff;
      return Vec3{__shfl_sync(all, mine.x, source, 4),
                  __shfl_sync(all, mine.y, source, 4),
                  __shfl_sync(all, mine.z, source, 4)};
    };
    const Vec3 x = of(0), y = of(1), z = of(2);
    corner_derivatives(scaled_inverse_row(x, y, z, axis), static_cast<unsigned>(point),
                       derivative);
  }
};

__device__ inline double coordinate(Vec3 r, int axis) {
  return axis == 0 ? r.x : axis == 1 ? r.y : r.z;
}

/// Computes the derivatives with the corners' positions read from memory.
__device__ inline void element_derivatives(const BodyView& body, std::uint32_t element,
                                           GradientLane lane, double (&derivative)[8]) {
  double x[8];
#pragma unroll
  for (int c = 0; c < 8; ++c)
    x[c] = coordinate(body.node[body.corner[8 * std::size_t{element} + c]], lane.axis);
  lane.make(x, derivative);
}

/// Where the block of two nodes is in the row of the first.
__device__ inline std::uint32_t place_in_row(const BodyView& body, std::uint32_t row,
                                             std::uint32_t column) {
  const std::int64_t first = body.row_ptr[row];
  return block_place(body.column + first,
                     static_cast<std::uint32_t>(body.row_ptr[row + 1] - first), column);
}

}  // namespace thinwire::device
