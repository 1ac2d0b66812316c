#include "mom/systems/operator_system.h"

#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "mom/plan/planner.h"
#include "mom/solve.h"
#include "tests/messages.h"
#include "tests/mom/operators/lattice_antennas.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::operator_system_test {
namespace {

using namespace test;

/// Dipoles of `segments` along z, half a wavelength apart, with two of them fed and loads
/// on some.
Problem array(int side, int segments, Ground ground = Ground::none) {
  Problem problem;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const Vec3 at = {0.5 * i, 0.5 * j, 0.3};
      problem.structure.add_wire(1, segments, at, at + Vec3{0, 0, 0.5}, 1e-3);
    }
  Run run;
  run.frequency_hz = {one_metre_wave_hz};
  run.ground = ground;
  const auto middle = static_cast<std::size_t>(segments / 2),
             each = static_cast<std::size_t>(segments);
  run.sources = {volt_on(middle), volt_on(3 * each + middle, {0, 1})};
  Load conductor;
  conductor.kind = Load::Kind::conductivity;
  conductor.last = problem.structure.segments().size() - 1;
  conductor.value[0] = 3e7;
  Load resistor;
  resistor.first = resistor.last = 2 * each + middle;
  resistor.value[0] = 50;
  run.loads = {conductor, resistor};
  problem.runs.push_back(run);
  return problem;
}

Options by(OperatorChoice choice, MeshChoice mesh = MeshChoice::as_given) {
  Options options = options_for(mesh);
  options.operator_choice = choice;
  options.device.kind = DeviceRequest::Kind::cpu;
  options.tolerance = 1e-11;
  return options;
}

std::string failure(const Problem& problem, const Options& options) {
  return test::error_message([&] { (void)solve(problem, options); });
}

/// 1e-7: elements side by side share an order of quadrature, others here than there.
void expect_as_dense(const Problem& problem) {
  const Solution dense = solve(problem, by(OperatorChoice::dense)),
                 toeplitz = solve(problem, by(OperatorChoice::toeplitz));
  const FrequencyResult &right = dense.frequencies[0], &got = toeplitz.frequencies[0];
  for (std::size_t p = 0; p < 2; ++p)
    EXPECT_LE(relative_error(got.ports[p].impedance_ohm, right.ports[p].impedance_ohm),
              1e-7);
  EXPECT_NEAR(got.loss_power_w, right.loss_power_w, 1e-7 * right.loss_power_w);
  EXPECT_EQ(right.solver.operator_name, "dense");
  EXPECT_FALSE(right.solver.operator_error);
  EXPECT_EQ(got.solver.operator_name, "toeplitz");
  ASSERT_TRUE(got.solver.operator_error);
  EXPECT_LE(*got.solver.operator_error, 1e-7);
  EXPECT_GT(*got.solver.operator_error, 0);
}

TEST(OperatorSystem, SolvesAsTheDenseMatrixDoes) {
  expect_as_dense(array(4, 11));
}

TEST(OperatorSystem, SolvesOverPerfectGround) {
  expect_as_dense(array(3, 11, Ground::perfect));
}

// The graded mesh of every antenna has the gaps of all, so impedances differ by what the
// mesh is good to: 0.5 %.
TEST(OperatorSystem, MeshesAllAntennasAlike) {
  const Problem problem = array(3, 7);
  const Solution dense = solve(problem, by(OperatorChoice::dense, MeshChoice::graded)),
                 toeplitz =
                     solve(problem, by(OperatorChoice::toeplitz, MeshChoice::graded));
  EXPECT_GT(toeplitz.unknowns, dense.unknowns);
  EXPECT_EQ(toeplitz.unknowns % 9, 0u);
  EXPECT_LE(relative_error(toeplitz.frequencies[0].ports[1].impedance_ohm,
                           dense.frequencies[0].ports[1].impedance_ohm),
            5e-3);
}

TEST(OperatorSystem, KeepsTheMatrixWhereItIsAskedFor) {
  const Problem problem = array(2, 7);
  Options dense = by(OperatorChoice::dense), toeplitz = by(OperatorChoice::toeplitz);
  dense.save_matrix = toeplitz.save_matrix = true;
  EXPECT_LE(testing::relative_difference(solve(problem, toeplitz).impedance_matrix_ohm,
                                         solve(problem, dense).impedance_matrix_ohm),
            1e-7);
}

TEST(OperatorSystem, SolvesWithEverySolverAndPreconditioner) {
  const Problem problem = array(2, 7);
  const Complex right = port_impedance(problem, by(OperatorChoice::dense));
  for (const SolverChoice solver :
       {SolverChoice::cg, SolverChoice::cocg, SolverChoice::cocr, SolverChoice::gmres})
    for (const PreconditionerChoice precond :
         {PreconditionerChoice::none, PreconditionerChoice::block,
          PreconditionerChoice::two_level}) {
      Options options = by(OperatorChoice::toeplitz);
      options.solver = solver;
      options.preconditioner = precond;
      const FrequencyResult got = solve(problem, options).frequencies[0];
      EXPECT_TRUE(got.solver.converged) << name_of(solver) << ' ' << name_of(precond);
      EXPECT_LE(relative_error(got.ports[0].impedance_ohm, right), 1e-7);
    }
}

TEST(OperatorSystem, SaysWhyThereIsNoLattice) {
  Problem problem = array(3, 7);
  problem.structure.add_wire(77, 7, {9, 9, 0.3}, {9, 9, 0.8}, 2e-3);
  EXPECT_EQ(
      failure(problem, by(OperatorChoice::toeplitz)),
      "--operator toeplitz: the antennas form no lattice (antenna 10 (tag 77, from "
      "segment 64 on) has a radius of 0.002 m at its segment 1, antenna 1 0.001 m). "
      "Use --operator auto.");
  EXPECT_EQ(plan(problem, by(OperatorChoice::automatic)).solver.operator_choice,
            OperatorChoice::dense);
}

TEST(OperatorSystem, RefusesWhatWantsTheWholeMatrix) {
  Options options = by(OperatorChoice::toeplitz);
  options.solver = SolverChoice::direct;
  EXPECT_EQ(failure(array(2, 7), options),
            "--operator toeplitz does not form the whole matrix, which --solver direct "
            "needs. Leave "
            "one of them out.");
}

TEST(OperatorSystem, RefusesBlocksThatOverlap) {
  Options options = by(OperatorChoice::toeplitz);
  options.preconditioner = PreconditionerChoice::overlap;
  EXPECT_EQ(failure(array(2, 7), options),
            "--operator toeplitz works with blocks of whole antennas, --precond overlap "
            "with others. Use --precond two-level, or --operator dense.");
}

TEST(OperatorSystem, RefusesAToleranceThatNothingReaches) {
  Options options = by(OperatorChoice::toeplitz);
  options.operator_tolerance = 1e-10;
  EXPECT_EQ(failure(array(2, 7), options),
            "operator tolerance must lie between 1e-9 and 1 (got 1e-10). Try "
            "--operator-tolerance 1e-5.");
}

// 2 x 2 are solved before a lattice is found; 30 x 30 of 21 take 10 s or more dense.
TEST(OperatorSystem, AutoTakesALatticeWhereItPays) {
  EXPECT_EQ(plan(array(2, 7), by(OperatorChoice::automatic)).solver.operator_choice,
            OperatorChoice::dense);
  // 10 x 10 take 0.05 s by a lattice and 0.25 s dense, but dense takes many ports at
  // once.
  Problem middle = array(10, 21);
  EXPECT_EQ(plan(middle, by(OperatorChoice::automatic)).solver.operator_choice,
            OperatorChoice::toeplitz);
  middle.runs[0].sources.assign(100, middle.runs[0].sources[0]);
  Options ports = by(OperatorChoice::automatic);
  ports.port_matrix = true;
  EXPECT_EQ(plan(middle, ports).solver.operator_choice, OperatorChoice::dense);
  const Plan large = plan(array(30, 21), by(OperatorChoice::automatic));
  EXPECT_EQ(large.solver.operator_choice, OperatorChoice::toeplitz);
  EXPECT_EQ(large.lattice_antennas, 900u);
  EXPECT_EQ(large.lattice_displacements(), 59u * 59 / 2 + 1);
  EXPECT_EQ(large.solver.why.find("equal antennas on a lattice: predicted"), 0u)
      << large.solver.why;
  Options direct = by(OperatorChoice::automatic);
  direct.solver = SolverChoice::direct;
  EXPECT_EQ(plan(array(30, 21), direct).solver.operator_choice, OperatorChoice::dense);
}

}  // namespace
}  // namespace thinwire::operator_system_test
