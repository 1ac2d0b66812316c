#pragma once

#include "kernels/element/medium.h"
#include "mom/problem.h"

namespace thinwire {

/// What acts beside an element as images of the same strength. A real ground has none:
/// what it reflects is added in the fill (kernels/ground/) and far away
/// (mom/radiation.h).
inline Medium medium_of(Ground ground) {
  return ground == Ground::perfect ? Medium::perfect_ground() : Medium::free_space();
}

/// Where images lie whose near pairs the fill will want, whatever their strength.
inline Medium image_medium_of(Ground ground) {
  return ground == Ground::none ? Medium::free_space() : Medium::perfect_ground();
}

}  // namespace thinwire
