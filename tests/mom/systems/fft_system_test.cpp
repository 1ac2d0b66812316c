#include <cmath>

#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "mom/plan/planner.h"
#include "mom/solve.h"
#include "tests/mom/operators/fft_structures.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::fft_system_test {
namespace {

Problem loaded_dipoles(Ground ground) {
  Problem problem;
  problem.structure = test::array(3, 3, 0.3);
  thinwire::Run& run = test::feed(problem, 10, test::one_metre_wave_hz, ground);
  run.frequency_hz = {test::one_metre_wave_hz, 0.9 * test::one_metre_wave_hz};
  Load load = {.kind = Load::Kind::impedance, .first = 31, .last = 31, .value = {30, 40}};
  run.loads.push_back(load);
  return problem;
}

Options by(OperatorChoice choice) {
  Options options = test::options_for(MeshChoice::as_given);
  options.operator_choice = choice;
  options.operator_tolerance = 1e-4;
  options.device.kind = DeviceRequest::Kind::cpu;
  options.tolerance = 1e-9;
  return options;
}

TEST(FftSystem, SolvesAsTheDenseMatrixDoes) {
  for (const Ground ground : {Ground::none, Ground::perfect}) {
    const Problem problem = loaded_dipoles(ground);
    const Solution dense = solve(problem, by(OperatorChoice::dense)),
                   fft = solve(problem, by(OperatorChoice::fft));
    ASSERT_EQ(fft.frequencies.size(), 2u);
    for (std::size_t f = 0; f < 2; ++f) {
      EXPECT_EQ(fft.frequencies[f].solver.operator_name, "fft");
      const double error =
          test::relative_error(test::series_impedance(fft.frequencies[f]),
                               test::series_impedance(dense.frequencies[f]));
      EXPECT_LT(error, 3e-4);  // a resonant array: docs/theory/operators-fft.md
      ASSERT_TRUE(fft.frequencies[f].solver.operator_error.has_value());
      EXPECT_NEAR(*fft.frequencies[f].solver.operator_error, error, 0.1 * error);
    }
  }
}

TEST(FftSystem, PlansWhatItWillDo) {
  const Plan plan = thinwire::plan(loaded_dipoles(Ground::none), by(OperatorChoice::fft));
  EXPECT_EQ(plan.solver.operator_choice, OperatorChoice::fft);
  ASSERT_TRUE(plan.grid.has_value());
  EXPECT_EQ(plan.grid->channels, 2u);  // all along z
  EXPECT_GT(plan.grid->bytes, 16.0 * static_cast<double>(plan.grid->grid.box_nodes()));
}

TEST(FftSystem, TakesOverlappingBlocksWhereAntennasAreTooManyForTwoLevels) {
  const auto plan_of = [](int antennas) {
    Problem problem;
    for (int i = 0; i < antennas; ++i) {
      const double x = i % 64 + 0.1 * std::sin(i), y = i / 64 + 0.1 * std::cos(3 * i);
      problem.structure.add_wire(1 + i, 3, {x, y, -0.25}, {x, y, 0.25}, 0.001);
    }
    test::feed(problem, 1);
    return thinwire::plan(problem, by(OperatorChoice::fft));
  };
  const Plan few = plan_of(500), many = plan_of(4100);
  EXPECT_EQ(few.solver.solver, SolverChoice::cocg);
  EXPECT_EQ(few.solver.preconditioner, PreconditionerChoice::two_level);
  EXPECT_EQ(many.solver.solver, SolverChoice::gmres);
  EXPECT_EQ(many.solver.preconditioner, PreconditionerChoice::overlap);
  EXPECT_LT(many.predicted_iterations(), 300);
}

void expect_refused(const Options& options, const std::string& way_out) {
  try {
    (void)solve(loaded_dipoles(Ground::none), options);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    const std::string text = error.what();
    EXPECT_NE(text.find("fft"), std::string::npos) << text;
    EXPECT_NE(text.find(way_out), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(FftSystem, RefusesWhatNeedsTheWholeMatrixAndTheReducedKernel) {
  Options options = by(OperatorChoice::fft);
  options.solver = SolverChoice::direct;
  expect_refused(options, "--solver");
  options = by(OperatorChoice::fft);
  options.kernel = GreensKernel::reduced;
  expect_refused(options, "--kernel exact");
}

}  // namespace
}  // namespace thinwire::fft_system_test
