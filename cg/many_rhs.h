#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <span>

#include "kernels/matrix/packed_tiles.h"

namespace thinwire {

using Complex = std::complex<double>;

/// Right-hand sides from which BLAS's products of matrices are worth their start.
inline constexpr std::size_t min_rhs_for_blas = 8;

/// Calls work(first, count) for chunks of `rhs_count` right-hand sides, `at_once` in
/// each, by all threads, with one of BLAS for each. The chunks do not depend on the
/// number of threads. Throws Error{memory} where BLAS has no room for its buffers.
void for_chunks_of_rhs(std::size_t rhs_count,
                       const std::function<void(std::size_t, std::size_t)>& work,
                       std::size_t at_once = 32);

/// Right-hand sides of a chunk whose work is small products: BLAS copies the matrix for
/// each chunk.
inline constexpr std::size_t sums_at_once = 64;

/// Y = Z X, as symv() of kernels/matrix/symv.h, by BLAS: x, y: [count][n], for
/// min_rhs_for_blas right-hand sides and more.
void multiply_many(PackedTiles layout, std::span<const Complex> z,
                   std::span<const Complex> x, std::span<Complex> y);

/// Y += B C: adds sums of `rank` vectors. basis: [rank][length], coefficients:
/// [count][rank], y: [count][length].
void add_sums(std::span<const Complex> basis, std::span<const Complex> coefficients,
              std::span<Complex> y, std::size_t count);

}  // namespace thinwire
