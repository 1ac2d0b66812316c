#include "mom/plan/planner.h"

#include <gtest/gtest.h>

#include "mom/solve.h"
#include "tests/mom/wire_antennas.h"

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

TEST(Planner, TakesOneThreadForWhatIsShortOnTheCpu) {
  const Problem problem = test::dipole(0.5, 1e-3, 21);
  const auto alone = [&](const Options& options) {
    return Planner(problem, options).is_for_one_thread(options);
  };
  Options options;
  EXPECT_TRUE(alone(options));
  options.threads = 2;
  EXPECT_FALSE(alone(options));
  options.threads = 0;
  // The CPU does not take what only a GPU can do.
  options.precision = PrecisionChoice::mixed;
  EXPECT_FALSE(alone(options));
}

/// Returns how often `work` reports the progress of a mesh.
template <class Work>
int mesh_reports(Options& options, const Work& work) {
  int count = 0;
  options.monitor =
      Monitor([&](const Progress& progress) { count += progress.step == "mesh"; });
  work();
  return count;
}

TEST(Planner, MeshesOnceForPlanAndSolve) {
  const Problem problem = test::dipole(0.5, 1e-3, 21);
  Options options;
  const int alone = mesh_reports(options, [&] { solve(problem, options); });
  EXPECT_GE(alone, 1);
  const int planned = mesh_reports(options, [&] {
    Planner planner(problem, options);
    if (planner.is_for_one_thread(options)) options.threads = 1;
    planner.choose(options);
    solve(planner);
  });
  EXPECT_EQ(planned, alone);
}

TEST(Planner, KeepsAPlanUntilWhatItIsMadeByChanges) {
  const Problem problem = test::dipole(0.5, 1e-3, 21);
  Options options;
  options.device = {DeviceRequest::Kind::cpu};
  Planner planner(problem, options);
  const double spent_s = (planner.choose(options), planner.seconds());
  const double predicted_s = planner.plan().predicted_seconds;
  EXPECT_EQ(planner.seconds_on_cpu(options), predicted_s);
  planner.choose(options);
  EXPECT_EQ(planner.seconds(), spent_s) << "chosen again";
  options.cpu_rates.fill_entries_per_s *= 0.1;
  EXPECT_GT(planner.choose(options).predicted_seconds, predicted_s);
  EXPECT_EQ(planner.plan().predicted_seconds, plan(problem, options).predicted_seconds);
}

TEST(Planner, SolvesAsAFreshSolveDoes) {
  const Problem problem = test::dipole(0.5, 1e-3, 21);
  Options options;
  options.threads = 1;
  Planner planner(problem, options);
  const Solution planned = solve(planner), fresh = solve(problem, options);
  ASSERT_EQ(planned.frequencies.size(), fresh.frequencies.size());
  EXPECT_EQ(planned.frequencies[0].ports[0].impedance_ohm,
            fresh.frequencies[0].ports[0].impedance_ohm);
}

}  // namespace
}  // namespace thinwire
