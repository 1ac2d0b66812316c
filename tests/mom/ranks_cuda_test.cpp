// Ranks that share a matrix on GPUs; here threads, and one GPU for all of them.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/cg/on_ranks.h"
#include "tests/mom/matrix_keeper.h"
#include "tests/mom/shared_array.h"
#include "tests/on_device.h"

namespace thinwire {
namespace {

using namespace test;
using testing::on_ranks;
using Way =
    std::tuple<SolverChoice, PreconditionerChoice, PlacementChoice, PrecisionChoice>;

using GpuRanks = testing::OnDevice;
class RanksOnGpus : public GpuRanks, public ::testing::WithParamInterface<Way> {};

TEST_P(RanksOnGpus, GiveWhatOneGpuGives) {
  const auto [solver, preconditioner, placement, precision] = GetParam();
  const Problem problem = shared_array();
  Options options = by(solver);
  options.preconditioner = preconditioner;
  options.placement = placement;
  options.precision = precision;
  options.device = {DeviceRequest::Kind::cuda};
  const Solution right = solve(problem, options);
  ASSERT_GE(right.unknowns, 1000u);
  for (const int ranks : {2, 3}) {
    SCOPED_TRACE(ranks);
    on_ranks(ranks, [&](const Comm& comm) {
      Options shared = options;
      shared.ranks = &comm;
      const Solution got = solve(problem, shared);
      const FrequencyResult &here = got.frequencies[0], &there = right.frequencies[0];
      EXPECT_TRUE(here.solver.converged);
      // Hundreds in single without a preconditioner: rounding decides when they end.
      const int rounding =
          preconditioner == PreconditionerChoice::none ? there.solver.iterations / 10 : 2;
      EXPECT_NEAR(here.solver.iterations, there.solver.iterations, rounding);
      expect_near(here.segment_current_a, there.segment_current_a, 1e-8);
      expect_near(here.patterns[0].e_theta_v, there.patterns[0].e_theta_v, 1e-8);
      expect_near(here.near_fields[0].field, there.near_fields[0].field, 1e-8);
      if (comm.rank() == 0) {
        expect_near(got.impedance_matrix_ohm, right.impedance_matrix_ohm,
                    precision == PrecisionChoice::in_double ? 1e-14 : 1e-7);
      }
      // A second run gives the same bits.
      EXPECT_EQ(solve(problem, shared).frequencies[0].segment_current_a,
                here.segment_current_a);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ways, RanksOnGpus,
    ::testing::Values(Way{SolverChoice::direct, PreconditionerChoice::automatic,
                          PlacementChoice::resident, PrecisionChoice::in_double},
                      Way{SolverChoice::direct, PreconditionerChoice::automatic,
                          PlacementChoice::resident, PrecisionChoice::mixed},
                      Way{SolverChoice::cocg, PreconditionerChoice::two_level,
                          PlacementChoice::resident, PrecisionChoice::in_double},
                      Way{SolverChoice::cg, PreconditionerChoice::block,
                          PlacementChoice::product, PrecisionChoice::in_double},
                      Way{SolverChoice::gmres, PreconditionerChoice::overlap,
                          PlacementChoice::resident, PrecisionChoice::in_double},
                      Way{SolverChoice::cocg, PreconditionerChoice::none,
                          PlacementChoice::resident, PrecisionChoice::mixed}));

/// With the bits that the first rank gets where it takes all.
TEST_F(GpuRanks, TakeTheirBandsOfTheMatrix) {
  Problem problem = dipoles(8);
  feed(problem, 8);
  for (const PrecisionChoice precision :
       {PrecisionChoice::in_double, PrecisionChoice::in_single})
    for (const int ranks : {2, 3}) {
      Options options = by(SolverChoice::cocg);
      options.tolerance = 1e-5;
      options.precision = precision;
      options.device = {DeviceRequest::Kind::cuda};
      std::vector<Complex> whole;
      on_ranks(ranks, [&](const Comm& comm) {
        Options shared = options;
        shared.ranks = &comm;
        const Solution solution = solve(problem, shared);
        if (comm.rank() == 0) whole = solution.impedance_matrix_ohm;
      });
      ASSERT_GE(whole.size(), std::size_t{1000} * 1000);
      expect_dealt(problem, options, ranks, whole);
    }
}

/// Every rank solves what has no matrix to share.
TEST_F(GpuRanks, SolveWholeWhatHasNoMatrix) {
  Options options = by(SolverChoice::cocg);
  options.save_matrix = false;
  options.operator_choice = OperatorChoice::toeplitz;
  options.device = {DeviceRequest::Kind::cuda};
  const Problem problem = shared_array();
  const Solution right = solve(problem, options);
  on_ranks(2, [&](const Comm& comm) {
    Options shared = options;
    shared.ranks = &comm;
    EXPECT_EQ(solve(problem, shared).frequencies[0].segment_current_a,
              right.frequencies[0].segment_current_a);
  });
}

}  // namespace
}  // namespace thinwire
