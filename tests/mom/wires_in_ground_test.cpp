// Antennas with wires in the ground, solved: loads, sources, junctions and meshes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/mom/wire_antennas.h"

namespace thinwire::wires_in_ground_test {
namespace {

using test::options_for;
using test::relative_error;
using test::volt_on;

const Ground average_soil = Ground::sommerfeld(13, 0.005);

Problem in_ground(double frequency_hz, const Ground& ground, std::size_t fed) {
  Problem problem;
  test::feed(problem, fed, frequency_hz, ground);
  return problem;
}

/// A level dipole, its middle segment fed.
Problem buried_dipole(double frequency_hz, double length_m, double depth_m,
                      const Ground& ground = average_soil) {
  Problem problem = in_ground(frequency_hz, ground, 5);
  problem.structure.add_wire(1, 11, {-length_m / 2, 0, -depth_m},
                             {length_m / 2, 0, -depth_m}, 0.001);
  return problem;
}

/// A vertical fed at its foot, which stands on a rod.
Problem on_rod(double frequency_hz, double height_m, double rod_m,
               const Ground& ground = average_soil) {
  Problem problem = in_ground(frequency_hz, ground, 0);
  problem.structure.add_wire(1, 15, {0, 0, 0}, {0, 0, height_m}, 0.005);
  if (rod_m > 0) problem.structure.add_wire(2, 3, {0, 0, 0}, {0, 0, -rod_m}, 0.005);
  return problem;
}

Options on_cpu(MeshChoice mesh = MeshChoice::as_given, int refinement = 1) {
  Options options = options_for(mesh);
  options.device = {DeviceRequest::Kind::cpu, 0};
  options.refinement = refinement;
  // Wires in the ground are without the proximity effect.
  options.proximity = SwitchChoice::off;
  return options;
}

Complex impedance(const Problem& problem, const Options& options = on_cpu()) {
  return test::port_impedance(problem, options);
}

// A ground of air is no ground, wherever its surface cuts the antenna.
TEST(WiresInGround, InAirAreInFreeSpace) {
  for (const double z : {-0.17, -0.05, 0.03, 0.1}) {
    // Bent, tilted, with a junction; on the surface a segment ends in free space, too.
    const auto antenna = [&](const Ground& ground) {
      Problem problem = in_ground(test::one_metre_wave_hz, ground, 5);
      Structure& s = problem.structure;
      s.add_wire(1, 4, {0.02, 0, z - 0.11}, {0, 0, 0}, 0.002);
      s.add_wire(1, 5, {0, 0, 0}, {0.05, 0.03, z + 0.31}, 0.002);
      s.add_wire(2, 6, {0.02, 0, z - 0.11}, {0.2, 0.1, z - 0.15}, 0.001);
      s.add_wire(3, 6, {0.02, 0, z - 0.11}, {-0.1, -0.2, z - 0.11}, 0.001);
      return problem;
    };
    EXPECT_LT(relative_error(impedance(antenna(Ground::sommerfeld(1, 0))),
                             impedance(antenna(Ground::none))),
              1e-9)
        << z;
  }
}

TEST(WiresInGround, ASegmentThroughTheSurfaceIsFedAsTwoInSeries) {
  // Its port's current is the mean over both sides.
  Problem whole = in_ground(10e6, average_soil, 2);
  whole.structure.add_wire(1, 5, {0, 0, -1.25}, {0, 0, 1.25}, 0.005);
  Problem halves = in_ground(10e6, average_soil, 2);
  halves.structure.add_wire(1, 2, {0, 0, -1.25}, {0, 0, -0.25}, 0.005);
  halves.structure.add_wire(1, 1, {0, 0, -0.25}, {0, 0, 0}, 0.005);
  halves.structure.add_wire(1, 1, {0, 0, 0}, {0, 0, 0.25}, 0.005);
  halves.structure.add_wire(1, 2, {0, 0, 0.25}, {0, 0, 1.25}, 0.005);
  halves.runs[0].sources = {volt_on(2, 0.5), volt_on(3, 0.5)};
  const FrequencyResult two = solve(halves, on_cpu()).frequencies.at(0);
  EXPECT_LT(relative_error(impedance(whole), test::series_impedance(two)), 1e-10);
}

TEST(WiresInGround, ALoadBesideTheSourceAddsItsImpedance) {
  Problem problem = buried_dipole(5e6, 6, 0.3);
  const Complex bare = impedance(problem);
  problem.runs[0].loads = {{Load::Kind::impedance, 5, 5, {30, -40, 0}}};
  EXPECT_LT(relative_error(impedance(problem), bare + Complex(30, -40)), 1e-10);
}

TEST(WiresInGround, ASheathOfSoilChangesNothing) {
  Problem problem = buried_dipole(5e6, 6, 0.3);
  const Complex bare = impedance(problem);
  problem.runs[0].loads = {{Load::Kind::insulation, 0, 10, {13, 0.005, 0.01}}};
  EXPECT_LT(relative_error(impedance(problem), bare), 1e-10);
  problem.runs[0].loads = {{Load::Kind::insulation, 0, 10, {2.3, 0, 0.01}}};
  EXPECT_GT(relative_error(impedance(problem), bare), 0.1);
}

// Deep in a dense medium an insulated wire is a coaxial line with the soil as its outer
// conductor, k^2 = k_s^2 (1 + H0 / (k2 b H1 ln(b / a))), H of k2 b (King and Smith 1981,
// Antennas in Matter); for small k2 b, H0 / H1 / (k2 b) = ln(2 / (j k2 b)) - 0.5772.
TEST(WiresInGround, AnInsulatedOneIsACoaxialLine) {
  const double mhz = 1, a = 0.002, b = 0.01, eps_sheath = 2.3;
  const Ground sea = Ground::sommerfeld(81, 5);
  const double k0 = wavenumber_rad_per_m(mhz * 1e6);
  const Complex k2 = k0 * std::sqrt(sea.permittivity(k0));
  const Complex spread = std::log(2.0 / (Complex(0, 1) * k2 * b)) - 0.57722;
  const Complex right =
      k0 * std::sqrt(eps_sheath) * std::sqrt(1.0 + spread / std::log(b / a));
  Problem problem = in_ground(mhz * 1e6, sea, 20);
  problem.structure.add_wire(1, 600, {0, 0, -5}, {120, 0, -5}, a);
  problem.runs[0].loads = {{Load::Kind::insulation, 0, 599, {eps_sheath, 0, b}}};
  const std::vector<Complex> current =
      solve(problem, on_cpu()).frequencies.at(0).segment_current_a;
  // I(x + d) + I(x - d) = 2 cos(k d) I(x), away from the source and the end.
  const std::size_t at = 300, step = 150;
  const double d = 0.2 * static_cast<double>(step);
  const Complex k =
      std::acos(0.5 * (current[at + step] + current[at - step]) / current[at]) / d;
  EXPECT_NEAR(std::abs(k.real()) / right.real(), 1, 0.02);
  EXPECT_NEAR(std::abs(k.imag()) / std::abs(right.imag()), 1, 0.05);
}

TEST(WiresInGround, PortsAboveAndBelowAreReciprocal) {
  Problem problem = buried_dipole(5e6, 6, 0.3);
  problem.structure.add_wire(2, 7, {1, 2, 0.5}, {3, 4, 5}, 0.002);
  problem.structure.add_wire(3, 7, {-1, 1, -1}, {-1, 1, 2.1}, 0.002);
  problem.runs[0].sources = {volt_on(5), volt_on(14), volt_on(19)};
  Options options = on_cpu();
  options.port_matrix = true;
  const auto z = solve(problem, options).frequencies.at(0).port_impedance_ohm;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_LT(relative_error(z[3 * i + j], z[3 * j + i]), 1e-9);
}

// A line without length puts both segments' sources in parallel.
TEST(WiresInGround, ALineJoinsSegmentsAboveAndBelow) {
  Problem problem = buried_dipole(5e6, 6, 0.3);
  problem.structure.add_wire(2, 11, {-3, 0, 1}, {3, 0, 1}, 0.001);
  problem.runs[0].sources = {volt_on(5), volt_on(16)};
  const FrequencyResult both = solve(problem, on_cpu()).frequencies.at(0);
  problem.runs[0].sources = {volt_on(5)};
  problem.runs[0].networks = {{Network::Kind::line, {5, 16}, 50, 1e-9, false, 0, 0, 0}};
  const FrequencyResult joined = solve(problem, on_cpu()).frequencies.at(0);
  EXPECT_LT(relative_error(joined.ports.at(0).current_a,
                           both.ports.at(0).current_a + both.ports.at(1).current_a),
            1e-6);
}

// An ever shorter rod goes to an open end, and not to the contact of GE 1.
TEST(WiresInGround, AShortRodIsAnOpenEnd) {
  const Complex open = 1.0 / impedance(on_rod(7.1e6, 10.4, 0));
  Problem contact = on_rod(7.1e6, 10.4, 0);
  contact.ground_contact = true;
  const double far = std::abs(1.0 / impedance(contact) - open);
  double before = far;
  for (const double rod_m : {0.3, 0.03, 0.003}) {
    const double off = std::abs(1.0 / impedance(on_rod(7.1e6, 10.4, rod_m)) - open);
    EXPECT_LT(off, before) << rod_m;
    before = off;
  }
  EXPECT_LT(before, 0.02 * far);
}

// Where displacement does not count, Dwight's formula (1936, AIEE Transactions 55); the
// vertical itself radiates next to nothing.
TEST(WiresInGround, ARodHasItsStaticResistance) {
  for (const double rod_m : {0.5, 1.0, 3.0}) {
    const double right = (std::log(4 * rod_m / 0.005) - 1) / (2 * pi * rod_m * 0.005);
    const Complex z = impedance(on_rod(0.1e6, 60, rod_m), on_cpu(MeshChoice::graded));
    EXPECT_NEAR(z.real() / right, 1, 0.015) << rod_m;
  }
}

TEST(WiresInGround, DefaultMeshesAreConverged) {
  const auto change = [](const Problem& problem) {
    const Complex coarse = impedance(problem, on_cpu(MeshChoice::graded)),
                  fine = impedance(problem, on_cpu(MeshChoice::graded, 2));
    return relative_error(coarse, fine);
  };
  for (const double depth_m : {0.02, 1.0})
    EXPECT_LT(change(buried_dipole(5e6, 6, depth_m)), 0.005) << depth_m;
  for (const double rod_m : {0.5, 3.0})
    EXPECT_LT(change(on_rod(7.1e6, 10.4, rod_m)), 0.005) << rod_m;
}

}  // namespace
}  // namespace thinwire::wires_in_ground_test
