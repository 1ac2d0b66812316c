#pragma once

#include "kernels/element/medium.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// What acts beside an element as images of the same strength. A real ground has none:
/// what it reflects is added in the fill (kernels/ground/) and far away
/// (mom/postprocess/radiation.h).
inline Medium medium_of(const Ground& ground) {
  return ground.kind == Ground::Kind::perfect || ground.kind == Ground::Kind::mininec
             ? Medium::perfect_ground()
             : Medium::free_space();
}

/// The same for waves far away.
inline Medium far_medium_of(const Ground& ground) {
  return ground.is_dielectric() ? Medium::free_space() : medium_of(ground);
}

/// Where images lie whose near pairs the fill will want, whatever their strength.
inline Medium image_medium_of(const Ground& ground) {
  return ground == Ground::none ? Medium::free_space() : Medium::perfect_ground();
}

}  // namespace thinwire
