#pragma once

#include <span>
#include <string_view>

#include "cg/linear_operator.h"

namespace thinwire {

/// Replaces a complex-symmetric matrix, column-major [n * n], by its inverse, made
/// symmetric to the last bit (LAPACK's zgetrf and zgetri, which are matrix products where
/// solving with LDL^T for n right-hand sides is not). Uses the threads that OpenBLAS is
/// set to. Throws Error{numeric}: "`what` of n unknowns is singular ...".
void invert_symmetric(std::span<Complex> matrix, std::size_t n, std::string_view what);

}  // namespace thinwire
