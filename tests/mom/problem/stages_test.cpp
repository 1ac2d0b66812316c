#include "mom/problem/stages.h"

#include <gtest/gtest.h>
#include <omp.h>

#include "mom/plan/planner.h"
#include "mom/solve.h"
#include "mom/warnings/model_warnings.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

double sum_of_parts(const Timings& timings) {
  double sum = 0;
  for (const Stage& stage : stages_of(timings))
    if (stage.name != "total") sum += stage.seconds;
  return sum;
}

TEST(Stages, AddUpToTheTotal) {
  const Timings by_hand = {.read = 1, .mesh = 2, .fill = 4, .factor = 8, .total = 100};
  EXPECT_EQ(sum_of_parts(by_hand), 100);
  const Timings solved = solve(test::dipole(0.5, 1e-3, 21), {}).timings_s;
  EXPECT_GT(solved.total, 0);
  EXPECT_NEAR(sum_of_parts(solved), solved.total, 1e-12 * solved.total);
}

TEST(Stages, OfAnEarlierRunLeaveNothingNegative) {
  for (const Stage& stage : stages_of({.fill = 5, .total = 1}))
    EXPECT_GE(stage.seconds, 0) << stage.name;
}

TEST(Threads, AreThoseOfTheCallerAfterPlanWarningsAndSolve) {
  const int before = omp_get_max_threads();
  const Problem problem = test::dipole(0.5, 1e-3, 21);
  Options options;
  options.threads = before + 3;
  (void)plan(problem, options);
  EXPECT_EQ(omp_get_max_threads(), before) << "plan";
  (void)model_warnings(problem, options);
  EXPECT_EQ(omp_get_max_threads(), before) << "model_warnings";
  (void)solve(problem, options);
  EXPECT_EQ(omp_get_max_threads(), before) << "solve";
}

}  // namespace
}  // namespace thinwire
