#include <cmath>
#include <vector>

#include "cg/krylov/iteration.h"
#include "cg/vector_ops.h"

namespace thinwire {

// H. Katsuda, K. Konno, Q. Chen, K. Sawaya, K. Yokokawa, Q. Yuan, T. Sezai, "A study of
// acceleration of conjugate gradient method using GPU" (in Japanese), IEICE technical
// report, 2012, section 2. The step numbers are the paper's. With a preconditioner, read
// Z M for Z: p is then a direction in y = M^-1 I.
SolveResult solve_cg(const LinearOperator& z, const Preconditioner* m,
                     std::span<const Complex> v, std::span<Complex> current,
                     const SolverControl& control) {
  const std::size_t n = z.size();
  std::vector<Complex> g(n), p(n), zp(n), work(n);

  // g = Z^H r = conj(Z conj(r)), with M: g = M^H Z^H r = conj(M Z conj(r)).
  const auto normal_residual = [&](std::span<const Complex> r) {
    conjugate(r, work);
    if (m) {
      z.apply(work, zp);
      m->apply(zp, g);
    } else {
      z.apply(work, g);
    }
    conjugate(g, g);
  };

  return run_cycles(z, m, v, current, control, [&](std::span<Complex> r, Iteration& it) {
    // 1, 2. I_0 is given, and r_0 = V - Z I_0 with it.
    // 3. p_1 = Z^H r_0
    normal_residual(r);
    p = g;
    double g2 = norm2_squared(g, it.comm());
    for (;;) {
      precondition(m, p, work);
      z.apply(work, zp);
      // 4. alpha_i = ||Z^H r_{i-1}||^2 / ||Z p_i||^2
      const double zp2 = norm2_squared(zp, it.comm());
      const double alpha = g2 / zp2;
      if (!std::isfinite(alpha) || alpha == 0) return CycleEnd::breakdown;
      // 5. I_i = I_{i-1} + alpha_i p_i
      axpy(alpha, work, current);
      // 6. r_i = r_{i-1} - alpha_i Z p_i
      axpy(-alpha, zp, r);
      // 9. Converged? Asked here, where ||r_i|| is known, to save the product of step 7.
      if (const auto end = it.record(norm2(r, it.comm()))) return *end;
      // 7. beta_i = ||Z^H r_i||^2 / ||Z^H r_{i-1}||^2
      normal_residual(r);
      const double next_g2 = norm2_squared(g, it.comm());
      const double beta = next_g2 / g2;
      // 8. p_{i+1} = Z^H r_i + beta_i p_i
      xpay(g, beta, p);
      g2 = next_g2;
    }
  });
}

}  // namespace thinwire
