#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "cg/comm.h"
#include "cg/linear_operator.h"

namespace thinwire {

/// Vector operations of the iterative solvers. All x, y: [n], n the same for all
/// arguments of a call. The sums run over chunks of a fixed length and add the chunks in
/// order, so that the result has the same bits for any number of threads.

/// Length of one partial sum: 1024 complex numbers of two vectors fill 32 KiB, one L1
/// cache.
inline constexpr std::ptrdiff_t sum_chunk = 1024;
/// Below this a parallel region costs more than it saves.
inline constexpr std::ptrdiff_t parallel_length = 16 * sum_chunk;

/// The 2-norm, sqrt(x^H x).
double norm2(std::span<const Complex> x, const Comm& comm = serial_comm());
/// x^T y, nothing conjugated.
Complex dotu(std::span<const Complex> x, std::span<const Complex> y,
             const Comm& comm = serial_comm());

/// y = y + a x
void axpy(Complex a, std::span<const Complex> x, std::span<Complex> y);
/// y = x + a y
void xpay(std::span<const Complex> x, Complex a, std::span<Complex> y);

/// Where vectors of one length begin, each for itself, so that a basis can grow.
using KrylovBasis = std::vector<const Complex*>;

/// h[j] = basis[j]^H w for j < h.size() <= basis.size(): one pass over w, one sum over
/// ranks.
void dotc_all(const KrylovBasis& basis, std::span<const Complex> w, std::span<Complex> h,
              const Comm& comm = serial_comm());
/// y = y + a x on one thread: for those who share out the vectors themselves.
void add_multiple(Complex a, std::span<const Complex> x, std::span<Complex> y);

}  // namespace thinwire
