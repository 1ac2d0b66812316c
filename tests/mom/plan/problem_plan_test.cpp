#include "mom/plan/problem_plan.h"

#include <gtest/gtest.h>

namespace thinwire {
namespace {

/// A plan without runs, in which nothing is left but what precedes them.
Plan plan_of_wire(int segments) {
  Problem problem;
  problem.structure.add_wire(1, segments, {0, 0, 0}, {0, 0, 0.05 * segments}, 0.001);
  Options options;
  options.device = {DeviceRequest::Kind::cpu, 0};
  options.threads = 1;
  return plan(problem, options);
}

TEST(Plan, CountsWhatPrecedesTheSolve) {
  const Plan few = plan_of_wire(2000), many = plan_of_wire(20000);
  const double elements = static_cast<double>(many.mesh_elements - few.mesh_elements),
               seconds = many.predicted_seconds - few.predicted_seconds;
  EXPECT_GT(seconds, 3e-6 * elements);
  EXPECT_LT(seconds, 10e-6 * elements);
}

}  // namespace
}  // namespace thinwire
