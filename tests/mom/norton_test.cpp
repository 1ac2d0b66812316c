// The field of RP 1 against Norton's surface wave.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using test::one_metre_wave_hz;
using test::options_for;

/// e^{-z^2} erfc(-jz), 0 < Im z: its integral (Abramowitz and Stegun 7.1.4) by the
/// trapezoidal rule, and what that leaves out near the pole (Matta and Reichel 1971).
Complex faddeeva(Complex z) {
  constexpr double h = 0.25;
  Complex sum = 0;
  for (int n = -26; n <= 26; ++n) sum += std::exp(-h * h * n * n) / (z - h * n);
  const Complex near =
      z.imag() < pi / h
          ? 2.0 * std::exp(-z * z) / (1.0 - std::exp(Complex(0, -2 * pi / h) * z))
          : 0;
  return Complex(0, h / pi) * sum + near;
}

/// E_z of a short vertical current at height `from` over that of its free space far field
/// at the same distance in the equator, at height `to` and distance rho, metres at a
/// wavelength of 1 m: Norton, Proc. IRE 25 (1937) 1203-1236, without the terms that fall
/// as 1/R^2.
Complex norton(Complex eps, double rho, double from, double to) {
  const double k = 2 * pi;
  const double r1 = std::hypot(rho, to - from), r2 = std::hypot(rho, to + from);
  const double sine = (to + from) / r2, cosine2 = rho * rho / (r2 * r2);
  const Complex u2 = 1.0 / eps, root = std::sqrt(eps - cosine2);
  const Complex rv = (eps * sine - root) / (eps * sine + root);
  const Complex p = Complex(0, -0.5 * k * r2) * u2 * (1.0 - u2 * cosine2) / cosine2;
  const Complex w = 4.0 * p / ((1.0 - rv) * (1.0 - rv));
  const Complex attenuation =
      1.0 - Complex(0, 1) * std::sqrt(pi * w) * faddeeva(-std::sqrt(w));
  return rho * rho / (r1 * r1) * std::polar(1 / r1, -k * r1) +
         (cosine2 * rv + (1.0 - rv) * (1.0 - u2 + u2 * u2 * cosine2) * attenuation) *
             std::polar(1 / r2, -k * r2);
}

/// A vertical dipole of 0.05 wavelengths, 0.1 up.
Problem short_vertical() {
  Problem problem;
  problem.structure.add_wire(1, 5, {0, 0, 0.075}, {0, 0, 0.125}, 1e-5);
  test::feed(problem, 2);
  return problem;
}

TEST(Norton, IsWhatTheWholeFieldFallsOffAs) {
  Problem in_free_space = short_vertical();
  in_free_space.runs[0].patterns = {test::broadside()};
  const Options options = options_for(MeshChoice::as_given);
  const auto free = solve(in_free_space, options).frequencies.at(0);
  const Complex equator = free.patterns[0].e_theta_v[0] / free.ports[0].current_a;
  for (const Ground& ground : {Ground::sommerfeld(13, 0.05), Ground::sommerfeld(81, 4),
                               Ground::sommerfeld(81, 40)})
    for (const double height : {0.0, 2.0}) {
      Problem problem = short_vertical();
      problem.runs[0].ground = ground;
      for (const double rho : {10.0, 30.0, 100.0, 1000.0, 10000.0}) {
        NearFieldRequest request;
        request.grid = NearFieldRequest::Grid::near_ground;
        request.start[0] = height;
        request.start[2] = rho;
        problem.runs[0].near_fields.push_back(request);
      }
      const auto result = solve(problem, options).frequencies.at(0);
      for (const NearFieldResult& near : result.near_fields) {
        const double rho = near.request.start[2];
        const Complex got = near.field[2] / result.ports[0].current_a;
        const Complex eps = ground.permittivity(2 * pi);
        const Complex expected = -equator * norton(eps, rho, 0.1, height);
        // Norton's neglected terms fall as 1/kR; his surface wave is accurate to 1/eps.
        EXPECT_LT(test::relative_error(got, expected),
                  2 / (2 * pi * rho) + 1.3 / std::abs(eps))
            << eps << ", height " << height << ", distance " << rho;
      }
    }
}

}  // namespace
}  // namespace thinwire
