#pragma once

#include "kernels/element/medium.h"
#include "mom/problem.h"

namespace thinwire {

/// What the deck's ground is to the fill and the fields.
inline Medium medium_of(Ground ground) {
  return ground == Ground::perfect ? Medium::perfect_ground() : Medium::free_space();
}

}  // namespace thinwire
