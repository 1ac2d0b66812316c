// Waves that pass the surface of a ground: Maxwell's equations, energy, free space.
#include "mom/media/plane_waves.h"

#include <cmath>

#include <gtest/gtest.h>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "kernels/ground/buried_kernels.h"
#include "mom/media/transmitted.h"

namespace thinwire::plane_waves_test {
namespace {

constexpr double k = 2 * pi;

ComplexVec3 cross(const ComplexVec3& a, const ComplexVec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// E and eta0 H at the surface, of one polarisation.
struct SurfaceField {
  ComplexVec3 e, h;
};

SurfaceField at_surface(Complex eps, Direction way, GroundSide side, bool theta) {
  SurfaceField sum;
  for (const SideWave& wave : waves_met(eps, way, side)) {
    const ComplexVec3 e = theta ? wave.theta_v : wave.phi_v;
    const ComplexVec3 h = cross(e, wave.u);  // it goes against u: H = (-u) x E
    sum.e = {sum.e.x + e.x, sum.e.y + e.y, sum.e.z + e.z};
    sum.h = {sum.h.x + h.x, sum.h.y + h.y, sum.h.z + h.z};
  }
  return sum;
}

TEST(PlaneWaves, MeetMaxwellsConditionsAtTheSurface) {
  for (const Complex eps : {Complex(1, 0), Complex(13, -25), Complex(81, -3e4),
                            Complex(4, 0), Complex(80, -0.5)})
    for (const double theta : {0.0, 0.4, 1.2, 1.57, 1.6, 2.0, 2.9}) {
      if (theta > pi / 2 && eps.imag() != 0) continue;
      for (const bool tm : {true, false}) {
        const Direction way{theta, 0.7};
        const SurfaceField up = at_surface(eps, way, GroundSide::above, tm);
        const SurfaceField down = at_surface(eps, way, GroundSide::below, tm);
        const double slack = 1e-12 * (1 + std::abs(std::sqrt(eps)));
        EXPECT_LT(std::abs(up.e.x - down.e.x), slack);
        EXPECT_LT(std::abs(up.e.y - down.e.y), slack);
        EXPECT_LT(std::abs(up.e.z - eps * down.e.z), slack);
        EXPECT_LT(std::abs(up.h.x - down.h.x), slack);
        EXPECT_LT(std::abs(up.h.y - down.h.y), slack);
        EXPECT_LT(std::abs(up.h.z - down.h.z), slack);
        for (const GroundSide side : {GroundSide::above, GroundSide::below})
          for (const SideWave& wave : waves_met(eps, way, side)) {
            const ComplexVec3 &u = wave.u, &e = tm ? wave.theta_v : wave.phi_v;
            EXPECT_LT(std::abs(u.x * e.x + u.y * e.y + u.z * e.z), slack);
            EXPECT_LT(std::abs(u.x * u.x + u.y * u.y + u.z * u.z -
                               (side == GroundSide::above ? 1.0 : eps)),
                      slack * std::abs(std::sqrt(eps)));
          }
      }
    }
}

TEST(PlaneWaves, AreThoseOfFreeSpaceThere) {
  const Vec3 tangent = (1 / std::sqrt(3.0)) * Vec3{1, 1, 1};
  const std::vector<Element> elements = {{{0.1, 0.2, -0.3}, tangent, 0.1, 0.004},
                                         {{0.4, 0, -0.5}, {1, 0, 0}, 0.2, 0.002}};
  const std::vector<Complex> ends = {{1, 0.2}, {0.7, 0}, {-0.4, 1}, {0.1, -0.3}};
  std::vector<Direction> ways;
  for (const double theta : {0.0, 0.7, 1.5, 1.7, 2.5, 3.0}) ways.push_back({theta, 1.1});
  for (const GreensKernel kernel : {GreensKernel::exact, GreensKernel::reduced}) {
    std::vector<Complex> theta(ways.size()), phi(ways.size()), free_theta(ways.size()),
        free_phi(ways.size());
    add_waves_through_ground(GroundSide::below, elements, ends, kernel, ways, k, 1.0,
                             theta, phi);
    far_field(current_moments(elements, ends, k, kernel, Medium::free_space()), ways, k,
              free_theta, free_phi);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      EXPECT_LT(std::abs(theta[i] - free_theta[i]), 1e-9 * eta0_ohm) << i;
      EXPECT_LT(std::abs(phi[i] - free_phi[i]), 1e-9 * eta0_ohm) << i;
    }
  }
}

/// Watt that a short current of one ampere metre sends up and down, both media without
/// loss: angles split where waves begin to pass, and graded towards there.
double radiated_w(const Element& e, double eps) {
  const double critical = pi - std::asin(1 / std::sqrt(eps));
  const double edges[] = {0, pi / 2, critical, pi};
  const std::vector<Complex> ends(2, 1 / e.length_m);
  const GaussRule rule = gauss_rule(16);
  constexpr int around = 8;
  std::vector<Direction> ways;
  std::vector<double> weights;
  for (int part = 0; part < 3; ++part)
    for (int i = 0; i < rule.points; ++i) {
      // theta = from + width sin^2(v / 2): square roots at both ends are smoothed.
      const double v = 0.5 * pi * (1 + rule.node[i]);
      const double width = edges[part + 1] - edges[part];
      const double theta = edges[part] + width * std::pow(std::sin(0.5 * v), 2);
      const double weight = 0.25 * pi * width * std::sin(v) * rule.weight[i];
      for (int p = 0; p < around; ++p) {
        ways.push_back({theta, 2 * pi * p / around});
        weights.push_back(weight * (2 * pi / around) * std::sin(theta));
      }
    }
  std::vector<Complex> e_theta(ways.size()), e_phi(ways.size());
  add_waves_through_ground(GroundSide::below, {&e, 1}, ends, GreensKernel::reduced, ways,
                           k, eps, e_theta, e_phi);
  double power = 0;
  for (std::size_t i = 0; i < ways.size(); ++i)
    power += weights[i] * (std::norm(e_theta[i]) + std::norm(e_phi[i])) / (2 * eta0_ohm);
  return power;
}

/// Second derivative at zero of an even function, or of any at `at`, by differences.
template <class F>
Complex second_difference(const F& f, double at, double h) {
  return (-f(at + 2 * h) + 16.0 * f(at + h) - 30.0 * f(at) + 16.0 * f(at - h) -
          f(at - 2 * h)) /
         (12 * h * h);
}

// The input power of a buried dipole, from the reflected kernels at its own place, equals
// the power that it sends away.
TEST(PlaneWaves, CarryThePowerOfABuriedDipole) {
  for (const double eps : {1.0, 4.0, 20.0})
    for (const double depth : {0.05, 0.6}) {  // times k
      const auto at = [&](double rho, double depths) {
        return below_kernels(eps, std::abs(rho), depths);
      };
      const double n = std::sqrt(eps), h = 0.02;
      const Complex flat =
          Complex(at(0, 2 * depth).h) +
          second_difference([&](double x) { return Complex(at(x, 2 * depth).phi); }, 0,
                            h);
      const Complex upright =
          Complex(at(0, 2 * depth).zz) -
          second_difference([&](double d) { return Complex(at(0, d).phi); }, 2 * depth,
                            depth < 0.1 ? 0.002 : h);
      // Half the real part of j k^2 eta / (4 pi) (direct + reflected) for 1 A m.
      const double scale = k * k * eta0_ohm / (4 * pi);
      const double flat_w = 0.5 * scale * (2 * n / 3 - flat.imag());
      const double upright_w = 0.5 * scale * (2 * n / 3 - upright.imag());
      const double length = 1e-4;
      EXPECT_NEAR(
          radiated_w({{-length / 2, 0, -depth / k}, {1, 0, 0}, length, 1e-6}, eps) /
              flat_w,
          1, 1e-5)
          << eps << ' ' << depth;
      EXPECT_NEAR(
          radiated_w({{0, 0, -depth / k - length / 2}, {0, 0, 1}, length, 1e-6}, eps) /
              upright_w,
          1, 1e-5)
          << eps << ' ' << depth;
    }
}

}  // namespace
}  // namespace thinwire::plane_waves_test
