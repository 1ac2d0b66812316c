#pragma once

#include "mom/problem/cpu_rates.h"

namespace thinwire {

/// Measures them on this machine for solves with so many threads, briefly: a
/// small fill, products with a matrix of 39 MB, a small factorisation, a far field. Where
/// something else runs beside it they come out low, as they will be for the solve.
/// Throws Error{memory}.
CpuRates measured_cpu_rates(int threads);

}  // namespace thinwire
