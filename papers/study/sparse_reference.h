#pragma once

#include <complex>
#include <span>
#include <vector>

#include "papers/sparse/sparse_bench.h"

namespace thinwire {

/// A x summed up in long double, from the numbers of matrix and vector that SparseBench
/// multiplies in `type`: what a product differs by is its own rounding. values: as of
/// SparseBench::set_values; empty: the real matrix, times sparse_phase in complex types.
std::vector<std::complex<long double>> exact_product(
    const Csr<double>& matrix, std::span<const std::complex<double>> values,
    SparseType type);

/// |y - exact| / |exact| in the 2-norm, absolute where |exact| = 0. NaN where y has one.
double relative_error(const std::vector<std::complex<double>>& y,
                      const std::vector<std::complex<long double>>& exact);

}  // namespace thinwire
