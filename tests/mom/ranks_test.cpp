#include <gtest/gtest.h>

#include "cg/blas_threads.h"
#include "kernels/base/error.h"
#include "mom/plan/planner.h"
#include "mom/solve.h"
#include "tests/cg/on_ranks.h"
#include "tests/mom/shared_array.h"

namespace thinwire::ranks_test {
namespace {

using namespace test;
using testing::on_ranks;

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
  const Problem problem = shared_array();
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

TEST(Ranks, SolveForTheSameBasisOfWaves) {
  const BlasThreads one_thread(1);
  Problem problem = shared_array();
  problem.runs[0].sources.clear();
  problem.runs[0].networks.clear();
  for (const bool interpolated : {false, true}) {
    IncidentWaves waves;
    waves.theta_count = interpolated ? 1 : 20;
    waves.phi_count = interpolated ? 200 : 5;
    waves.first.theta_deg = interpolated ? 60 : 5;
    waves.theta_step_deg = 4;
    waves.phi_step_deg = interpolated ? 2 : 50;
    problem.runs[0].waves = waves;
    for (const SolverChoice solver : {SolverChoice::direct, SolverChoice::cocg}) {
      Options options = by(solver);
      options.save_matrix = false;
      const Solution right = solve(problem, options);
      ASSERT_EQ(right.frequencies.size(), waves.count());
      on_ranks(3, [&](const Comm& comm) {
        Options shared = options;
        shared.ranks = &comm;
        expect_same(solve(problem, shared), right);
      });
    }
  }
}

TEST(Ranks, SolveWholeWhatIsSmallOrHasNoMatrix) {
  Problem problem = shared_array();
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
    EXPECT_EQ(port_impedance(dipole(0.25, 1e-3, 11), usual),
              small.frequencies[0].ports[0].impedance_ohm);
  });
}

TEST(Ranks, PlanSaysWhatEachNeeds) {
  Problem problem = shared_array();
  Options options = by(SolverChoice::direct);
  options.save_matrix = false;
  const Plan one = plan(problem, options), four = plan(problem, options, 4);
  EXPECT_EQ(one.solver.ranks, 1u);
  EXPECT_EQ(four.solver.ranks, 4u);
  EXPECT_NEAR(static_cast<double>(four.matrix_bytes),
              static_cast<double>(one.matrix_bytes) / 4, 1);
  EXPECT_LT(four.predicted_seconds, one.predicted_seconds);
  EXPECT_GT(four.predicted_seconds, one.predicted_seconds / 4);
  EXPECT_EQ(plan(dipole(0.25, 1e-3, 11), {}, 4).solver.ranks, 1u);
}

}  // namespace
}  // namespace thinwire::ranks_test
