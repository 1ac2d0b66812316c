#include <vector>

#include "cg/krylov/iteration.h"
#include "cg/vector_ops.h"

namespace thinwire {

// T. Sogabe, S.-L. Zhang, "A COCR method for solving complex symmetric linear systems",
// J. Comput. Appl. Math. 199 (2007) 297-303, with a symmetric preconditioner M. As in
// COCG, nothing may be conjugated.
SolveResult solve_cocr(const LinearOperator& z, const Preconditioner* m,
                       std::span<const Complex> v, std::span<Complex> current,
                       const SolverControl& control) {
  const std::size_t n = z.size();
  std::vector<Complex> s(n), zs(n), p(n), q(n);
  std::vector<Complex> mq_storage(m ? n : 0);

  return run_cycles(z, m, v, current, control, [&](std::span<Complex> r, Iteration& it) {
    // s = M r, p = s, q = Z p, rho = s^T Z s
    precondition(m, r, s);
    z.apply(s, zs);
    p = s;
    q = zs;
    Complex rho = dotu(s, zs, it.comm());
    for (;;) {
      if (vanishes(rho, s, zs, it.comm())) return CycleEnd::vanished;
      // alpha = rho / q^T M q
      if (m) m->apply(q, mq_storage);
      const std::span<const Complex> mq = m ? mq_storage : q;
      const Complex qmq = dotu(q, mq, it.comm());
      if (vanishes(qmq, q, mq, it.comm())) return CycleEnd::vanished;
      const Complex alpha = rho / qmq;
      // I = I + alpha p, r = r - alpha q, s = s - alpha M q
      axpy(alpha, p, current);
      axpy(-alpha, q, r);
      axpy(-alpha, mq, s);
      if (const auto end = it.record(norm2(r, it.comm()))) return *end;
      // beta = rho' / rho, p = s + beta p, q = Z s + beta q
      z.apply(s, zs);
      const Complex next_rho = dotu(s, zs, it.comm());
      const Complex beta = next_rho / rho;
      xpay(s, beta, p);
      xpay(zs, beta, q);
      rho = next_rho;
    }
  });
}

}  // namespace thinwire
