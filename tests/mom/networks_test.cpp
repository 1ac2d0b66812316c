// Networks between segments of real antennas.
#include <cmath>

#include <gtest/gtest.h>

#include "mom/postprocess/power.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using test::options_for;
using test::relative_error;
using test::volt_on;

Network line_between(std::size_t one, std::size_t two, double impedance_ohm,
                     double length_m) {
  Network line;
  line.segment[0] = one;
  line.segment[1] = two;
  line.impedance_ohm = impedance_ohm;
  line.length_m = length_m;
  return line;
}

/// Two dipoles of 11 segments, not alike, 0.3 wavelengths apart; centres 5 and 16.
Problem pair_of_dipoles() {
  Problem problem = test::dipole(0.24, 0.002, 11);
  problem.structure.add_wire(2, 11, {0.3, 0, -0.21}, {0.3, 0.02, 0.22}, 0.001);
  return problem;
}

FrequencyResult solved(const Problem& problem, const Options& options) {
  return solve(problem, options).frequencies.at(0);
}

TEST(Networks, LineIsTheClosedFormOfThePortsOwnZ) {
  Problem ports = pair_of_dipoles();
  ports.runs[0].sources = {volt_on(5), volt_on(16)};
  Options options = options_for(MeshChoice::graded);
  options.port_matrix = true;
  const std::vector<Complex> z = solved(ports, options).port_impedance_ohm;
  const Complex det = z[0] * z[3] - z[1] * z[2];
  const Complex a = z[3] / det, b = -z[1] / det, d = z[0] / det;  // admittances

  // The metre is the wavelength, half waves included.
  for (const double length_m : {0.07, 0.25, 0.5, 0.8, 1.0, 1.37}) {
    Problem joined = ports;
    joined.runs[0].sources.pop_back();
    joined.runs[0].networks = {line_between(5, 16, 75, length_m)};
    const double kl = 2 * pi * length_m;
    Complex draws;
    if (length_m == 0.5 || length_m == 1.0) {
      draws = a + (length_m == 0.5 ? -2.0 : 2.0) * b + d;
    } else {
      const Complex y11(0, -1 / (75 * std::tan(kl))), y12(0, 1 / (75 * std::sin(kl)));
      draws = a + y11 - (b + y12) * (b + y12) / (d + y11);
    }
    const FrequencyResult result = solved(joined, options_for(MeshChoice::graded));
    EXPECT_LT(relative_error(result.ports.at(0).impedance_ohm, 1.0 / draws), 1e-10)
        << length_m;
  }
}

TEST(Networks, RadiatedPowerAndAllLossesAreInputPower) {
  Problem problem = pair_of_dipoles();
  Network line = line_between(5, 16, 50, 0.31);
  line.crossed = true;
  line.y11_s = {1e-3, 2e-3};
  line.y22_s = {4e-3, -1e-3};
  problem.runs[0].networks = {line};
  Load load = {.first = 16, .last = 16, .value = {20}};
  problem.runs[0].loads = {load};
  problem.runs[0].patterns = {test::broadside()};
  const FrequencyResult result = solved(problem, options_for(MeshChoice::graded));
  EXPECT_GT(result.network_loss_w, 0.05 * result.input_power_w);
  EXPECT_GT(result.loss_power_w, 0.01 * result.input_power_w);
  EXPECT_NEAR(power_balance(result).value(), 1, 1e-3);
  // The connection without a source comes first.
  ASSERT_EQ(result.network_ports.size(), 2u);
  EXPECT_EQ(result.network_ports[0].tag, 2);
  EXPECT_EQ(result.network_ports[1].tag, 1);
  // Source's power: what the antenna takes at both connections, and the networks.
  EXPECT_NEAR(result.input_power_w,
              result.network_ports[0].power_w + result.network_ports[1].power_w +
                  result.network_loss_w,
              1e-12 * result.input_power_w);
}

TEST(Networks, IterativeSolversAndTheDirectOneAgree) {
  Problem problem = pair_of_dipoles();
  problem.runs[0].networks = {line_between(5, 16, 50, 0.31)};
  Options options = options_for(MeshChoice::as_given);
  const Complex right = solved(problem, options).ports.at(0).impedance_ohm;
  options.solver = SolverChoice::cocg;
  options.tolerance = 1e-9;
  const FrequencyResult result = solved(problem, options);
  EXPECT_EQ(result.solver.name, "cocg");
  EXPECT_LT(relative_error(result.ports.at(0).impedance_ohm, right), 1e-7);
}

TEST(Networks, OperatorsWithoutAMatrixTakeThem) {
  Problem problem;
  for (int i = 0; i < 4; ++i)
    problem.structure.add_wire(1 + i, 7, {0.4 * i, 0, -0.24}, {0.4 * i, 0, 0.24}, 0.002);
  thinwire::Run& run = test::feed(problem, 3);
  for (std::size_t i = 0; i < 3; ++i)
    run.networks.push_back(line_between(3 + 7 * i, 10 + 7 * i, 100, 0.4));
  Options options = options_for(MeshChoice::as_given);
  const Complex right = solved(problem, options).ports.at(0).impedance_ohm;
  options.operator_choice = OperatorChoice::toeplitz;
  options.tolerance = 1e-9;
  const FrequencyResult result = solved(problem, options);
  EXPECT_EQ(result.solver.operator_name, "toeplitz");
  EXPECT_LT(relative_error(result.ports.at(0).impedance_ohm, right), 1e-6);
}

/// A current source on a segment or at its start against EX 0 on a speck of wire far away
/// and NT with Y12 = j, as 4nec2 writes EX 6: the fed segment carries -j V.
void expect_gyrators_current(Gap gap) {
  Problem gyrator = test::dipole(0.24, 0.002, 11);
  gyrator.structure.add_wire(9901, 1, {-1.2e-4, 0, 9901}, {1.2e-4, 0, 9901}, 6e-6);
  Network network = {.kind = Network::Kind::admittance,
                     .segment = {11, 5},
                     .y12_s = {0, 1},
                     .gap = {Gap::segment, gap}};
  const Complex wanted_a(2, 0.5);
  gyrator.runs[0].sources = {volt_on(11, Complex(0, 1) * wanted_a)};
  gyrator.runs[0].networks = {network};
  gyrator.runs[0].patterns = {test::broadside()};
  const FrequencyResult with_gyrator = solved(gyrator, options_for(MeshChoice::graded));

  Problem current = test::dipole(0.24, 0.002, 11);
  current.runs[0].sources[0].current_a = wanted_a;
  current.runs[0].sources[0].gap = gap;
  current.runs[0].patterns = {test::broadside()};
  const FrequencyResult with_source = solved(current, options_for(MeshChoice::graded));
  EXPECT_EQ(with_source.ports.at(0).current_a, wanted_a);
  EXPECT_LT(relative_error(with_gyrator.network_ports.at(0).current_a, wanted_a), 1e-12);
  EXPECT_LT(relative_error(with_gyrator.network_ports.at(0).impedance_ohm,
                           with_source.ports.at(0).impedance_ohm),
            1e-12);
  EXPECT_NEAR(with_gyrator.input_power_w, with_source.input_power_w,
              1e-12 * with_source.input_power_w);
  EXPECT_NEAR(with_gyrator.patterns.at(0).gain_dbi.at(0),
              with_source.patterns.at(0).gain_dbi.at(0), 1e-9);
  EXPECT_NEAR(power_balance(with_gyrator).value(), 1, 1e-6);

  // And the same impedance as a voltage finds.
  current.runs[0].sources = {volt_on(5)};
  current.runs[0].sources[0].gap = gap;
  const FrequencyResult fed = solved(current, options_for(MeshChoice::graded));
  EXPECT_LT(relative_error(with_source.ports.at(0).impedance_ohm,
                           fed.ports.at(0).impedance_ohm),
            1e-12);
}

TEST(Networks, GyratorMakesTheCurrentSourceOf4nec2) {
  for (const Gap gap : {Gap::segment, Gap::start}) expect_gyrators_current(gap);
}

TEST(Networks, GapAtTheFootOfAMonopoleIsHalfADipole) {
  // A gap between ground and wire; the dipole has it between its halves, twice as wide.
  Problem dipole = test::dipole(0.25, 0.002, 20);
  dipole.runs[0].sources[0].gap = Gap::start;
  dipole.runs[0].sources[0].segment = 10;
  Problem monopole;
  monopole.structure.add_wire(1, 10, {0, 0, 0}, {0, 0, 0.25}, 0.002);
  monopole.ground_contact = true;
  monopole.ground_plane = 1;
  monopole.runs = dipole.runs;
  monopole.runs[0].sources[0].segment = 0;
  monopole.runs[0].ground = Ground::perfect;
  const Options options = options_for(MeshChoice::as_given);
  EXPECT_LT(relative_error(2.0 * solved(monopole, options).ports.at(0).impedance_ohm,
                           solved(dipole, options).ports.at(0).impedance_ohm),
            1e-7);
}

}  // namespace
}  // namespace thinwire
