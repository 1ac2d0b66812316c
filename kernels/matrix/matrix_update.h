#pragma once

#include <cstdint>

#include "kernels/base/complex.h"

namespace thinwire {

/// An entry of a sparse symmetric matrix that is added to a dense one: to Z_ij and Z_ji,
/// column <= row.
struct MatrixUpdate {
  std::uint32_t row = 0, column = 0;
  Complex value;
};

}  // namespace thinwire
