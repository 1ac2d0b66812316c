#include "kernels/fields/far_field.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/constants.h"

namespace thinwire {
namespace {

/// A sinusoidal half-wave filament: E_theta = j 60 cos((pi/2) cos theta) / sin theta for
/// 1 A (Balanis 2016, eq. 4-84), and J0(ka sin theta) times that on a tube.
TEST(FarField, IsThatOfTheHalfWaveDipole) {
  const double k = 2 * pi, a = 0.02;
  const std::vector<Element> elements = {{{0, 0, -0.25}, {0, 0, 1}, 0.25, a},
                                         {{0, 0, 0}, {0, 0, 1}, 0.25, a}};
  const std::vector<Complex> ends = {0, 1, 1, 0};
  std::vector<Direction> directions;
  for (int t = 1; t < 18; ++t) directions.push_back({t * pi / 18, 0.3 * t});
  for (const GreensKernel kernel : {GreensKernel::reduced, GreensKernel::exact}) {
    std::vector<Complex> theta(directions.size()), phi(directions.size());
    far_field(current_moments(elements, ends, k, kernel, Medium::free_space()),
              directions, k, theta, phi);
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const double st = std::sin(directions[d].theta), ct = std::cos(directions[d].theta);
      const double ring =
          kernel == GreensKernel::exact ? std::cyl_bessel_j(0, k * a * st) : 1.0;
      const Complex right(0, ring * eta0_ohm / (2 * pi) * std::cos(pi / 2 * ct) / st);
      EXPECT_LT(std::abs(theta[d] - right), 1e-7 * eta0_ohm / (2 * pi));
      EXPECT_LT(std::abs(phi[d]), 1e-12);
    }
  }
}

/// Over perfect ground, a dipole h above it has the pattern of two: those upright in
/// phase, lying ones opposed (Balanis 2016, eqs. 4-99 and 4-116).
TEST(FarField, OverGroundIsThatOfTheArrayWithTheImage) {
  const double k = 2 * pi, h = 0.4;
  std::vector<Direction> directions;
  for (int t = 0; t < 9; ++t) directions.push_back({t * pi / 18, 0.5 * t});
  for (const bool upright : {true, false}) {
    const Vec3 along = upright ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
    const std::vector<Element> element = {{{0.1, 0, h}, along, 1e-4, 1e-6}};
    const std::vector<Complex> ends = {1, 1};
    std::vector<Complex> theta(9), phi(9), free_theta(9), free_phi(9);
    far_field(
        current_moments(element, ends, k, GreensKernel::exact, Medium::perfect_ground()),
        directions, k, theta, phi);
    far_field(
        current_moments(element, ends, k, GreensKernel::exact, Medium::free_space()),
        directions, k, free_theta, free_phi);
    for (std::size_t d = 0; d < directions.size(); ++d) {
      // Relative to the dipole's own phase, e^{j k h cos(theta)}.
      const double height =
          k * (h + (upright ? 0.5e-4 : 0)) * std::cos(directions[d].theta);
      const Complex image = std::polar(upright ? 1.0 : -1.0, -2 * height);
      const double size = 1e-12 * k * eta0_ohm * 1e-4;
      EXPECT_LT(std::abs(theta[d] - (1.0 + image) * free_theta[d]), size) << upright << d;
      EXPECT_LT(std::abs(phi[d] - (1.0 + image) * free_phi[d]), size) << upright << d;
    }
  }
}

}  // namespace
}  // namespace thinwire
