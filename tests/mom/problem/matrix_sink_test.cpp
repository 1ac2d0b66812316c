#include "mom/problem/matrix_sink.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/base/error.h"
#include "mom/plan/planner.h"
#include "tests/cg/on_ranks.h"
#include "tests/messages.h"
#include "tests/mom/matrix_keeper.h"
#include "tests/mom/shared_array.h"

namespace thinwire {
namespace {

using namespace test;

/// 4 x 4 of them at two frequencies.
Problem array() {
  Problem problem = dipoles(4);
  feed(problem, 8).frequency_hz = {0.9 * one_metre_wave_hz, one_metre_wave_hz};
  return problem;
}

Options by(OperatorChoice operator_choice) {
  Options options = options_for(MeshChoice::as_given);
  options.operator_choice = operator_choice;
  options.save_matrix = true;
  return options;
}

/// Compares the rows that a sink gets with the matrix of a solution.
void expect_same_matrix(const Problem& problem, const Options& options) {
  const std::vector<Complex> right = solve(problem, options).impedance_matrix_ohm;
  ASSERT_FALSE(right.empty());
  MatrixKeeper keeper;
  Options handed = options;
  handed.matrix_sink = &keeper;
  EXPECT_TRUE(solve(problem, handed).impedance_matrix_ohm.empty());
  EXPECT_EQ(keeper.expected * keeper.expected, right.size());
  EXPECT_GE(keeper.bands, 2);
  EXPECT_EQ(keeper.rows, right);
}

TEST(MatrixSink, GetsTheMatrixOfTheLastFrequency) {
  for (const SolverChoice solver : {SolverChoice::direct, SolverChoice::cocg}) {
    Options options = by(OperatorChoice::dense);
    options.solver = solver;
    expect_same_matrix(array(), options);
  }
  Options fast = by(OperatorChoice::dense);
  fast.sweep = SweepChoice::fast;
  Problem many = array();
  many.runs[0].frequency_hz.clear();
  for (int i = 0; i < 40; ++i)
    many.runs[0].frequency_hz.push_back((0.9 + 0.002 * i) * one_metre_wave_hz);
  expect_same_matrix(many, fast);
}

TEST(MatrixSink, GetsTheMatrixOfOperatorsThatKeepNone) {
  for (const int threads : {1, 2, 3}) {
    Options options = by(OperatorChoice::toeplitz);
    options.threads = threads;
    expect_same_matrix(array(), options);
  }
}

/// With enough unknowns for ranks to share.
Problem large_array() {
  Problem problem = array();
  for (int i = 0; i < 48; ++i)
    problem.structure.add_wire(1, 17, {3 + 0.5 * i, 0, 0}, {3 + 0.5 * i, 0, 0.47}, 1e-3);
  return problem;
}

TEST(MatrixSink, OfEachRankGetsSomeBandsWhereItAsksForThem) {
  Options options = by(OperatorChoice::dense);
  options.solver = SolverChoice::direct;
  const Problem problem = large_array();
  const std::vector<Complex> right = solve(problem, options).impedance_matrix_ohm;
  expect_dealt(problem, options, 3, right);
}

TEST(MatrixSink, OfTheFirstRankGetsAllThatEachRankSolvesWhole) {
  const Options options = by(OperatorChoice::dense);
  const std::vector<Complex> right = solve(array(), options).impedance_matrix_ohm;
  testing::on_ranks(3, [&](const Comm& comm) {
    MatrixKeeper keeper;
    keeper.shares = true;
    Options own = options;
    own.ranks = &comm;
    own.matrix_sink = &keeper;
    (void)solve(array(), own);
    EXPECT_FALSE(keeper.ended);
    EXPECT_EQ(keeper.rows, comm.rank() == 0 ? right : std::vector<Complex>());
  });
}

TEST(MatrixSink, OfTheFirstRankGetsItAlone) {
  Options options = by(OperatorChoice::dense);
  options.solver = SolverChoice::direct;
  const Problem problem = large_array();
  const std::vector<Complex> right = solve(problem, options).impedance_matrix_ohm;
  for (const int ranks : {2, 3})
    testing::on_ranks(ranks, [&](const Comm& comm) {
      MatrixKeeper keeper;
      Options shared = options;
      shared.ranks = &comm;
      shared.matrix_sink = &keeper;
      EXPECT_EQ(plan(problem, shared).solver.ranks, static_cast<std::size_t>(ranks));
      (void)solve(problem, shared);
      if (comm.rank() == 0)
        EXPECT_EQ(keeper.rows, right);
      else
        EXPECT_EQ(keeper.bands + static_cast<int>(keeper.expected), 0);
    });
}

TEST(MatrixSink, ThatFailsEndsTheSolve) {
  Options options = by(OperatorChoice::dense);
  const auto fails = [&](const Comm* ranks) {
    MatrixKeeper keeper;
    keeper.failing = 2;
    Options own = options;
    own.ranks = ranks;
    own.matrix_sink = &keeper;
    (void)solve(array(), own);
  };
  EXPECT_EQ(test::error_message([&] { fails(nullptr); }), "the disk is full");
  EXPECT_THROW(testing::on_ranks(3, [&](const Comm& comm) { fails(&comm); }), Error);
}

TEST(MatrixSink, NeedsMemoryForBandsAlone) {
  Options options = by(OperatorChoice::dense);
  const Problem problem = dipole(50, 1e-3, 3001);
  MatrixKeeper keeper;
  const std::size_t n = 3000, whole = 16 * n * n,
                    in_memory = plan(problem, options).host_bytes;
  options.matrix_sink = &keeper;
  const Plan handed = plan(problem, options);
  EXPECT_EQ(handed.saved_bytes, whole);
  options.save_matrix = false;
  const Plan none = plan(problem, options);
  EXPECT_EQ(none.saved_bytes, 0u);
  EXPECT_EQ(in_memory - none.host_bytes, whole);
  EXPECT_EQ(handed.host_bytes - none.host_bytes, 3 * 64 * n * sizeof(Complex));
}

}  // namespace
}  // namespace thinwire
