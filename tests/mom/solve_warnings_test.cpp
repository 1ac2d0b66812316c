#include <algorithm>

#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "tests/mom/wire_antennas.h"
#include "tests/mom/wire_grids.h"

namespace thinwire::test::solve_warnings_test {
namespace {

/// The lines of all warnings of a solve on the CPU.
std::string warned(const Problem& problem, SolverChoice solver = SolverChoice::automatic,
                   OperatorChoice operator_choice = OperatorChoice::automatic) {
  Options options = options_for(MeshChoice::graded);
  options.device = device_named("device", "cpu");
  options.solver = solver;
  options.operator_choice = operator_choice;
  std::string lines;
  for (const std::string& line : solve(problem, options).warnings) lines += line + "\n";
  return lines;
}

Problem loaded_dipole(double ohm) {
  Problem problem = dipole(0.25, 0.001, 21);
  Load load;
  load.first = load.last = 4;
  load.value[0] = ohm;
  problem.runs[0].loads = {load};
  return problem;
}

/// A square loop so many wavelengths around whose sides a line of no length connects: it
/// is a capacitor for the source, beside which the loop's own current is huge.
Problem loop_with_line(double around) {
  Problem problem;
  const double s = 0.25 * around;
  const Vec3 corner[] = {{0, 0, 0}, {s, 0, 0}, {s, 0, s}, {0, 0, s}};
  for (int i = 0; i < 4; ++i)
    problem.structure.add_wire(1 + i, 5, corner[i], corner[(i + 1) % 4], s / 2000);
  Network line;
  line.segment[0] = 7;
  line.segment[1] = 17;
  line.impedance_ohm = 50;
  line.length_m = s;
  feed(problem, 2).networks = {line};
  return problem;
}

TEST(SolveWarnings, CurrentsOfAntennaAndNetworkThatCancel) {
  const std::string line = "tag 1 segment 3: currents of antenna and networks cancel";
  const Options options = options_for(MeshChoice::graded);
  const double large = port_impedance(loop_with_line(1e-4), options).imag();
  for (const double around : {1e-4, 1e-6, 1e-8, 1e-9, 1e-10}) {
    const Problem problem = loop_with_line(around);
    const double x = port_impedance(problem, options).imag();
    // A capacitance in proportion to the size.
    if (warned(problem).find(line) == std::string::npos)
      EXPECT_NEAR(x * around, large * 1e-4, 2e-3 * std::abs(large * 1e-4)) << around;
    else
      EXPECT_LT(around, 1e-7);
  }
  EXPECT_NE(warned(loop_with_line(1e-9)).find(line), std::string::npos);
}

TEST(SolveWarnings, AnImpedanceThatHasNotSettled) {
  Problem problem = fed(plate(6, 0.1));
  problem.runs[0].sources[0].voltage_v = {3, 4};
  const auto solved = [&](SolverChoice solver, double tolerance) {
    Options options = options_for(MeshChoice::as_given);
    options.device = device_named("device", "cpu");
    options.solver = solver;
    options.preconditioner = PreconditionerChoice::none;
    options.tolerance = tolerance;
    return solve(problem, options);
  };
  const auto warns = [](const Solution& solution) {
    return std::ranges::any_of(solution.warnings, [](const std::string& line) {
      return line.find("the impedance of the port still changed") != std::string::npos;
    });
  };
  const Complex right =
      solved(SolverChoice::direct, 1e-6).frequencies[0].ports[0].impedance_ohm;
  for (const SolverChoice solver :
       {SolverChoice::cg, SolverChoice::cocg, SolverChoice::cocr, SolverChoice::gmres}) {
    EXPECT_TRUE(warns(solved(solver, 0.2))) << name_of(solver);
    const Solution solution = solved(solver, 1e-7);
    EXPECT_FALSE(warns(solution)) << name_of(solver);
    const SolverReport& report = solution.frequencies[0].solver;
    ASSERT_EQ(report.impedance_history_ohm.size(), report.residual_history.size());
    EXPECT_LT(std::abs(report.impedance_history_ohm.back() / right - 1.0), 1e-5);
    EXPECT_GT(std::abs(report.impedance_history_ohm[1] / right - 1.0), 0.1);
  }
}

TEST(SolveWarnings, ALoadThatSwampsTheMatrixIsNamed) {
  EXPECT_EQ(warned(loaded_dipole(1e9)), "");
  for (const SolverChoice solver : {SolverChoice::direct, SolverChoice::cocg}) {
    const std::string lines = warned(loaded_dipole(1e15), solver);
    EXPECT_TRUE(lines.starts_with("load on tag 1 segment 5 is 1e+15 ohm at 299.792 MHz"))
        << lines;
    // Not also a hint at overlapping wires, which has nothing to do with it.
    EXPECT_EQ(lines.find("nearly singular"), std::string::npos) << lines;
  }
}

TEST(SolveWarnings, ALoadPerMetreIsNamedToo) {
  Problem problem = loaded_dipole(1e15);
  problem.runs[0].loads[0].kind = Load::Kind::series_rlc_per_metre;
  EXPECT_TRUE(warned(problem).starts_with("load on tag 1 segment 5 is "));
}

TEST(SolveWarnings, AParallelCircuitAtItsResonanceIsNoShort) {
  // 1 / (j w L) + j w C cancels to nothing: an infinite impedance, which was taken for
  // none.
  Problem problem = dipole(0.25, 0.001, 21);
  Load trap = {.kind = Load::Kind::parallel_rlc, .first = 4, .last = 4};
  const double omega = 2 * pi * one_metre_wave_hz;
  trap.value[1] = 1 / omega;
  trap.value[2] = 1 / omega;
  problem.runs[0].loads = {trap};
  bool refused = false;
  std::string lines;
  try {
    lines = warned(problem);
  } catch (const Error& error) {
    refused = std::string(error.what()).find("not finite") != std::string::npos;
  }
  EXPECT_TRUE(refused || lines.starts_with("load on tag 1 segment 5 is")) << lines;
}

/// One volt in a side of a square loop with sides of 1 m.
Problem square_loop(double frequency_hz) {
  Problem problem;
  const Vec3 corner[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  for (int side = 0; side < 4; ++side)
    problem.structure.add_wire(1 + side, 5, corner[side], corner[(side + 1) % 4], 0.001);
  feed(problem, 2, frequency_hz);
  return problem;
}

TEST(SolveWarnings, AResistanceLostBesideTheReactanceIsSaid) {
  const std::string lost = "is dominated by rounding: the frequency is too low";
  Problem short_dipole = dipole(0.5, 0.001, 11);
  short_dipole.runs[0].frequency_hz = {1, 2};
  const std::string lines = warned(short_dipole);
  EXPECT_NE(lines.find("tag 1 segment 6: the resistance at 1e-06 MHz"), std::string::npos)
      << lines;
  EXPECT_EQ(lines.find(lost), lines.rfind(lost)) << "once is enough";
  short_dipole.runs[0].frequency_hz = {1e3};
  EXPECT_EQ(warned(short_dipole), "");
  EXPECT_NE(
      warned(square_loop(1e4), SolverChoice::automatic, OperatorChoice::fft).find(lost),
      std::string::npos);
  // Solved apart, loops lose nothing.
  EXPECT_EQ(warned(square_loop(1e4)), "");
  EXPECT_EQ(warned(square_loop(1e4), SolverChoice::cocg), "");
  EXPECT_EQ(warned(square_loop(1e5)).find(lost), std::string::npos);
}

TEST(SolveWarnings, WiresTooThickForAnyThinWireMethodAreRefused) {
  // k a = 2 pi 0.32 = 2.01 at one metre.
  Problem problem = dipole(1, 0.32, 41);
  try {
    solve(problem, options_for(MeshChoice::graded));
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::geometry);
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("geometry: tag 1 segment 1 is 2.01 wavelengths around "
                                 "at 299.792 MHz (limit 2)"))
        << error.what();
  }
  problem.runs[0].frequency_hz = {0.99 * one_metre_wave_hz};
  EXPECT_NO_THROW(solve(problem, options_for(MeshChoice::graded)));
}

TEST(SolveWarnings, ThePowerBalanceIsThereWithoutAPattern) {
  const FrequencyResult f =
      solve(dipole(0.25, 0.001, 21), options_for(MeshChoice::graded)).frequencies.at(0);
  ASSERT_TRUE(f.radiated_power_w.has_value());
  EXPECT_NEAR(*f.radiated_power_w / f.input_power_w, 1, 1e-7);
  // k a = 1.9: the far field has J0 of the whole circumference.
  const FrequencyResult thick =
      solve(dipole(1, 0.3, 41), options_for(MeshChoice::graded)).frequencies.at(0);
  ASSERT_TRUE(thick.radiated_power_w.has_value());
  EXPECT_NEAR(*thick.radiated_power_w / thick.input_power_w, 1, 1e-5);
}

TEST(SolveWarnings, PowersThatDoNotBalanceAreSaid) {
  // The resistance of a loop of 1.3e-5 wavelengths is rounding, of either sign, but
  // where loops are solved apart.
  EXPECT_EQ(warned(square_loop(1e3)), "");
  const std::string tiny =
      warned(square_loop(1e3), SolverChoice::automatic, OperatorChoice::fft);
  EXPECT_TRUE(tiny.find("power balance") != std::string::npos ||
              tiny.find("is negative") != std::string::npos)
      << tiny;
}

TEST(SolveWarnings, SmallResistancesAreRightWhereNothingIsSaid) {
  // 20 pi^2 (l / lambda)^2 and 20 (k a)^4 (pi a)^2 / a^4: short dipole, small loop of
  // area 1 m^2 (Balanis 2016, eqs. 4-37 and 5-24).
  Options options = options_for(MeshChoice::graded);
  options.device = device_named("device", "cpu");
  const double dipole_k = wavenumber_rad_per_m(1e3), loop_k = wavenumber_rad_per_m(1e5);
  Problem short_dipole = dipole(0.5, 0.001, 11);
  short_dipole.runs[0].frequency_hz = {1e3};
  const double r = port_impedance(short_dipole, options).real();
  // The current is not quite triangular at this thickness.
  EXPECT_NEAR(r / (5 * dipole_k * dipole_k), 1, 0.15);
  const double loop = port_impedance(square_loop(1e5), options).real();
  EXPECT_NEAR(loop / (20 * std::pow(loop_k, 4)), 1, 0.01);
}

}  // namespace
}  // namespace thinwire::test::solve_warnings_test
