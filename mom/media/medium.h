#pragma once

#include "kernels/element/medium.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Returns the medium whose images act beside an element with the same strength. A real
/// ground has none: its reflection is added in the fill (kernels/ground/) and far away
/// (mom/postprocess/radiation.h).
inline Medium medium_of(const Ground& ground) {
  return ground.kind == Ground::Kind::perfect || ground.kind == Ground::Kind::mininec
             ? Medium::perfect_ground()
             : Medium::free_space();
}

/// Returns the medium for waves far away.
inline Medium far_medium_of(const Ground& ground) {
  return ground.is_dielectric() ? Medium::free_space() : medium_of(ground);
}

/// Where images lie whose near pairs the fill will want, whatever their strength.
inline Medium image_medium_of(const Ground& ground) {
  return ground == Ground::none ? Medium::free_space() : Medium::perfect_ground();
}

}  // namespace thinwire
