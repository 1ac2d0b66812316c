#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/error.h"
#include "mom/plan/planner.h"
#include "tests/messages.h"
#include "tests/mom/operators/fft_structures.h"
#include "tests/mom/systems/two_level_cases.h"
#include "tests/vectors.h"

namespace thinwire {
namespace {

using test::box;
using test::fed;
using test::two_levels;
using test::WireGrid;

/// Solves by two levels, and compares all currents with those of the direct solver.
SolverReport expect_as_direct(const Problem& problem, const std::string& name) {
  SCOPED_TRACE(name);
  Options direct = test::options_for(MeshChoice::as_given);
  direct.device.kind = DeviceRequest::Kind::cpu;
  direct.solver = SolverChoice::direct;
  direct.operator_choice = OperatorChoice::dense;
  const Solution right = solve(problem, direct),
                 got = solve(problem, two_levels(OperatorChoice::dense));
  const FrequencyResult &a = got.frequencies[0], &b = right.frequencies[0];
  EXPECT_TRUE(a.solver.converged);
  EXPECT_GT(a.solver.coarse_functions, 0u);
  EXPECT_LT(testing::relative_difference(a.segment_current_a, b.segment_current_a), 1e-6);
  for (std::size_t p = 0; p < a.ports.size(); ++p)
    EXPECT_LT(test::relative_error(a.ports[p].impedance_ohm, b.ports[p].impedance_ohm),
              1e-6);
  return a.solver;
}

/// A sheet across the middle of another one, joined to it, and one on its edge.
Structure t_sheets() {
  WireGrid grid(0.1);
  grid.add_whip({2, 2, 0}, 0.25, 5, 0.003);
  grid.add_rectangle({0, 0, 0}, 0, 9, 1, 8);
  grid.add_rectangle({0, 4, 0}, 0, 9, 2, 4);
  grid.add_rectangle({9, 0, 0}, 1, 8, 2, 2);
  return std::move(grid.structure);
}

/// Two plates and a dipole that nothing joins.
Structure loose_parts() {
  WireGrid grid(0.1);
  grid.add_whip({3, 3, 0}, 0.25, 5, 0.003);
  grid.add_rectangle({0, 0, 0}, 0, 7, 1, 7);
  grid.add_rectangle({0, 0, -4}, 0, 7, 1, 7);
  grid.structure.add_wire(9001, 11, {0.3, 1.1, -0.2}, {0.3, 1.1, 0.27}, 0.002);
  return std::move(grid.structure);
}

/// Rings and bars with wide meshes, and a driven wire inside.
Structure cage() {
  Structure s;
  s.add_wire(1, 9, {0, 0, 0.3}, {0, 0, 0.75}, 0.002);
  int tag = 1;
  constexpr int bars = 12, rings = 6;
  const auto at = [](int bar, int ring) {
    const double angle = 2 * pi * bar / bars;
    return Vec3{0.4 * std::cos(angle), 0.4 * std::sin(angle), 0.2 * ring};
  };
  for (int b = 0; b < bars; ++b)
    for (int r = 0; r < rings; ++r) {
      s.add_wire(++tag, 2, at(b, r), at(b + 1, r), 0.004);
      if (r + 1 < rings) s.add_wire(++tag, 2, at(b, r), at(b, r + 1), 0.004);
    }
  return s;
}

/// A plate whose cells grow tenfold along it.
Structure graded_plate() {
  Structure s;
  s.add_wire(1, 5, {0, 0, 0}, {0, 0, 0.25}, 0.002);
  int tag = 1;
  std::vector<double> x = {0};
  for (int i = 0; i < 18; ++i) x.push_back(x.back() + 0.012 * std::pow(10.0, i / 17.0));
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int j = 0; j < 10; ++j) {
      const double y = 0.06 * j;
      s.add_wire(++tag, 1, {x[i], y, 0}, {x[i], y + 0.06, 0}, 0.0015);
      if (i + 1 < x.size()) s.add_wire(++tag, 1, {x[i], y, 0}, {x[i + 1], y, 0}, 0.0015);
    }
  return s;
}

TEST(TwoLevelSchwarz, SolvesAsTheDirectSolverDoes) {
  expect_as_direct(fed(test::plate(14, 0.1)), "plate");
  expect_as_direct(fed(box(8, 6, 5, 0.1)), "closed box");
  expect_as_direct(test::hull_with_ports(), "hull with ports");
  expect_as_direct(fed(t_sheets()), "T of sheets");
  expect_as_direct(fed(loose_parts()), "loose parts");
  expect_as_direct(fed(cage()), "cage");
  expect_as_direct(fed(graded_plate()), "cells from 1 to 10");
  expect_as_direct(fed(test::uneven(), 4), "wires of all lengths");
  expect_as_direct(fed(test::helices(8, 240), 7), "helices");
  {
    WireGrid grid(0.1);
    grid.add_whip({4, 4, 3}, 0.25, 5, 0.003);
    grid.add_rectangle({0, 0, 3}, 0, 9, 1, 9);
    // Legs on a perfect ground.
    for (const WireGrid::Node foot : {WireGrid::Node{0, 0, 0}, WireGrid::Node{9, 9, 0}})
      grid.structure.add_wire(9000 + foot[0], 3, grid.place(foot),
                              grid.place({foot[0], foot[1], 3}), 0.004);
    expect_as_direct(fed(std::move(grid.structure), 0, Ground::perfect),
                     "table over ground");
  }
}

TEST(TwoLevelSchwarz, SolvesByTheGridWithLoads) {
  const Problem problem = test::loaded_box();
  Options options = two_levels(OperatorChoice::fft);
  options.operator_tolerance = 1e-6;
  const FrequencyResult right = solve(problem, two_levels(OperatorChoice::dense))
                                    .frequencies[0],
                        got = solve(problem, options).frequencies[0];
  EXPECT_TRUE(got.solver.converged);
  EXPECT_EQ(got.solver.coarse_functions, right.solver.coarse_functions);
  EXPECT_NEAR(got.solver.iterations, right.solver.iterations, 2);
  EXPECT_LT(
      test::relative_error(got.ports[0].impedance_ohm, right.ports[0].impedance_ohm),
      1e-5);
}

// A closed box of 2 x 1 x 0.9 wavelengths, a resonator of some 15 modes.
TEST(TwoLevelSchwarz, TakesFewerIterationsInAClosedBox) {
  const Problem problem = fed(box(20, 10, 9, 0.1));
  Options options = two_levels(OperatorChoice::dense);
  options.boxes = {8, 1};
  options.tolerance = 1e-6;
  const int two = solve(problem, options).frequencies[0].solver.iterations;
  options.coarse = SwitchChoice::off;
  const FrequencyResult alone = solve(problem, options).frequencies[0];
  EXPECT_EQ(alone.solver.coarse_functions, 0u);
  EXPECT_LT(2 * two, alone.solver.iterations);
  RecordProperty("two levels", two);
  RecordProperty("boxes alone", alone.solver.iterations);
}

// Solutions of a sweep are those of its frequencies alone, in fewer iterations, also
// where loads change between two runs.
TEST(TwoLevelSchwarz, SweepsInFewerIterations) {
  Options options = two_levels(OperatorChoice::fft);
  options.boxes = {3, 1};
  options.tolerance = 1e-6;
  options.operator_tolerance = 1e-4;
  Problem problem = test::loaded_box();
  problem.runs[0].frequency_hz.clear();
  for (const double f : {1.0, 1.001, 1.002})
    problem.runs[0].frequency_hz.push_back(f * test::one_metre_wave_hz);
  problem.runs.push_back(problem.runs[0]);
  problem.runs[1].loads[0].value[0] = 5000;
  const Solution together = solve(problem, options);
  ASSERT_EQ(together.frequencies.size(), 6u);
  for (const std::size_t i : {2u, 3u}) {
    Problem alone = problem;
    alone.runs = {problem.runs[i / 3]};
    alone.runs[0].frequency_hz = {problem.runs[0].frequency_hz[i % 3]};
    const FrequencyResult expected = solve(alone, options).frequencies[0],
                          &got = together.frequencies[i];
    EXPECT_TRUE(got.solver.converged);
    EXPECT_LE(got.solver.relative_residual, options.tolerance);
    EXPECT_LT(
        test::relative_error(got.ports[0].impedance_ohm, expected.ports[0].impedance_ohm),
        1e-5);
    if (i == 2) {
      EXPECT_LE(2 * got.solver.iterations, expected.solver.iterations);
    } else {
      EXPECT_EQ(got.solver.iterations, expected.solver.iterations);
    }
    RecordProperty(std::to_string(i), std::to_string(got.solver.iterations) + " of " +
                                          std::to_string(expected.solver.iterations));
  }
}

std::string failure(const Problem& problem, const Options& options) {
  return test::error_message(ErrorKind::usage, [&] { (void)solve(problem, options); });
}

TEST(CoarseLevel, IsRefusedWhereThereIsNone) {
  const Problem problem = fed(test::plate(6, 0.1));
  Options options = two_levels(OperatorChoice::dense);
  options.device.kind = DeviceRequest::Kind::cuda;
  EXPECT_EQ(failure(problem, options),
            "--coarse on: there is no coarse level on a GPU that stores Z. Use --coarse "
            "auto.");
  options = two_levels(OperatorChoice::dense);
  options.preconditioner = PreconditionerChoice::automatic;
  options.boxes.reset();
  EXPECT_EQ(failure(problem, options),
            "--coarse: only --precond overlap has a coarse level (got --precond auto). "
            "Add --precond overlap, or leave --coarse out.");
  options = two_levels(OperatorChoice::dense);
  Structure small;
  small.add_wire(1, 3, {0, 0, 0}, {0, 0, 0.05}, 0.001);
  EXPECT_EQ(failure(fed(std::move(small)), options),
            "--coarse on: there is no coarse level where all wires are in one cluster. "
            "Use --coarse auto.");
}

TEST(CoarseLevel, IsPlannedForClosedHullsOfManyWavelengths) {
  const auto plan_of = [](Structure structure) {
    Options options = test::options_for(MeshChoice::as_given);
    options.device.kind = DeviceRequest::Kind::cpu;
    options.preconditioner = PreconditionerChoice::overlap;
    options.solver = SolverChoice::gmres;
    return plan(fed(std::move(structure)), options);
  };
  EXPECT_GT(plan_of(box(60, 20, 16, 0.1)).solver.coarse_functions, 1000u);
  EXPECT_EQ(plan_of(test::plate(12, 0.02)).solver.coarse_functions, 0u);
}

}  // namespace
}  // namespace thinwire
