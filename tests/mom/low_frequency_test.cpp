// Antennas far smaller than the wavelength: static capacitance and inductance, and what
// resistance is left.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tests/mom/wire_antennas.h"

namespace thinwire::low_frequency_test {
namespace {

using test::dipole;

/// Impedance of the first port where the structure is 1 m long and so many wavelengths.
Complex impedance(Problem problem, double wavelengths, double conductivity = 0,
                  const Options& options = {}) {
  problem.runs[0].frequency_hz = {wavelengths * speed_of_light_m_per_s};
  if (conductivity > 0)
    problem.runs[0].loads = {{Load::Kind::conductivity,
                              0,
                              problem.structure.segments().size() - 1,
                              {conductivity, 0, 0}}};
  return test::port_impedance(problem, options);
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

/// A triangular current loses a third of the wire's resistance to direct current.
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

double henry(const Problem& problem, double size) {
  return impedance(problem, size).imag() / omega(size);
}

/// 2 mu0 s / pi (ln(s / a) - 0.77401) of a square with its current on the surface (Grover
/// 1946, chapter 8).
TEST(LowFrequency, InductanceOfALoop) {
  for (const double radius_m : {1e-3, 1e-5}) {
    const double static_h =
        2 * mu0_h_per_m * 0.25 / pi * (std::log(0.25 / radius_m) - 0.77401);
    for (const double size : {1e-3, 1e-6, 1e-9})
      EXPECT_NEAR(henry(square_loop(radius_m), size) / static_h, 1,
                  radius_m == 1e-3 ? 2e-3 : 2e-4)
          << size;
  }
}

/// It differs by terms of (k size)^2 only.
TEST(LowFrequency, InductanceOfALoopIsThatOfALargerOne) {
  const double at_rest = henry(square_loop(1e-3), 1e-3);
  for (const double size : {1e-4, 1e-5, 1e-6, 1e-7})
    EXPECT_NEAR(henry(square_loop(1e-3), size) / at_rest, 1, 5e-6) << size;
}

/// Where loops begin to be solved apart: at a hundredth of a wavelength from corner to
/// corner.
TEST(LowFrequency, InductanceOfALoopHasNoStep) {
  const double border = 1e-2 / (0.25 * std::sqrt(2.0));
  EXPECT_NEAR(henry(square_loop(1e-3), border * (1 - 1e-6)) /
                  henry(square_loop(1e-3), border * (1 + 1e-6)),
              1, 1e-6);
}

/// eta k^4 A^2 / (6 pi) of a magnetic dipole.
TEST(LowFrequency, RadiationResistanceOfALoopIsKept) {
  for (const double size : {1e-4, 1e-6, 1e-8}) {
    const double dipole_ohm =
        eta0_ohm * std::pow(2 * pi * size, 4) * std::pow(0.0625, 2) / (6 * pi);
    EXPECT_NEAR(impedance(square_loop(1e-3), size).real() / dipole_ohm, 1, 1e-5) << size;
  }
}

/// 3 x 3 cells of 0.1 m, fed in a corner: partial inductances of their sides, tubes and
/// filaments in closed form, in the nine loops of Kirchhoff's law, with uniform currents
/// around the wires in the corners.
TEST(LowFrequency, InductanceOfAGrid) {
  Problem problem;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) {
      problem.structure.add_wire(1, 3, {0.1 * i, 0.1 * j, 0}, {0.1 * i, 0.1 * (j + 1), 0},
                                 1e-5);
      problem.structure.add_wire(1, 3, {0.1 * j, 0.1 * i, 0}, {0.1 * (j + 1), 0.1 * i, 0},
                                 1e-5);
    }
  problem.runs.emplace_back();
  problem.runs[0].sources = {test::volt_on(1)};
  Options options;
  options.proximity = SwitchChoice::off;
  for (const double size : {1e-3, 1e-6})
    EXPECT_NEAR(
        impedance(problem, size, 0, options).imag() / omega(size) / 5.866725085849274e-07,
        1, 2e-6)
        << size;
}

/// Two squares one over the other, the second shorted: L - M^2 / L, with Neumann's
/// integral (Grover 1946, chapter 8).
TEST(LowFrequency, MutualInductanceOfTwoLoops) {
  const Problem alone = square_loop(1e-5);
  Problem both = alone;
  const double s = 0.25, d = 0.1;
  const Vec3 corner[] = {{0, 0, d}, {s, 0, d}, {s, s, d}, {0, s, d}};
  for (int side = 0; side < 4; ++side)
    both.structure.add_wire(side + 5, 9, corner[side], corner[(side + 1) % 4], 1e-5);
  const double near = std::sqrt(s * s + d * d), across = std::sqrt(2 * s * s + d * d);
  const double neumann_h =
      2 * mu0_h_per_m / pi *
      (s * std::log((s + near) / (s + across) * near / d) + across - 2 * near + d);
  for (const double size : {1e-4, 1e-6}) {
    const double self_h = henry(alone, size);
    const double mutual_h = std::sqrt(self_h * (self_h - henry(both, size)));
    EXPECT_NEAR(mutual_h / neumann_h, 1, 1e-5) << size;
  }
}

/// A dipole's own capacitance beside a loop, which charge moves on.
TEST(LowFrequency, CapacitanceOfADipoleBesideALoopIsKept) {
  Problem problem = dipole(0.5, 0.001, 21);
  const double s = 0.25, x = 0.05;
  const Vec3 corner[] = {{x, 0, 0}, {x, 0, s}, {x + s, 0, s}, {x + s, 0, 0}};
  for (int side = 0; side < 4; ++side)
    problem.structure.add_wire(side + 2, 9, corner[side], corner[(side + 1) % 4], 1e-3);
  const auto farad = [&](double size) {
    return -1 / (omega(size) * impedance(problem, size).imag());
  };
  // From where loops are not solved apart, but for the square of the frequency.
  const double reference = (4 * farad(1.1e-2) - farad(2.2e-2)) / 3;
  for (const double size : {1e-4, 1e-5, 1e-6})
    EXPECT_NEAR(farad(size) / reference, 1, 1e-5) << size;
}

/// Half a square that ends on perfect ground is half the whole one.
TEST(LowFrequency, LoopThroughPerfectGround) {
  const double s = 0.25;
  Problem half, whole;
  half.ground_contact = true;
  half.structure.add_wire(1, 9, {0, 0, 0}, {0, 0, s}, 1e-3);
  half.structure.add_wire(2, 9, {0, 0, s}, {s, 0, s}, 1e-3);
  half.structure.add_wire(3, 9, {s, 0, s}, {s, 0, 0}, 1e-3);
  half.runs.emplace_back();
  half.runs[0].sources = {test::volt_on(4)};
  half.runs[0].ground = Ground::perfect;
  whole.structure.add_wire(1, 18, {0, 0, -s}, {0, 0, s}, 1e-3);
  whole.structure.add_wire(2, 9, {0, 0, s}, {s, 0, s}, 1e-3);
  whole.structure.add_wire(3, 18, {s, 0, s}, {s, 0, -s}, 1e-3);
  whole.structure.add_wire(4, 9, {s, 0, -s}, {0, 0, -s}, 1e-3);
  whole.runs.emplace_back();
  whole.runs[0].sources = {test::volt_on(4), test::volt_on(13)};
  for (const double size : {1e-4, 1e-6})
    EXPECT_LT(test::relative_error(impedance(half, size), impedance(whole, size)), 1e-9)
        << size;
}

/// On the port's segment a load adds to its impedance, insulation is nothing.
TEST(LowFrequency, LoadsInALoop) {
  Problem problem = square_loop(1e-3);
  problem.runs[0].frequency_hz = {1e-6 * speed_of_light_m_per_s};
  const auto solved = [&] { return test::port_impedance(problem, Options{}); };
  const Complex bare = solved();
  problem.runs[0].loads = {{Load::Kind::insulation, 0, 35, {2.3, 0, 0.002}}};
  EXPECT_LT(test::relative_error(solved(), bare), 1e-9);
  problem.runs[0].loads = {{Load::Kind::impedance, 4, 4, {50, -7, 0}}};
  EXPECT_LT(test::relative_error(solved(), bare + Complex(50, -7)), 1e-9);
}

/// The current is the same everywhere: the wire's resistance to direct current, exactly.
TEST(LowFrequency, LossResistanceOfALoopIsKept) {
  const double direct = 1 / (5.8e7 * pi * 1e-6);
  for (const double size : {1e-7, 1e-9})
    EXPECT_NEAR(impedance(square_loop(1e-3), size, 5.8e7).real() / direct, 1, 1e-5)
        << size;
}

}  // namespace
}  // namespace thinwire::low_frequency_test
