#include <vector>

#include "cg/krylov/iteration.h"
#include "cg/vector_ops.h"

namespace thinwire {

// H. A. van der Vorst, J. B. M. Melissen, "A Petrov-Galerkin type method for solving
// Ax = b, where A is symmetric complex", IEEE Trans. Magn. 26 (1990) 706-708. It is
// conjugate gradients with x^T y in the place of the inner product: nothing may be
// conjugated.
SolveResult solve_cocg(const LinearOperator& z, const Preconditioner* m,
                       std::span<const Complex> v, std::span<Complex> current,
                       const SolverControl& control) {
  const std::size_t n = z.size();
  std::vector<Complex> s(n), p(n), q(n);

  return run_cycles(z, m, v, current, control, [&](std::span<Complex> r, Iteration& it) {
    // s = M r, p = s, rho = r^T s
    precondition(m, r, s);
    p = s;
    Complex rho = dotu(r, s, it.comm());
    for (;;) {
      if (vanishes(rho, r, s, it.comm())) return CycleEnd::vanished;
      // alpha = rho / p^T Z p
      z.apply(p, q);
      const Complex pzp = dotu(p, q, it.comm());
      if (vanishes(pzp, p, q, it.comm())) return CycleEnd::vanished;
      const Complex alpha = rho / pzp;
      // I = I + alpha p, r = r - alpha Z p
      axpy(alpha, p, current);
      axpy(-alpha, q, r);
      if (const auto end = it.record(norm2(r, it.comm()))) return *end;
      // beta = rho' / rho, p = s + beta p
      precondition(m, r, s);
      const Complex next_rho = dotu(r, s, it.comm());
      xpay(s, next_rho / rho, p);
      rho = next_rho;
    }
  });
}

}  // namespace thinwire
