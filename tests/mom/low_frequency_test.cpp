// Antennas far smaller than the wavelength: static capacitance and inductance, and what
// resistance is left.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using test::dipole;

/// Impedance of the first port where the structure is 1 m long and so many wavelengths.
Complex impedance(Problem problem, double wavelengths, double conductivity = 0) {
  problem.runs[0].frequency_hz = {wavelengths * speed_of_light_m_per_s};
  if (conductivity > 0)
    problem.runs[0].loads = {{Load::Kind::conductivity,
                              0,
                              problem.structure.segments().size() - 1,
                              {conductivity, 0, 0}}};
  return solve(problem, Options{}).frequencies.at(0).ports.at(0).impedance_ohm;
}

double omega(double wavelengths) {
  return 2 * pi * wavelengths * speed_of_light_m_per_s;
}

/// Against itself at a thousandth of a wavelength, where k^2 is 1e-5 of anything.
TEST(LowFrequency, CapacitanceOfADipoleStaysToAMillionthOfAWavelength) {
  const Problem problem = dipole(0.5, 0.001, 21);
  const auto farad = [&](double size) {
    return -1 / (omega(size) * impedance(problem, size).imag());
  };
  const double reference = farad(1e-3);
  for (const double size : {1e-4, 1e-5, 1e-6})
    EXPECT_NEAR(farad(size) / reference, 1, 1e-5) << size;
}

/// Short dipole: 20 (pi L / wavelength)^2 ohm where the current is a triangle; its charge
/// crowds at the ends of a tube, so that it is a little more. It falls as the square.
TEST(LowFrequency, RadiationResistanceOfADipoleIsKept) {
  const Problem problem = dipole(0.5, 0.001, 21);
  for (const double size : {1e-3, 1e-5, 1e-6}) {
    const double ideal = 20 * std::pow(pi * size, 2);
    EXPECT_NEAR(impedance(problem, size).real() / ideal, 1.01, 0.02) << size;
  }
}

/// Of a triangular current a third of the wire's resistance to direct current.
TEST(LowFrequency, LossResistanceOfADipoleIsKept) {
  const Problem problem = dipole(0.5, 0.001, 21);
  const double direct = 1 / (5.8e7 * pi * 1e-6);
  EXPECT_NEAR(impedance(problem, 1e-6, 5.8e7).real() / (direct / 3), 1, 0.01);
}

Problem square_loop(double radius_m) {
  Problem problem;
  const double s = 0.25;
  const Vec3 corner[] = {{0, 0, 0}, {s, 0, 0}, {s, s, 0}, {0, s, 0}};
  for (int side = 0; side < 4; ++side)
    problem.structure.add_wire(side + 1, 9, corner[side], corner[(side + 1) % 4],
                               radius_m);
  Run fed;
  fed.sources = {test::volt_on(4)};
  problem.runs.push_back(fed);
  return problem;
}

/// 2 mu0 s / pi (ln(s / a) - 0.77401) of a square with its current on the surface (Grover
/// 1946, chapter 8).
TEST(LowFrequency, InductanceOfALoop) {
  for (const double radius_m : {1e-3, 1e-5}) {
    const double static_h =
        2 * mu0_h_per_m * 0.25 / pi * (std::log(0.25 / radius_m) - 0.77401);
    for (const double size : {1e-3, 1e-4}) {
      const double henry = impedance(square_loop(radius_m), size).imag() / omega(size);
      EXPECT_NEAR(henry / static_h, 1, radius_m == 1e-3 ? 2e-3 : 2e-4) << size;
    }
  }
}

/// The current is the same everywhere: the wire's resistance to direct current, exactly.
TEST(LowFrequency, LossResistanceOfALoopIsKept) {
  const double direct = 1 / (5.8e7 * pi * 1e-6);
  for (const double size : {1e-6, 1e-7})
    EXPECT_NEAR(impedance(square_loop(1e-3), size, 5.8e7).real() / direct, 1, 1e-3)
        << size;
}

}  // namespace
}  // namespace thinwire
