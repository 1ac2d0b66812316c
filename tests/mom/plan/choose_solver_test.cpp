#include "mom/plan/choose_solver.h"

#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "mom/plan/planner.h"
#include "tests/messages.h"
#include "tests/mom/plan/problem_sizes.h"

namespace thinwire::choose_solver_test {
namespace {

using namespace test;

TEST(ChooseSolver, TheDryRunCountsWhatSolversKeep) {
  Problem problem = dipole(10, 0.001, 2001);
  Options options = options_for(MeshChoice::as_given);
  options.device = device_named("device", "cpu");
  options.preconditioner = PreconditionerChoice::block;
  const auto bytes = [&](SolverChoice solver, int max_iterations) {
    options.solver = solver;
    options.max_iterations = max_iterations;
    return static_cast<double>(plan(problem, options).total_bytes);
  };
  const double few = bytes(SolverChoice::cocg, 0);
  // 1.5 sqrt(2000) = 67 iterations, 100 with the reserve, 128 vectors.
  EXPECT_NEAR(bytes(SolverChoice::gmres, 0) - few, 16.0 * 128 * (2000 + 64), 1);
  EXPECT_NEAR(bytes(SolverChoice::gmres, 40) - few, 16.0 * 64 * (2000 + 32), 1);
  // The port matrix of two ports solves for two sides in step.
  options.port_matrix = true;
  problem.runs[0].sources.push_back(volt_on(5));
  EXPECT_NEAR(bytes(SolverChoice::cocg, 0) - few, 16.0 * 2000 * (16 + 4), 1);
}

TEST(ChooseSolver, TakesWhatIsPredictedFaster) {
  ProblemSize size = array_of(100);
  double direct_s = 1, iterative_s = 2;
  const auto cost = [&](Method method) {
    const bool is_direct = method.solver == SolverChoice::direct;
    SolverCost result;
    result.time.factor_s = is_direct ? direct_s : iterative_s;
    result.time.iterations = is_direct ? 4 : 8;
    result.bytes = is_direct ? 1000 : 10;
    return result;
  };
  Options options;
  SolverPlan plan = choose_solver(size, options, all_memory, cost);
  EXPECT_EQ(plan.solver, SolverChoice::direct);
  EXPECT_EQ(plan.preconditioner, PreconditionerChoice::none);
  EXPECT_EQ(plan.bytes, 1000u);
  EXPECT_EQ(plan.why,
            "predicted 1 s for direct, 2 s for cocg with a two-level preconditioner (8 "
            "iterations)");

  iterative_s = 0.5;
  plan = choose_solver(size, options, all_memory, cost);
  EXPECT_EQ(plan.solver, SolverChoice::cocg);
  EXPECT_EQ(plan.preconditioner, PreconditionerChoice::two_level);
  EXPECT_EQ(plan.bytes, 10u);
  EXPECT_EQ(plan.seconds, 0.5);
  EXPECT_EQ(plan.iterations, 8);

  // Within a hundredth of a second, direct is preferred: it is good to rounding.
  direct_s = 0.509;
  plan = choose_solver(size, options, all_memory, cost);
  EXPECT_EQ(plan.solver, SolverChoice::direct);
  EXPECT_NE(plan.why.find("; direct is the more accurate"), std::string::npos);

  // The user's choice prevails, fast or not.
  options.solver = SolverChoice::direct;
  plan = choose_solver(size, options, all_memory, cost);
  EXPECT_EQ(plan.solver, SolverChoice::direct);
  EXPECT_EQ(plan.why, "");
  options.solver = SolverChoice::gmres;
  options.preconditioner = PreconditionerChoice::block;
  plan = choose_solver(size, options, all_memory, cost);
  EXPECT_EQ(plan.solver, SolverChoice::gmres);
  EXPECT_EQ(plan.preconditioner, PreconditionerChoice::block);
}

/// A square plate of wire grid with two segments a cell's side, every side a wire and a
/// tag of its own, and a monopole of 9 segments on its middle.
Structure plate(int cells, double cell_m) {
  Structure structure;
  const double radius_m = cell_m / 50, half_m = 0.5 * cells * cell_m;
  int tag = 1;
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j < cells; ++j) {
      const double across = i * cell_m - half_m, from = j * cell_m - half_m,
                   to = from + cell_m;
      structure.add_wire(tag++, 2, {across, from, 0}, {across, to, 0}, radius_m);
      structure.add_wire(tag++, 2, {from, across, 0}, {to, across, 0}, radius_m);
    }
  structure.add_wire(tag, 9, {0, 0, 0}, {0, 0, 0.25}, radius_m);
  return structure;
}

SolverPlan plan_on_a_gpu(const ProblemSize& size, const Options& options) {
  return choose_solver(size, options, all_memory, [&](Method method) {
    return SolverCost{cost_on_gpu(size, method, options, 1, 1), 0};
  });
}

TEST(ChooseSolver, AGridCutIntoWiresIsNoArrayOfAntennas) {
  MeshOptions mesh;
  mesh.graded = false;
  const Structure grid = plate(80, 0.1);
  const Discretization where(grid, mesh);
  const ProblemSize size = size_of(where, as_given(), 2 * pi);
  // At a node where M ends meet there are M - 1 functions: twice the elements less nodes.
  ASSERT_EQ(size.unknowns, 2u * (25920 + 9) - (81 * 81 + 12960 + 9));
  EXPECT_FALSE(size.whole_antennas);
  EXPECT_EQ(size.loops, 6400u);
  const SolverPlan chosen = plan_on_a_gpu(size, as_given());
  EXPECT_EQ(chosen.solver, SolverChoice::gmres);
  EXPECT_EQ(chosen.preconditioner, PreconditionerChoice::overlap);
  EXPECT_GE(chosen.boxes.overlap, 2);
  EXPECT_EQ(chosen.block_count, size.overlap(chosen.boxes).boxes);
  EXPECT_EQ(chosen.block_bytes, size.overlap(chosen.boxes).bytes());

  Options direct_alone = as_given();
  direct_alone.solver = SolverChoice::direct;
  const SolverPlan by_factors = plan_on_a_gpu(size, direct_alone);
  EXPECT_EQ(by_factors.products, LdltProducts::single);
  // A second of products in complex single (docs/measurements/performance.md, 32,768
  // unknowns).
  expect_within(1.3, by_factors.seconds, 1.1, "plate");

  // Where another iteration is asked for, the factors that may follow are still these.
  Options iterative = as_given();
  iterative.solver = SolverChoice::cocg;
  EXPECT_EQ(plan_on_a_gpu(size, iterative).products, LdltProducts::single);
  EXPECT_EQ(plan_on_a_gpu(size, iterative).preconditioner,
            PreconditionerChoice::two_level);
}

TEST(ChooseSolver, TakesTheBoxesThatFit) {
  const ProblemSize size = grid_of(80, 0.2, 0.1);
  Options options = as_given();
  options.preconditioner = PreconditionerChoice::overlap;
  const auto cost = [&](Method method) {
    SolverCost result = {cost_on_gpu(size, method, options, 1, 1), 0};
    if (method.preconditioner == PreconditionerChoice::overlap)
      result.bytes = size.overlap(method.boxes).device_bytes();
    return result;
  };
  const SolverPlan free = choose_solver(size, options, all_memory, cost);
  EXPECT_EQ(free.solver, SolverChoice::gmres);
  const SolverPlan bounded = choose_solver(size, options, free.bytes - 1, cost);
  EXPECT_LT(bounded.bytes, free.bytes);
  // Iterations count more than set-up: by that the first choice is no slower.
  EXPECT_GE(bounded.seconds, 0.9 * free.seconds);
  EXPECT_FALSE(bounded.boxes == free.boxes);
  // Where none fits, the smallest: its shortage is then stated.
  const SolverPlan none = choose_solver(size, options, 1, cost);
  for (const auto& overlap : size.overlaps)
    EXPECT_LE(none.bytes, overlap.extent.device_bytes());

  options.solver = SolverChoice::cocg;
  EXPECT_EQ(
      test::error_message(ErrorKind::usage,
                          [&] { (void)choose_solver(size, options, all_memory, cost); }),
      "--precond overlap is not symmetric, which --solver cocg needs. Use "
      "--solver gmres, or another --precond.");
}

TEST(ChooseSolver, KeepsCocgForAntennasThatStandApart) {
  Structure array;
  for (int i = 0; i < 40; ++i)
    array.add_wire(1, 21, {0.5 * i, 0, -0.25}, {0.5 * i, 0, 0.25}, 0.001);
  MeshOptions mesh;
  mesh.graded = false;
  const Discretization where(array, mesh);
  Options options = as_given();
  EXPECT_TRUE(size_of(where, options, 2 * pi).overlaps.empty());
  EXPECT_EQ(iterative_solver(size_of(where, options, 2 * pi), options),
            SolverChoice::cocg);
  options.preconditioner = PreconditionerChoice::overlap;
  const ProblemSize size = size_of(where, options, 2 * pi);
  EXPECT_EQ(iterative_solver(size, options), SolverChoice::gmres);
  // A dipole is 21 cells long and never cut: boxes of 128 cells hold five or six.
  EXPECT_EQ(size.overlap({8, 1}).boxes, 40u);
  EXPECT_EQ(size.overlap({128, 64}).boxes, 7u);
}

TEST(ChooseSolver, WiresWithoutManyLoopsStartInTf32) {
  MeshOptions mesh;
  mesh.graded = false;
  Structure structure;
  structure.add_wire(1, 2000, {0, 0, 0}, {0, 0, 100}, 0.001);
  for (int i = 0; i < 300; ++i) {  // as many triangles, each an antenna
    const Vec3 a = {1.0 + i, 0, 0}, b = {1.5 + i, 0, 0}, c = {1.2 + i, 0.5, 0};
    structure.add_wire(2 + i, 2, a, b, 0.001);
    structure.add_wire(2 + i, 2, b, c, 0.001);
    structure.add_wire(2 + i, 2, c, a, 0.001);
  }
  const Discretization where(structure, mesh);
  const ProblemSize size = size_of(where, as_given(), 2 * pi);
  EXPECT_EQ(size.unknowns, 1999u + 300 * 6);
  EXPECT_EQ(size.loops, 1u);
  EXPECT_FALSE(size.whole_antennas);  // the wire is cut
  EXPECT_EQ(plan_on_a_gpu(size, as_given()).products, LdltProducts::tf32);

  const Structure small = plate(10, 0.1);
  EXPECT_EQ(
      plan_on_a_gpu(size_of(Discretization(small, mesh), as_given(), 2 * pi), as_given())
          .products,
      LdltProducts::tf32);
}

TEST(ChooseSolver, TheDryRunStatesThePrediction) {
  Problem problem;
  for (int i = 0; i < 25; ++i)
    problem.structure.add_wire(1 + i, 21, {0.5 * (i % 5), 0.5 * (i / 5), -0.25},
                               {0.5 * (i % 5), 0.5 * (i / 5), 0.25}, 0.001);
  feed(problem, 10).frequency_hz = {one_metre_wave_hz, 1.01 * one_metre_wave_hz};
  Options options = options_for(MeshChoice::as_given);
  options.device = device_named("device", "cpu");
  options.threads = 2;
  options.solver = SolverChoice::cocg;
  const Plan stated = plan(problem, options);
  EXPECT_EQ(stated.unknowns, 500u);
  const PredictedCost cost = cost_on_cpu(array_of(25), two_level, options, 1, 2);
  EXPECT_DOUBLE_EQ(stated.predicted_seconds,
                   mesh_seconds(500) + 2 * cost.all_s() +
                       preparation_seconds(25 * 21, options.cpu_rates, 2));
}

}  // namespace
}  // namespace thinwire::choose_solver_test
