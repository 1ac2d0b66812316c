#pragma once

#include <cmath>
#include <vector>

#include "kernels/base/constants.h"

namespace thinwire {

/// The i-th of n Chebyshev nodes in (-1, 1), falling.
inline double chebyshev_node(int i, int n) {
  return std::cos(pi * (i + 0.5) / n);
}

/// Coefficients of the powers of t, lowest first, in the polynomial of lowest degree
/// through values [n] at the n Chebyshev nodes. For n up to about 16, and functions that
/// the polynomial resolves: powers of t lose digits else.
std::vector<double> powers_through(const std::vector<double>& values);

}  // namespace thinwire
