#include "mom/schedule/batches.h"
#include "mom/schedule/solve_many.h"
#include "tests/kernels/device/device_test_support.h"
#include "tests/mom/schedule/batch_cases.h"

namespace thinwire::test {
namespace {

using DeviceBatch = thinwire::testing::OnDevice;

/// Antennas of different sizes over both media, prepared for a batch.
struct Prepared {
  std::vector<Problem> problems;
  std::vector<std::unique_ptr<Planner>> planners;
  std::vector<std::unique_ptr<BatchedJob>> jobs;
  std::vector<const BatchSystem*> systems;

  /// The reduced kernel wants segments longer than the radius: the deck's.
  explicit Prepared(GreensKernel kernel) {
    const bool exact = kernel == GreensKernel::exact;
    for (int i = 0; i < 15; ++i)
      problems.push_back(
          batch_case(i % 5, 5 + (exact ? 40 : 20) * (i % 4), 0.2 + 0.01 * i));
    const Options options =
        options_for(exact ? MeshChoice::graded : MeshChoice::as_given);
    for (const Problem& problem : problems) {
      planners.push_back(std::make_unique<Planner>(problem, batch_options(options)));
      jobs.push_back(std::make_unique<BatchedJob>(*planners.back()));
      for (const BatchSystem& system : jobs.back()->backend->systems())
        systems.push_back(&system);
    }
  }
};

TEST_F(DeviceBatch, IsThatOfTheCpu) {
  for (const GreensKernel kernel : {GreensKernel::exact, GreensKernel::reduced}) {
    const Prepared prepared(kernel);
    const auto got =
        make_device_batch_solver(0, "cuda:0")->solve(prepared.systems, kernel);
    const auto want = cpu_batch_solver()->solve(prepared.systems, kernel);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_LT(thinwire::testing::relative_difference(got[i].current, want[i].current),
                1e-9)
          << i << ", unknowns " << prepared.systems[i]->unknowns();
      EXPECT_EQ(got[i].sound(), want[i].sound()) << i;
      for (const double residual : got[i].relative_residual) EXPECT_LT(residual, 1e-11);
    }
  }
}

TEST_F(DeviceBatch, VariantsAreWhatEachGivesAlone) {
  Options options = options_for(MeshChoice::graded);
  options.device = {DeviceRequest::Kind::cuda};
  options.threads = 4;
  std::vector<Solution> solutions(40);
  const auto variant = [](std::size_t i) {
    Problem problem = batch_case(static_cast<int>(i % 5), 11, 0.2 + 0.002 * double(i));
    if (i == 7) problem.runs[0].ground = Ground::sommerfeld(13, 0.005);
    return problem;
  };
  ManyProblems many;
  many.tasks = own_tasks(solutions.size(), options.monitor);
  many.problem_at = variant;
  many.done = [&](std::size_t i, const Problem&, Solution&& s) { solutions[i] = s; };
  many.name = [](std::size_t) { return std::string(); };
  const Problem first = variant(0);
  Planner planner(first, options);
  EXPECT_EQ(choose_for_many(planner, 40, options), ManyChoice::batches);
  solve_many(many, ManyChoice::batches, options);
  options.device = {DeviceRequest::Kind::cpu};
  for (std::size_t i = 0; i < solutions.size(); ++i) {
    EXPECT_TRUE(solutions[i].device.starts_with("cuda:0")) << i;
    EXPECT_LT(largest_difference(solutions[i], solve(variant(i), options)),
              i == 7 ? 1e-5 : 1e-9)
        << i;
  }
}

TEST_F(DeviceBatch, FrequenciesOfOneProblem) {
  Problem problem = batch_case(1, 31, 0.24);
  auto& frequency_hz = problem.runs[0].frequency_hz;
  for (int i = 1; i < 40; ++i) frequency_hz.push_back(one_metre_wave_hz * (1 + 0.01 * i));
  Options options = options_for(MeshChoice::graded);
  options.device = {DeviceRequest::Kind::cuda};
  const Solution solution = solve(problem, options);
  EXPECT_TRUE(solution.device.starts_with("cuda:0"));
  options.device = {DeviceRequest::Kind::cpu};
  for (const std::size_t f : {0, 17, 39}) {
    Problem alone = problem;
    alone.runs[0].frequency_hz = {frequency_hz[f]};
    Solution one = solution;
    one.frequencies = {solution.frequencies[f]};
    EXPECT_LT(largest_difference(one, solve(alone, options)), 1e-9) << f;
  }
}

}  // namespace
}  // namespace thinwire::test
