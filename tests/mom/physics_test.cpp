#include <cmath>

#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "mom/postprocess/radiation.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using test::broadside;
using test::dipole;
using test::options_for;
using test::relative_error;
using test::volt_on;

/// A lossless antenna with bends, a junction of three wires and a step in radius.
Problem bent_antenna() {
  Problem problem;
  problem.structure.add_wire(1, 9, {0, 0, 0}, {0, 0, 0.2}, 0.002);
  problem.structure.add_wire(2, 7, {0, 0, 0.2}, {0.15, 0, 0.2}, 0.002);
  problem.structure.add_wire(3, 7, {0, 0, 0.2}, {-0.1, 0.1, 0.25}, 0.001);
  problem.structure.add_wire(4, 7, {0, 0, 0}, {0.1, -0.15, -0.05}, 0.002);
  test::feed(problem, 4).patterns = {broadside()};
  return problem;
}

double power_error(const Problem& problem, const Options& options) {
  const FrequencyResult f = solve(problem, options).frequencies.at(0);
  return std::abs((f.radiated_power_w.value() + f.loss_power_w) / f.input_power_w - 1);
}

TEST(Physics, RadiatedPowerIsInputPower) {
  Problem straight = dipole(0.25, 0.005, 21);
  straight.runs[0].patterns = {broadside()};
  EXPECT_LT(power_error(straight, options_for(MeshChoice::as_given)), 1e-6);
  EXPECT_LT(power_error(straight, options_for(MeshChoice::graded)), 1e-6);
  EXPECT_LT(power_error(bent_antenna(), options_for(MeshChoice::as_given)), 1e-3);
  EXPECT_LT(power_error(bent_antenna(), options_for(MeshChoice::graded)), 1e-3);
}

/// Two dipoles that lie a little apart, far from the origin and high above the ground:
/// the pattern turns fast in elevation and slowly in azimuth.
TEST(Physics, RadiatedPowerIsInputPowerOfHighAntennas) {
  Problem high = dipole(0.25, 0.001, 21);
  high.structure.move(0, 0, {90, 0, 0}, {7, 3, 40}, 0);
  high.structure.add_wire(2, 21, {7.8, 2.75, 41}, {7.8, 3.25, 41}, 0.001);
  high.runs[0].ground = Ground::perfect;
  high.runs[0].patterns = {broadside()};
  EXPECT_LT(power_error(high, options_for(MeshChoice::graded)), 1e-6);
}

TEST(Physics, RadiatedPowerOfActiveLoadsIsWhatTheyAndTheSourceGive) {
  Problem active = dipole(0.25, 0.001, 11);
  active.structure.add_wire(2, 11, {0.3, 0, -0.25}, {0.3, 0, 0.25}, 0.001);
  Load load = {.kind = Load::Kind::impedance, .first = 5, .last = 5, .value = {-50}};
  active.runs[0].loads = {load};
  const FrequencyResult f =
      solve(active, options_for(MeshChoice::graded)).frequencies.at(0);
  EXPECT_LT(f.loss_power_w, 0);
  EXPECT_NEAR(f.radiated_power_w.value(), f.input_power_w - f.loss_power_w,
              1e-3 * f.input_power_w);
}

/// Where most power is heat, what is radiated is summed over all directions.
TEST(Physics, RadiatedPowerIsLeftOutOfStructuresOfTooManyWavelengths) {
  for (const double up_m : {100.0, 1e6, 1e9}) {
    Problem apart = dipole(0.25, 0.005, 5);
    apart.structure.add_wire(2, 5, {0, 0, up_m}, {0, 1, up_m}, 0.005);
    Load heater = {.kind = Load::Kind::impedance, .first = 0, .last = 9, .value = {1e4}};
    apart.runs[0].loads = {heater};
    apart.runs[0].sources = {volt_on(2), volt_on(7)};
    apart.runs[0].patterns = {broadside()};
    const Solution solution = solve(apart, options_for(MeshChoice::as_given));
    EXPECT_EQ(solution.frequencies.at(0).radiated_power_w.has_value(), up_m < 1e3);
  }
}

TEST(Physics, RadiatedPowerAndHeatAreInputPower) {
  Problem lossy = bent_antenna();
  Load wire = {.kind = Load::Kind::conductivity, .first = 0, .last = 29, .value = {1e4}};
  Load lumped = {
      .kind = Load::Kind::impedance, .first = 12, .last = 12, .value = {30, -20}};
  lossy.runs[0].loads = {wire, lumped};
  const FrequencyResult f =
      solve(lossy, options_for(MeshChoice::graded)).frequencies.at(0);
  EXPECT_GT(f.loss_power_w, 0.05 * f.input_power_w);
  EXPECT_LT(power_error(lossy, options_for(MeshChoice::graded)), 1e-3);
}

TEST(Physics, PortsOnDifferentWiresAreReciprocal) {
  Problem problem = dipole(0.25, 0.003, 11);
  problem.structure.add_wire(2, 9, {0.2, 0.1, 0.0}, {0.3, 0.3, 0.35}, 0.001);
  problem.structure.add_wire(3, 5, {0.3, 0.3, 0.35}, {0.5, 0.2, 0.3}, 0.002);
  problem.runs[0].sources = {volt_on(3), volt_on(14), volt_on(21)};
  Options options = options_for(MeshChoice::graded);
  options.port_matrix = true;
  const auto z = solve(problem, options).frequencies.at(0).port_impedance_ohm;
  ASSERT_EQ(z.size(), 9u);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j)
      EXPECT_LT(relative_error(z[3 * i + j], z[3 * j + i]), 1e-9);
}

TEST(Physics, MatrixIsSymmetricToRounding) {
  Options options = options_for(MeshChoice::as_given);
  options.save_matrix = true;
  const Solution s = solve(bent_antenna(), options);
  const std::size_t n = s.unknowns;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_EQ(s.impedance_matrix_ohm[i * n + j], s.impedance_matrix_ohm[j * n + i]);
}

TEST(Physics, PortMatrixAgreesWithSourcesDrivenTogether) {
  Problem problem = dipole(0.25, 0.003, 11);
  problem.structure.add_wire(2, 11, {0.3, 0, -0.25}, {0.3, 0, 0.25}, 0.003);
  problem.runs[0].sources = {volt_on(5, {1.0, 0.5}), volt_on(16, {-0.3, 0.2})};
  Options options = options_for(MeshChoice::as_given);
  options.port_matrix = true;
  const FrequencyResult f = solve(problem, options).frequencies.at(0);
  for (int i = 0; i < 2; ++i) {
    const Complex v = f.port_impedance_ohm[2 * i] * f.ports[0].current_a +
                      f.port_impedance_ohm[2 * i + 1] * f.ports[1].current_a;
    EXPECT_LT(relative_error(v, f.ports[i].voltage_v), 1e-10);
  }
}

/// A monopole on perfect ground is half of the dipole in free space, exactly.
TEST(Physics, MonopoleOnGroundIsHalfTheDipole) {
  for (const MeshChoice mesh : {MeshChoice::as_given, MeshChoice::graded}) {
    Problem whole = dipole(0.25, 0.004, 20, 2);
    Problem half;
    half.structure.add_wire(1, 10, {0, 0, 0}, {0, 0, 0.25}, 0.004);
    half.ground_contact = true;
    half.runs = {whole.runs[0]};
    half.runs[0].ground = Ground::perfect;
    half.runs[0].sources = {volt_on(0)};
    half.runs[0].patterns = {broadside()};
    whole.runs[0].patterns = {broadside()};
    const FrequencyResult w = solve(whole, options_for(mesh)).frequencies.at(0);
    const FrequencyResult h = solve(half, options_for(mesh)).frequencies.at(0);
    EXPECT_LT(relative_error(2.0 * h.ports[0].impedance_ohm, test::series_impedance(w)),
              1e-6);
    EXPECT_NEAR(h.patterns[0].gain_dbi[0],
                w.patterns[0].gain_dbi[0] + 10 * std::log10(2.0), 1e-4);
    EXPECT_NEAR(h.radiated_power_w.value() / h.input_power_w, 1, 1e-6);
  }
}

/// An antenna above ground is the antenna and its image with the opposite sources.
TEST(Physics, HorizontalDipoleOverGroundIsThePairWithItsImage) {
  Problem over, pair;
  for (Problem* p : {&over, &pair})
    p->structure.add_wire(1, 11, {-0.25, 0, 0.2}, {0.24, 0.05, 0.3}, 0.002);
  pair.structure.add_wire(2, 11, {-0.25, 0, -0.2}, {0.24, 0.05, -0.3}, 0.002);
  test::feed(pair, 5).sources.push_back(volt_on(16, -1.0));
  test::feed(over, 5).ground = Ground::perfect;
  const Options options = options_for(MeshChoice::graded);
  EXPECT_LT(relative_error(test::port_impedance(over, options),
                           test::port_impedance(pair, options)),
            1e-7);
}

TEST(Physics, LoadOnThePortSegmentAddsItsImpedance) {
  for (const MeshChoice mesh : {MeshChoice::as_given, MeshChoice::graded}) {
    Problem problem = dipole(0.25, 0.001, 21);
    const Complex bare = test::port_impedance(problem, options_for(mesh));
    Load load = {.first = 10, .last = 10, .value = {17, -33}};
    problem.runs[0].loads = {load};
    const Complex loaded = test::port_impedance(problem, options_for(mesh));
    EXPECT_LT(relative_error(loaded, bare + Complex(17, -33)), 1e-9);
  }
}

TEST(Physics, LoadsPerMetreGiveASegmentWhatItsLengthHolds) {
  // As nec2c 1.3, where `LD 3 1 1 21 0 0 1e-12` on 0.5 m gives to the last digit what
  // `LD 1 1 1 21 0 0 23.81e-15` gives.
  const double length = 0.5 / 21, value[] = {100, 1e-9, 1e-9};
  using Kind = Load::Kind;
  for (const auto& [per_metre, lumped] :
       {std::pair(Kind::series_rlc_per_metre, Kind::series_rlc),
        std::pair(Kind::parallel_rlc_per_metre, Kind::parallel_rlc)}) {
    const auto impedance = [&](Kind kind, double factor) {
      Problem problem = dipole(0.25, 0.001, 21);
      Load load = {.kind = kind, .last = 20};
      for (int i = 0; i < 3; ++i) load.value[i] = factor * value[i];
      problem.runs[0].loads = {load};
      return test::port_impedance(problem, options_for(MeshChoice::as_given));
    };
    // One is spread along the segment, the other acts through its mean current.
    EXPECT_LT(relative_error(impedance(per_metre, 1), impedance(lumped, length)), 0.02);
  }
}

TEST(Physics, TheAverageGainIsThatOfPowerGain) {
  Problem problem = dipole(0.25, 0.001, 21);
  Load load = {.kind = Load::Kind::impedance, .first = 10, .last = 10, .value = {50}};
  problem.runs[0].loads = {load};
  PatternRequest request = {.theta_count = 19,
                            .phi_count = 37,
                            .theta_step_deg = 10,
                            .phi_step_deg = 10,
                            .average = 1};
  problem.runs[0].patterns = {request, request};
  problem.runs[0].patterns[1].directive = true;
  const FrequencyResult f =
      solve(problem, options_for(MeshChoice::graded)).frequencies.at(0);
  // 10 degrees are too coarse by 0.1 %.
  const double efficiency = 1 - f.loss_power_w / f.input_power_w;
  EXPECT_NEAR(f.patterns[0].average_gain.value() / efficiency, 1, 2e-3);
  EXPECT_LT(efficiency, 0.7);
  // As nec2c: the pattern is directive, its average is not.
  EXPECT_EQ(f.patterns[1].average_gain, f.patterns[0].average_gain);
  EXPECT_NEAR(f.patterns[1].gain_dbi[9 * 37] - f.patterns[0].gain_dbi[9 * 37],
              -10 * std::log10(efficiency), 1e-9);
}

TEST(Physics, GainsAreFiniteWhereNoPowerGoesIn) {
  const Structure structure = dipole(0.25, 0.001, 11).structure;
  const Discretization antenna(structure, MeshOptions());
  const std::vector<Complex> coefficients(antenna.unknowns(), 1);
  const Radiation radiation(antenna, coefficients, test::one_metre_wave_hz,
                            GreensKernel::exact, Ground());
  PatternRequest whole = {.theta_count = 5,
                          .phi_count = 5,
                          .theta_step_deg = 45,
                          .phi_step_deg = 90,
                          .average = 1};
  for (const double input_w : {0.0, 1e-320}) {
    const PatternResult pattern = radiation.pattern(whole, input_w, 0);
    for (const double gain : pattern.gain_dbi) EXPECT_TRUE(std::isfinite(gain)) << gain;
    EXPECT_FALSE(pattern.average_gain.has_value());
  }
}

TEST(Physics, ShortDipoleHasTheTextbookRadiationResistance) {
  // 20 pi^2 (l / lambda)^2 for a triangular current (Balanis 2016, eq. 4-37 with half the
  // current).
  Problem problem = dipole(0.005, 1e-5, 21);
  const Complex z = test::port_impedance(problem, options_for(MeshChoice::graded));
  EXPECT_NEAR(z.real() / (20 * pi * pi * 0.01 * 0.01), 1.0, 0.05);
  EXPECT_LT(z.imag(), -1000);
}

TEST(Physics, SmallLoopHasTheTextbookImpedance) {
  // Loop of 36 sides, circumference 0.05 wavelengths: 31171 (S / lambda^2)^2 ohm (Balanis
  // 2016, eq. 5-24) and mu0 b (ln(8 b / a) - 2) (eq. 5-37a).
  const double b = 0.05 / (2 * pi), a = b / 100;
  Problem problem;
  problem.structure.add_arc(1, 36, b, 0, 360, a);
  test::feed(problem, 0);
  const Complex z = test::port_impedance(problem, options_for(MeshChoice::as_given));
  const double s = pi * b * b;
  EXPECT_NEAR(z.real() / (31171 * s * s), 1, 0.03);
  const double reactance =
      2 * pi * test::one_metre_wave_hz * mu0_h_per_m * b * (std::log(800) - 2);
  EXPECT_NEAR(z.imag() / reactance, 1, 0.03);
}

/// Energy and reciprocity are not enough at low frequency: charge must balance too.
TEST(Physics, CoupledSmallLoopAtLowFrequencyCarriesASaneCurrent) {
  Problem problem = dipole(0.005, 1e-4, 9);
  problem.structure.add_wire(2, 5, {0.002, 0, 0}, {0.004, 0, 0}, 1e-4);
  problem.structure.add_wire(3, 5, {0.004, 0, 0}, {0.004, 0, 0.002}, 1e-4);
  problem.structure.add_wire(4, 5, {0.004, 0, 0.002}, {0.002, 0, 0.002}, 1e-4);
  problem.structure.add_wire(5, 5, {0.002, 0, 0.002}, {0.002, 0, 0}, 1e-4);
  problem.runs[0].patterns = {broadside()};
  const FrequencyResult f =
      solve(problem, options_for(MeshChoice::graded)).frequencies.at(0);
  const double driven = std::abs(f.ports[0].current_a);
  for (std::size_t s = 9; s < 29; ++s)
    EXPECT_LT(std::abs(f.segment_current_a[s]), driven);
  EXPECT_LT(std::abs(f.radiated_power_w.value() / f.input_power_w - 1), 1e-3);
}

TEST(Physics, SolversAgree) {
  Problem problem = bent_antenna();
  Options options = options_for(MeshChoice::graded);
  options.tolerance = 1e-9;
  options.solver = SolverChoice::direct;
  const Complex right = test::port_impedance(problem, options);
  for (const SolverChoice solver :
       {SolverChoice::cg, SolverChoice::cocg, SolverChoice::cocr, SolverChoice::gmres})
    for (const PreconditionerChoice m :
         {PreconditionerChoice::none, PreconditionerChoice::block}) {
      options.solver = solver;
      options.preconditioner = m;
      options.max_iterations = 20000;
      const FrequencyResult f = solve(problem, options).frequencies.at(0);
      EXPECT_TRUE(f.solver.converged) << f.solver.name;
      EXPECT_LT(relative_error(f.ports[0].impedance_ohm, right), 1e-6) << f.solver.name;
    }
}

TEST(Physics, RunsThatShareAMatrixReportTheirOwnIterations) {
  Problem problem = dipole(0.25, 0.003, 11);
  problem.structure.add_wire(2, 11, {0.3, 0, -0.25}, {0.3, 0, 0.25}, 0.003);
  problem.runs.push_back(problem.runs[0]);
  Options options = options_for(MeshChoice::as_given);
  options.solver = SolverChoice::cocg;
  const Solution s = solve(problem, options);
  EXPECT_GT(s.frequencies.at(0).solver.iterations, 0);
  EXPECT_EQ(s.frequencies.at(0).solver.iterations, s.frequencies.at(1).solver.iterations);
  EXPECT_EQ(s.frequencies.at(0).ports[0].impedance_ohm,
            s.frequencies.at(1).ports[0].impedance_ohm);
}

TEST(Physics, RefusesWhatHasNoMeaning) {
  Problem below = dipole(0.25, 0.001, 21);
  below.runs[0].ground = Ground::perfect;
  EXPECT_THROW(solve(below, {}), Error);
  const Problem nothing;
  Problem one = dipole(0.2, 0.001, 1);
  EXPECT_THROW(solve(one, options_for(MeshChoice::as_given)), Error);
  EXPECT_THROW(solve(nothing, {}), Error);
  Options gpu;
  gpu.device = device_named("device", "cuda:7");
  EXPECT_THROW(solve(dipole(0.25, 0.001, 21), gpu), Error);
}

}  // namespace
}  // namespace thinwire
