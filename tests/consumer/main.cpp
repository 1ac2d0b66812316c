// Uses an installed thinwire as another program would.
#include <cg/direct.h>
#include <kernels/internal_impedance.h>
#include <mom/solve.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

int main() {
  // [2, j; j, 1] x = (1, 0) has the solution (1/3, -j/3).
  const thinwire::DirectSolver solver(2, {2, {0, 1}, {0, 1}, 1});
  std::vector<thinwire::Complex> x = {1, 0};
  solver.solve(x);
  const std::complex<double> z =
      thinwire::internal_impedance_ohm_per_m(30e6, 1e-3, 5.8e7, 1);
  std::printf("current %.6f%+.6fj A, copper wire %.6f%+.6fj ohm/m\n", x[1].real(),
              x[1].imag(), z.real(), z.imag());
  return std::abs(x[1] - std::complex<double>(0, -1.0 / 3)) < 1e-14 ? 0 : 1;
}
