#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "cg/comm.h"
#include "cg/linear_operator.h"

namespace thinwire {

/// Estimate of ||Z^-1||_1 of a complex-symmetric matrix by about five solutions, LAPACK's
/// zlacn2 (Higham 1988). solve(x): x, [n], becomes Z^-1 x. comm: of ranks that solve
/// together; all follow the first.
double inverse_norm1(std::size_t n, const std::function<void(std::span<Complex>)>& solve,
                     const Comm& comm = serial_comm());

}  // namespace thinwire
