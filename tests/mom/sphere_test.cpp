#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include <gtest/gtest.h>

#include "tests/mom/wire_antennas.h"
#include "tests/mom/wire_grids.h"

namespace thinwire::sphere_test {
namespace {

/// Scattering by a perfectly conducting sphere (G. Mie, 1908; Bohren and Huffman 1983,
/// chapter 4, for an infinite refractive index).
class Mie {
 public:
  explicit Mie(double ka) : ka_(ka) {}

  /// Returns 10 log10 of the bistatic cross section over the square of the wavelength.
  /// angle: between the wave's direction and the scattered one. across: in the plane
  /// normal to the wave's electric field.
  double cross_section_db(double angle_rad, bool across) const {
    const double mu = std::cos(angle_rad);
    const int terms = static_cast<int>(ka_ + 4 * std::cbrt(ka_) + 8);
    Complex sum = 0;
    double before = 0, pi_n = 1;
    for (int n = 1; n <= terms; ++n) {
      const double tau_n = n * mu * pi_n - (n + 1) * before;
      const Complex a = riccati(n, true), b = riccati(n, false);
      sum += (2.0 * n + 1) / (n * (n + 1.0)) *
             (across ? a * pi_n + b * tau_n : a * tau_n + b * pi_n);
      const double next = ((2 * n + 1) * mu * pi_n - (n + 1) * before) / n;
      before = pi_n;
      pi_n = next;
    }
    return 10 * std::log10(std::norm(sum) / pi);
  }

 private:
  /// psi_n / xi_n, or that of their derivatives, psi = x j_n, xi = x h_n.
  Complex riccati(int n, bool derivative) const {
    const auto value = [&](auto&& function) {
      const auto order = static_cast<unsigned>(n);
      return derivative ? ka_ * function(order - 1, ka_) - n * function(order, ka_)
                        : ka_ * function(order, ka_);
    };
    const double psi = value([](unsigned m, double x) { return std::sph_bessel(m, x); });
    const double chi = value([](unsigned m, double x) { return std::sph_neumann(m, x); });
    return psi / Complex(psi, -chi);
  }

  double ka_;
};

TEST(Mie, HasItsLimits) {
  // Rayleigh: 9 (ka)^4 of the cross section for back, 1 for forward; optics: pi a^2.
  const auto of_area = [](double ka, double angle) {
    return Mie(ka).cross_section_db(angle, false) - 10 * std::log10(ka * ka / (4 * pi));
  };
  EXPECT_NEAR(of_area(0.01, pi), 10 * std::log10(9 * 1e-8), 0.01);
  EXPECT_NEAR(of_area(0.01, 0), 10 * std::log10(1e-8), 0.01);
  EXPECT_NEAR(of_area(200, pi), 0, 0.02);
  EXPECT_NEAR(Mie(1).cross_section_db(pi, true), Mie(1).cross_section_db(pi, false),
              1e-9);
}

/// Errors of cross sections, dB: of the wave that comes back, and the largest of all
/// directions within 10 dB of the forward one.
struct Errors {
  double back = 0, all = 0;
};

/// Cells of 0.05 wavelengths: a quarter of the circumference has 5 ka of them.
Errors errors_of(double ka) {
  Problem problem;
  problem.structure = test::sphere(ka / (2 * pi), static_cast<int>(std::lround(5 * ka)));
  thinwire::Run& run = problem.runs.emplace_back();
  run.frequency_hz = {test::one_metre_wave_hz};
  run.waves.emplace();  // from above, its field along x
  PatternRequest& pattern = run.patterns.emplace_back();
  pattern.theta_count = 181;
  pattern.theta_step_deg = 1;
  pattern.phi_count = 2;
  pattern.phi_step_deg = 90;
  const Solution solution = solve(problem, test::options_for(MeshChoice::as_given));
  const std::vector<double>& got = solution.frequencies.at(0).patterns.at(0).gain_dbi;
  const Mie mie(ka);
  Errors errors;
  errors.back = got[0] - mie.cross_section_db(pi, false);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto theta_deg = static_cast<double>(i / 2);
    const double right = mie.cross_section_db(pi - theta_deg * pi / 180, i % 2 == 1);
    if (right > mie.cross_section_db(0, false) - 10)
      errors.all = std::max(errors.all, std::abs(got[i] - right));
  }
  return errors;
}

TEST(WireGridSphere, ScattersAsMieSays) {
  for (const double ka : {1.0, 1.6}) {
    const Errors errors = errors_of(ka);
    EXPECT_LT(std::abs(errors.back), 0.3) << ka;
    EXPECT_LT(errors.all, 0.4) << ka;
  }
}

}  // namespace
}  // namespace thinwire::sphere_test
