#include <gtest/gtest.h>

#include "cg/blas_threads.h"
#include "kernels/base/error.h"
#include "mom/plan/problem_plan.h"
#include "mom/solve.h"
#include "tests/cg/on_ranks.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using namespace test;
using testing::on_ranks;

/// 8 x 8 dipoles of 17 segments, two of them fed, with a pattern and near fields enough
/// to be shared.
Problem array() {
  Problem problem;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      const Vec3 at = {0.5 * i, 0.6 * j, 0};
      problem.structure.add_wire(1, 17, at, at + Vec3{0, 0, 0.47}, 1e-3);
    }
  Run run;
  run.frequency_hz = {one_metre_wave_hz};
  run.sources = {volt_on(8), volt_on(17 * 20 + 8, {0, 1})};
  PatternRequest pattern = broadside();
  pattern.theta_count = 19;
  pattern.phi_count = 73;
  pattern.theta_step_deg = pattern.phi_step_deg = 5;
  run.patterns = {pattern};
  NearFieldRequest points = {
      .count = {20, 15, 1}, .start = {0.1, 0.2, 3}, .step = {0.3, 0.2, 0}};
  run.near_fields = {points};
  problem.runs = {run};
  return problem;
}

Options by(SolverChoice solver) {
  Options options = options_for(MeshChoice::as_given);
  options.solver = solver;
  options.tolerance = 1e-10;
  options.save_matrix = true;
  return options;
}

/// 1e-12 of the largest.
void expect_near(std::span<const Complex> got, std::span<const Complex> right) {
  ASSERT_EQ(got.size(), right.size());
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    largest = std::max(largest, std::abs(right[i]));
    difference = std::max(difference, std::abs(got[i] - right[i]));
  }
  EXPECT_LE(difference, 1e-12 * largest);
}

void expect_same(const Solution& got, const Solution& right) {
  ASSERT_EQ(got.frequencies.size(), right.frequencies.size());
  EXPECT_EQ(got.warnings, right.warnings);
  for (std::size_t f = 0; f < right.frequencies.size(); ++f) {
    const FrequencyResult &here = got.frequencies[f], &there = right.frequencies[f];
    EXPECT_EQ(here.solver.iterations, there.solver.iterations);
    EXPECT_TRUE(here.solver.converged);
    expect_near(here.segment_current_a, there.segment_current_a);
    for (std::size_t p = 0; p < there.ports.size(); ++p)
      EXPECT_LE(relative_error(here.ports[p].impedance_ohm, there.ports[p].impedance_ohm),
                1e-12);
    expect_near(here.patterns[0].e_theta_v, there.patterns[0].e_theta_v);
    expect_near(here.patterns[0].e_phi_v, there.patterns[0].e_phi_v);
    expect_near(here.near_fields[0].field, there.near_fields[0].field);
  }
}

TEST(Ranks, GiveWhatOneRankGives) {
  const BlasThreads one_thread(1);
  const Problem problem = array();
  for (const SolverChoice solver : {SolverChoice::direct, SolverChoice::cocg}) {
    const Options options = by(solver);
    const Solution right = solve(problem, options);
    ASSERT_GE(right.unknowns, 1000u);
    for (const int ranks : {2, 3, 4, 7})
      on_ranks(ranks, [&](const Comm& comm) {
        Options shared = options;
        shared.ranks = &comm;
        const Solution got = solve(problem, shared);
        expect_same(got, right);
        if (comm.rank() == 0)
          EXPECT_EQ(got.impedance_matrix_ohm, right.impedance_matrix_ohm);
        else
          EXPECT_TRUE(got.impedance_matrix_ohm.empty());
      });
  }
}

TEST(Ranks, SolveWholeWhatIsSmallOrHasNoMatrix) {
  Problem problem = array();
  Options options = by(SolverChoice::cocg);
  options.save_matrix = false;
  options.operator_choice = OperatorChoice::toeplitz;
  const Solution right = solve(problem, options),
                 small = solve(dipole(0.25, 1e-3, 11), {});
  on_ranks(2, [&](const Comm& comm) {
    Options shared = options;
    shared.ranks = &comm;
    expect_same(solve(problem, shared), right);
    Options usual;
    usual.ranks = &comm;
    EXPECT_EQ(solve(dipole(0.25, 1e-3, 11), usual).frequencies[0].ports[0].impedance_ohm,
              small.frequencies[0].ports[0].impedance_ohm);
  });
}

TEST(Ranks, PlanSaysWhatEachNeeds) {
  Problem problem = array();
  Options options = by(SolverChoice::direct);
  options.save_matrix = false;
  const Plan one = plan(problem, options), four = plan(problem, options, 4);
  EXPECT_EQ(one.ranks, 1);
  EXPECT_EQ(four.ranks, 4);
  EXPECT_NEAR(static_cast<double>(four.matrix_bytes),
              static_cast<double>(one.matrix_bytes) / 4, 1);
  EXPECT_LT(four.predicted_seconds, one.predicted_seconds);
  EXPECT_GT(four.predicted_seconds, one.predicted_seconds / 4);
  EXPECT_EQ(plan(dipole(0.25, 1e-3, 11), {}, 4).ranks, 1);
}

TEST(Ranks, ShareNoGpuYet) {
  Options options = by(SolverChoice::cocg);
  options.device.kind = DeviceRequest::Kind::cuda;
  try {
    (void)plan(array(), options, 2);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_STREQ(error.what(),
                 "cuda:0: ranks share a matrix on CPUs only. Use --device cpu, or one "
                 "rank.");
  }
}

}  // namespace
}  // namespace thinwire
