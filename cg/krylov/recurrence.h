#pragma once

#include <cmath>
#include <cstddef>

#include "cg/krylov/cycle_end.h"
#include "kernels/base/complex.h"
#include "kernels/base/host_device.h"
#if defined(__CUDACC__)
#include "kernels/device/complex.cuh"
#endif

namespace thinwire {

/// A recurrence is a class template over the executor that runs it, on a CPU
/// (host_executor.h) or a GPU (device_executor.cuh):
///
///     template <class Executor> class Xyz { prepare(k); begin(); step(); finish(); };
///
/// begin() starts a cycle from the executor's residual and iterate, prepare(k) comes
/// before step k = 1, 2, ..., finish() after the last. begin() and step() only submit
/// work to the executor: on a GPU nothing in them waits, so that a CUDA graph can contain
/// a step. prepare() and finish() may wait.
///
/// The work is in functors that the executor calls for each unknown, and once with the
/// sums over all of them; T = Executor::Value is a complex number. For each right-hand
/// side that iterates the executor calls make(rhs) for a functor, and has
///   run(make)           op(i, sum) for all i, then op.finish(total)
///   product(x, make)    y = Z x;              op(i, y_i, sum), then op.finish(total)
///   precondition(make)  z = M op.input(i);    op(i, z_i, sum), then op.finish(total)
///   project(make)       h_j = op.vector(j)^H op.input, j < op.count();       op(j, h_j)
///   combine(make)       y = op.input + sum_j op.factor(j) op.vector(j);
///                                             op(i, y_i, sum), then op.finish(total)
///   combine_project(combine, project)
///                       the one, which has no sums, then the other, whose input is what
///                       the first writes, with the same vectors
/// with `static constexpr int sums` the length of sum and total; finish only where it is
/// not 0. op.input may read only what op does not write. Further it has
///   Vector vector(), T* at(vector, rhs)    a zero vector for each right-hand side
///   Vector& r()               where a cycle starts; then the recurrence's own
///   T* current(rhs)           the iterate
///   const T* v(rhs)           V
///   Rhs rhs(rhs)              for functors: -> its state, record(|r|), end()
///   bool preconditioned()     whether there is an M
///   bool flexible()           as SolverControl::flexible
///   int rhs_count()
///   size_t unknowns()         over all ranks
///   void clear(array)
/// and for what grows
///   Array<U> array<U>(n)      not initialised, of anything
///   void write(to, values), read(values, from)   which wait
///   size_t next()             from the vector of one right-hand side to the next
///   void require(bytes)       Error{memory}
///   State state(rhs)          which waits
///   void reopen(rhs)          makes one that has ended take part in finish()

/// Scalars of one right-hand side of a recurrence, in the memory of its vectors.
template <class T>
struct RecurrenceState {
  int done;            ///< 0: continue; else 1 + CycleEnd
  int give_up;         ///< set by the CPU: end with the next iteration
  int iterations;      ///< of this cycle
  int max_iterations;  ///< of this cycle
  double tolerance, v_norm;
  T rho, alpha, beta;
  T reaction;     ///< V^T I
  double g2;      ///< ||Z^H r||^2 of CG
  int columns;    ///< of GMRES's triangle
  double w_norm;  ///< of its next vector
};

/// For recurrences that keep nothing that grows.
struct PlainRecurrence {
  void prepare(int) {}
  void finish() {}
};

/// Before a loop: loads of many passes run ahead of the arithmetic.
#if defined(__CUDACC__)
#define THINWIRE_UNROLL _Pragma("unroll 8")
#else
#define THINWIRE_UNROLL
#endif

THINWIRE_HD inline bool is_finite(double x) {
  return x - x == 0;
}

/// |x^T y| / (|x| |y|) that counts as zero: half of the digits are lost in the sum, and a
/// recurrence that divides by it loses them too. Two dipoles of an array fed in
/// quadrature, with the block preconditioner, gave 1e-10, and residuals grew to
/// thousands. Vectors without such a symmetry stay above by far, at about 1 / sqrt(N).
inline constexpr double lanczos_zero = 1e-8;

/// Whether x^T y, which is not an inner product, is zero to rounding (or not finite)
/// though neither vector is: a Lanczos breakdown. xx, yy: squares of their norms.
template <class T>
THINWIRE_HD inline bool vanishes(T product, double xx, double yy) {
  const double size = abs(product);
  // Written so that NaN vanishes too.
  return !(size > lanczos_zero * std::sqrt(xx) * std::sqrt(yy)) || !is_finite(size);
}

/// Sets alpha = rho / product. Ends the cycle where that is not finite: behind an almost
/// exact preconditioner the vectors become so small that their squares underflow.
template <class Rhs, class T>
THINWIRE_HD inline void set_alpha(const Rhs& rhs, T product) {
  const T alpha = rhs->rho / product;
  if (!is_finite(abs(alpha))) return rhs.end(CycleEnd::breakdown);
  rhs->alpha = alpha;
}

}  // namespace thinwire
