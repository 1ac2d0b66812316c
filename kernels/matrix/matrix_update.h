#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/complex.h"

namespace thinwire {

/// An entry of a sparse symmetric matrix that is added to a dense one: to Z_ij and Z_ji,
/// column <= row.
struct MatrixUpdate {
  std::uint32_t row = 0, column = 0;
  Complex value;
};

/// y += L x for the entries of a sparse symmetric matrix L, on the calling thread.
inline void add_updates(std::span<const MatrixUpdate> updates, std::span<const Complex> x,
                        std::span<Complex> y) {
  for (const MatrixUpdate& update : updates) {
    y[update.row] += update.value * x[update.column];
    if (update.row != update.column) y[update.column] += update.value * x[update.row];
  }
}

}  // namespace thinwire
