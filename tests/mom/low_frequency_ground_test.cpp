// Antennas far smaller than the wavelength over grounds: what statics and the diffusion
// of fields into a conductor give.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kernels/ground/half_space.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

constexpr double side_m = 0.25, radius_m = 1e-3, sigma_s_per_m = 0.005;
const Ground soil = Ground::sommerfeld(13, sigma_s_per_m);

using Corners = std::array<Vec3, 4>;

/// A square of those corners, fed on its first side.
Problem loop_of(const Corners& corner, const Ground& ground) {
  Problem problem;
  for (int i = 0; i < 4; ++i)
    problem.structure.add_wire(i + 1, 9, corner[i], corner[(i + 1) % 4], radius_m);
  Run run;
  run.sources = {test::volt_on(4)};
  run.ground = ground;
  problem.runs = {run};
  return problem;
}

/// Lying, standing and leaning, their lowest points at that height.
Corners flat(double height_m) {
  return {Vec3{0, 0, height_m},
          {side_m, 0, height_m},
          {side_m, side_m, height_m},
          {0, side_m, height_m}};
}
Corners upright(double height_m) {
  return {Vec3{0, 0, height_m},
          {side_m, 0, height_m},
          {side_m, 0, height_m + side_m},
          {0, 0, height_m + side_m}};
}
Corners leaning(double height_m) {
  const double y = 0.6 * side_m, z = height_m + 0.8 * side_m;
  return {Vec3{0, 0, height_m}, {side_m, 0, height_m}, {side_m, y, z}, {0, y, z}};
}

double omega(double wavelengths) {
  return 2 * pi * wavelengths * speed_of_light_m_per_s;
}

/// Where a metre is so many wavelengths.
Complex impedance(Problem problem, double wavelengths, const Options& options = {}) {
  problem.runs[0].frequency_hz = {wavelengths * speed_of_light_m_per_s};
  return test::port_impedance(problem, options);
}

/// A ground far thinner than its skin depth is no obstacle to magnetic fields.
TEST(LowFrequencyGround, InductanceOfALoopIsThatInFreeSpace) {
  for (const Ground& ground : {soil, Ground::sommerfeld(13, 0)})
    for (const Corners& corners : {flat(0.05), upright(0.02), leaning(0.02)}) {
      const double free = impedance(loop_of(corners, Ground::none), 1e-5).imag();
      for (const double size : {1e-4, 1e-6})
        EXPECT_NEAR(impedance(loop_of(corners, ground), size).imag() / free, size / 1e-5,
                    1e-4 * size / 1e-5)
            << size << ' ' << ground.conductivity_s_per_m;
    }
}

/// Far above it, where the image is no longer near, it is not solved apart.
TEST(LowFrequencyGround, InductanceOfALoopHighAbove) {
  // The harmonics of charge at the bends would leave 6e-4 at the larger height.
  Options uniform;
  uniform.proximity = SwitchChoice::off;
  const double free = impedance(loop_of(flat(0), Ground::none), 1e-4, uniform).imag();
  for (const double height_m : {10.0, 1e4})
    EXPECT_NEAR(impedance(loop_of(flat(height_m), soil), 1e-4, uniform).imag() / free, 1,
                1e-4)
        << height_m;
}

/// Resistance of a loop due to currents in the ground, ohm, where the skin depth is
/// large: with (u1 - u2) / (u1 + u2) = k2^2 / (4 kr^2) and k2^2 = -j w mu0 sigma,
///   R = (w mu0)^2 sigma / (16 pi) times the integral of
///       (t_h . t_h' - t_z t_z') (zeta ln(R + zeta) - R)
/// around the loop twice, R from the image at zeta = z + z'.
double ground_resistance(const Corners& corner, double wavelengths) {
  constexpr int pieces = 200;
  std::vector<Vec3> at, along;
  for (int i = 0; i < 4; ++i)
    for (int n = 0; n < pieces; ++n) {
      const Vec3 whole = corner[(i + 1) % 4] - corner[i];
      at.push_back(corner[i] + ((n + 0.5) / pieces) * whole);
      along.push_back((1.0 / pieces) * whole);
    }
  double sum = 0;
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t j = 0; j < at.size(); ++j) {
      const double zeta = at[i].z + at[j].z,
                   r = std::hypot(at[i].x - at[j].x, at[i].y - at[j].y, zeta);
      sum +=
          (along[i].x * along[j].x + along[i].y * along[j].y - along[i].z * along[j].z) *
          (zeta * std::log(r + zeta) - r);
    }
  return std::pow(omega(wavelengths) * mu0_h_per_m, 2) * sigma_s_per_m / (16 * pi) * sum;
}

/// As k2 R grows there is less; at the first size 0.1 % of a metre's skin depth.
TEST(LowFrequencyGround, TakesPowerFromALoop) {
  for (const Corners& corners : {flat(0.05), upright(0.05), leaning(0.05)})
    for (const double size : {1e-4, 1e-5, 1e-6}) {
      const double expected = ground_resistance(corners, size);
      EXPECT_NEAR(impedance(loop_of(corners, soil), size).real() / expected, 1,
                  size == 1e-4 ? 0.02 : 0.01)
          << size;
    }
}

/// Copper loss, the largest at low frequencies: the resistance to direct current.
TEST(LowFrequencyGround, LossResistanceOfALoopIsKept) {
  const double direct = 4 * side_m / (5.8e7 * pi * radius_m * radius_m);
  Problem problem = loop_of(flat(0.05), soil);
  problem.runs[0].loads = {{Load::Kind::conductivity, 0, 35, {5.8e7, 0, 0}}};
  EXPECT_NEAR(impedance(problem, 1e-6).real() / direct, 1, 1e-4);
}

/// A vertical magnetic dipole and its image of the other sign:
/// R / R0 = 1 - 3 (sin x - x cos x) / x^3 -> x^2 / 10, x = 2 k h.
TEST(LowFrequencyGround, FlatLoopOverPerfectGroundRadiatesAsAQuadrupole) {
  constexpr double height_m = 2;
  for (const double size : {1e-4, 1e-5, 1e-6}) {
    const double k = 2 * pi * size;
    const double dipole_ohm =
        eta0_ohm * std::pow(k, 4) * std::pow(side_m * side_m, 2) / (6 * pi);
    const double expected = dipole_ohm * std::pow(2 * k * height_m, 2) / 10;
    EXPECT_NEAR(
        impedance(loop_of(flat(height_m), Ground::perfect), size).real() / expected, 1,
        0.01)
        << size;
  }
}

/// A horizontal dipole; charges have an image of -C0.
Problem dipole_over(const Ground& ground) {
  Problem problem;
  problem.structure.add_wire(1, 15, {-0.5, 0, 0.1}, {0.5, 0, 0.2}, radius_m);
  Run run;
  run.sources = {test::volt_on(7)};
  run.ground = ground;
  problem.runs = {run};
  return problem;
}

std::vector<Complex> matrix(const Ground& ground, double wavelengths) {
  Problem problem = dipole_over(ground);
  problem.runs[0].frequency_hz = {wavelengths * speed_of_light_m_per_s};
  Options options;
  options.save_matrix = true;
  return solve(problem, options).impedance_matrix_ohm;
}

/// Element matrices of what the ground adds are good to 1e-6, of which entries of Z are
/// differences.
TEST(LowFrequencyGround, ChargesHaveTheirStaticImage) {
  for (const double size : {1e-5, 1e-6}) {
    const auto free = matrix(Ground::none, size), perfect = matrix(Ground::perfect, size);
    const double k = 2 * pi * size;
    for (const Ground& ground : {soil, Ground::sommerfeld(4, 0)}) {
      const Complex c0 = image_strength(ground.permittivity(k));
      const auto over = matrix(ground, size);
      double largest = 0, error = 0;
      for (std::size_t i = 0; i < over.size(); ++i) {
        largest = std::max(largest, std::abs(perfect[i] - free[i]));
        error =
            std::max(error, std::abs(over[i] - free[i] - c0 * (perfect[i] - free[i])));
      }
      EXPECT_LT(error, 1e-5 * largest) << size;
    }
  }
}

TEST(LowFrequencyGround, CapacitanceOfADipole) {
  const auto farad = [](const Ground& ground, double size) {
    return -1 / (omega(size) * impedance(dipole_over(ground), size).imag());
  };
  const double over_conductor = farad(Ground::perfect, 1e-4);
  for (const double size : {1e-5, 1e-6})
    EXPECT_NEAR(farad(soil, size) / over_conductor, 1, 1e-5) << size;
  const double over_glass = farad(Ground::sommerfeld(4, 0), 1e-3);
  for (const double size : {1e-4, 1e-5, 1e-6})
    EXPECT_NEAR(farad(Ground::sommerfeld(4, 0), size) / over_glass, 1, 1e-5) << size;
}

/// X depends on C0 alone, and 1 - C0 = 2 / (eps + 1) goes over into 2 j w eps0 / sigma.
TEST(LowFrequencyGround, TakesPowerFromADipole) {
  for (const double size : {1e-5, 1e-6}) {
    constexpr double step = 1e-3;
    const double derivative =
        (impedance(dipole_over(Ground::sommerfeld(2 / step - 1, 0)), size).imag() -
         impedance(dipole_over(Ground::perfect), size).imag()) /
        step;
    const double expected = -derivative * 2 * omega(size) /
                            (eta0_ohm * speed_of_light_m_per_s * sigma_s_per_m);
    EXPECT_NEAR(impedance(dipole_over(soil), size).real() / expected, 1, 0.01) << size;
  }
}

}  // namespace
}  // namespace thinwire
