// Uses an installed thinwire as another program would: a centre-fed dipole, half a
// wavelength long at 299.79 MHz, without a deck.
#include <thinwire/mom/solve.h>

#include <cmath>
#include <complex>
#include <cstdio>

int main() {
  thinwire::Problem problem;
  problem.name = "consumer";
  problem.structure.add_wire(1, 21, {0, 0, -0.25}, {0, 0, 0.25}, 0.001);
  thinwire::Run run;
  run.frequency_hz = {299.792458e6};
  thinwire::Source source;
  source.segment = 10;
  run.sources = {source};
  problem.runs = {run};

  const thinwire::Solution solution = thinwire::solve(problem, thinwire::Options());
  const std::complex<double> z = solution.frequencies[0].ports[0].impedance_ohm;
  std::printf("impedance %.3f%+.3fj ohm\n", z.real(), z.imag());
  // Hallen's equation with the exact kernel gives 85.020 + 49.382j.
  return std::abs(z - std::complex<double>(85.02, 49.38)) < 1 ? 0 : 1;
}
