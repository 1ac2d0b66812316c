#include "cg/direct/inverse_norm.h"

#include <lapacke.h>

#include <vector>

namespace thinwire {

double inverse_norm1(std::size_t n, const std::function<void(std::span<Complex>)>& solve,
                     const Comm& comm) {
  const auto lapack = [](std::vector<Complex>& a) {
    return reinterpret_cast<lapack_complex_double*>(a.data());
  };
  std::vector<Complex> x(n), work(n);
  double estimate = 0;
  lapack_int wanted = 0, state[3] = {};
  const auto conjugate = [&] {
    for (Complex& entry : x) entry = std::conj(entry);
  };
  for (;;) {
    LAPACKE_zlacn2_work(static_cast<lapack_int>(n), lapack(work), lapack(x), &estimate,
                        &wanted, state);
    double of_first[2] = {static_cast<double>(wanted), estimate};
    comm.broadcast(of_first, 0);
    if (of_first[0] == 0) return of_first[1];
    comm.broadcast(x, 0);
    // 1: Z^-1 x; 2: Z^-H x, and Z is symmetric.
    const bool adjoint = of_first[0] == 2;
    if (adjoint) conjugate();
    solve(x);
    if (adjoint) conjugate();
  }
}

}  // namespace thinwire
