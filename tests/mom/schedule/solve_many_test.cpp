#include "mom/schedule/solve_many.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "kernels/base/error.h"
#include "mom/schedule/batches.h"
#include "tests/messages.h"
#include "tests/mom/schedule/batch_cases.h"

namespace thinwire::test::solve_many_test {
namespace {

/// Results of problems, by number.
struct Solved {
  std::mutex one_at_a_time;
  std::map<std::size_t, Solution> solutions;
};

ManyProblems many_of(std::function<Problem(std::size_t)> problem_at, std::size_t count,
                     Solved& solved) {
  ManyProblems many;
  many.tasks = own_tasks(count, {});
  many.problem_at = std::move(problem_at);
  many.done = [&solved](std::size_t number, const Problem&, Solution&& solution) {
    const std::lock_guard lock(solved.one_at_a_time);
    EXPECT_TRUE(solved.solutions.emplace(number, std::move(solution)).second);
  };
  many.name = [](std::size_t number) {
    return "with x=" + std::to_string(number) + ": ";
  };
  return many;
}

Problem variant(std::size_t i) {
  return batch_case(static_cast<int>(i % 5), 9 + 2 * static_cast<int>(i % 3),
                    0.2 + 0.01 * static_cast<double>(i));
}

Options with_threads(int threads) {
  Options options = options_for(MeshChoice::graded);
  options.threads = threads;
  options.device = {DeviceRequest::Kind::cpu};
  return options;
}

TEST(SolveMany, InBatchesIsWhatEachGivesAlone) {
  const Options options = with_threads(3);
  Solved solved;
  // Five at once: batches that are not full, and several of them.
  solve_in_batches(many_of(variant, 17, solved), cpu_batch_solver, 5, options);
  ASSERT_EQ(solved.solutions.size(), 17u);
  for (const auto& [i, solution] : solved.solutions) {
    const Problem problem = variant(i);
    const Solution alone = solve(problem, options);
    EXPECT_LT(largest_difference(solution, alone), 1e-9) << i;
    EXPECT_EQ(solution.warnings, alone.warnings) << i;
    EXPECT_EQ(solution.unknowns, alone.unknowns);
    EXPECT_TRUE(solution.frequencies[0].solver.converged);
    EXPECT_LT(solution.frequencies[0].solver.relative_residual, 1e-10);
  }
}

TEST(SolveMany, SideBySideAndOneByOneAreTheSameToTheLastBit) {
  Solved side_by_side, one_by_one;
  solve_many(many_of(variant, 7, side_by_side), ManyChoice::side_by_side,
             with_threads(3));
  solve_many(many_of(variant, 7, one_by_one), ManyChoice::one_by_one, with_threads(1));
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_EQ(numbers_of(side_by_side.solutions.at(i)),
              numbers_of(one_by_one.solutions.at(i)));
}

TEST(SolveMany, WhatDoesNotFitIsSolvedAlone) {
  const auto odd = [](std::size_t i) {
    Problem problem = variant(0);
    if (i == 1) problem.runs[0].ground = Ground::sommerfeld(13, 0.005);
    return problem;
  };
  const Options options = with_threads(2);
  Solved solved;
  const ManyProblems many = many_of(odd, 2, solved);
  solve_in_batches(many, cpu_batch_solver, 8, options);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_LT(largest_difference(solved.solutions.at(i), solve(odd(i), options)), 1e-9)
        << i;
}

/// Solutions that are none.
class LosingSolver final : public BatchSolver {
 public:
  std::string name() const override { return "losing"; }
  bool takes(std::size_t, std::size_t) const override { return true; }
  std::vector<BatchSolution> solve(std::span<const BatchSystem* const> systems,
                                   GreensKernel) const override {
    std::vector<BatchSolution> solutions;
    for (const BatchSystem* system : systems)
      solutions.push_back(
          {system->v, std::vector<double>(system->rhs_count(), 0.0), 1e9, 1});
    return solutions;
  }
};

TEST(SolveMany, ASolutionThatIsNotSoundIsFoundAnewAndThatIsTold) {
  const Options options = with_threads(2);
  Solved solved;
  solve_in_batches(
      many_of(variant, 5, solved), [] { return std::make_unique<LosingSolver>(); }, 8,
      options);
  for (std::size_t i = 0; i < 5; ++i) {
    const Solution& solution = solved.solutions.at(i);
    EXPECT_LT(largest_difference(solution, solve(variant(i), options)), 1e-9) << i;
    ASSERT_FALSE(solution.warnings.empty());
    EXPECT_NE(solution.warnings.front().find("alone on the CPU"), std::string::npos);
  }
}

TEST(SolveMany, ManyFrequenciesOfOneProblemInABatch) {
  for (int number = 0; number < 5; ++number) {
    Problem problem = batch_case(number, 11, 0.24);
    for (thinwire::Run& run : problem.runs)
      run.frequency_hz = {0.8 * one_metre_wave_hz, one_metre_wave_hz,
                          1.3 * one_metre_wave_hz};
    const Options options = with_threads(2);
    Planner planner(problem, options);
    const auto solution = solve_in_a_batch(planner, *cpu_batch_solver());
    ASSERT_TRUE(solution);
    ASSERT_EQ(solution->frequencies.size(), 3 * problem.runs.size());
    EXPECT_EQ(solution->device, "cpu");
    for (std::size_t r = 0; r < problem.runs.size(); ++r)
      for (std::size_t f = 0; f < 3; ++f) {
        Problem alone = problem;
        alone.runs = {problem.runs[r]};
        alone.runs[0].frequency_hz = {problem.runs[r].frequency_hz[f]};
        Solution one = *solution;
        one.frequencies = {solution->frequencies[3 * r + f]};
        EXPECT_LT(largest_difference(one, solve(alone, options)), 1e-9)
            << number << ", run " << r << ", frequency " << f;
      }
  }
}

ManyCost cost_of(const Problem& problem, std::size_t count, const Options& options) {
  Planner planner(problem, options);
  return cost_of_many(planner, count, options);
}

ManyChoice choice_for(const Problem& problem, std::size_t count, const Options& options) {
  Planner planner(problem, options);
  return choose_for_many(planner, count, options);
}

TEST(ChooseForMany, ThreadsWithoutAVariantSaveNoTime) {
  const Problem problem = variant(0);
  const double on_four = cost_of(problem, 4, with_threads(4)).side_by_side_s;
  EXPECT_GT(on_four, 0);
  EXPECT_EQ(cost_of(problem, 4, with_threads(64)).side_by_side_s, on_four);
  EXPECT_EQ(cost_of(problem, 8, with_threads(4)).side_by_side_s, 2 * on_four);
}

TEST(ChooseForMany, EveryFrequencyIsASystemOfABatch) {
  Problem one = variant(0), five = variant(0);
  five.runs[0].frequency_hz.assign(5, one_metre_wave_hz);
  const Options options = with_threads(2);
  EXPECT_DOUBLE_EQ(cost_of(five, 20, options).batches_s,
                   cost_of(one, 100, options).batches_s);
  EXPECT_GT(cost_of(one, 100, options).batches_s,
            cost_of(one, 100, with_threads(4)).batches_s);
}

TEST(ChooseForMany, AGpuThatIsAskedForTakesFewVariantsTogether) {
  Options options = options_for(MeshChoice::graded);
  options.device = {DeviceRequest::Kind::cuda};
  EXPECT_EQ(choice_for(variant(0), 7, options), ManyChoice::batches);
  EXPECT_EQ(choice_for(variant(0), 2, options), ManyChoice::batches);
  EXPECT_EQ(choice_for(variant(0), 1, options), ManyChoice::one_by_one);
  Problem over_soil = variant(0);
  over_soil.runs[0].ground = Ground::sommerfeld(13, 0.005);
  EXPECT_EQ(choice_for(over_soil, 7, options), ManyChoice::one_by_one);
}

TEST(SolveMany, AnErrorNamesItsProblem) {
  const auto bad = [](std::size_t i) {
    if (i != 3) return variant(0);
    // One segment, free at both ends: no current can flow.
    Problem problem;
    problem.structure.add_wire(1, 1, {0, 0, 0}, {0, 0, 0.4}, 1e-3);
    feed(problem, 0);
    return problem;
  };
  Options options = with_threads(1);
  options.mesh = MeshChoice::as_given;
  for (const bool batches : {false, true}) {
    Solved solved;
    const ManyProblems many = many_of(bad, 6, solved);
    try {
      if (batches)
        solve_in_batches(many, cpu_batch_solver, 2, options);
      else
        solve_many(many, ManyChoice::one_by_one, options);
      FAIL();
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("with x=3: ")) << error.what();
    }
  }
}

TEST(SolveMany, TheFirstOfSeveralErrorsIsReportedWhateverTheThreads) {
  const auto some_bad = [](std::size_t i) {
    if (i == 2 || i > 4) throw Error(ErrorKind::geometry, "no antenna");
    return variant(i);
  };
  for (const int threads : {1, 3}) {
    Solved solved;
    const ManyProblems many = many_of(some_bad, 9, solved);
    const Options options = with_threads(threads);
    EXPECT_EQ(
        test::error_message([&] { solve_many(many, ManyChoice::side_by_side, options); }),
        "with x=2: no antenna");
    EXPECT_EQ(test::error_message(
                  [&] { solve_in_batches(many, cpu_batch_solver, 9, options); }),
              "with x=2: no antenna");
  }
}

TEST(SolveMany, WhatFailsIsToldOnceAndTheOthersAreSolved) {
  const auto some_bad = [](std::size_t i) {
    if (i % 3 == 1) throw Error(ErrorKind::geometry, "no antenna");
    return variant(i);
  };
  for (const bool batches : {false, true}) {
    Solved solved;
    ManyProblems many = many_of(some_bad, 7, solved);
    std::vector<std::size_t> failed;
    many.failed = [&](std::size_t number, const Error& error) {
      failed.push_back(number);
      EXPECT_STREQ(error.what(), "no antenna");
    };
    if (batches)
      solve_in_batches(many, cpu_batch_solver, 3, with_threads(2));
    else
      solve_many(many, ManyChoice::side_by_side, with_threads(2));
    std::sort(failed.begin(), failed.end());
    EXPECT_EQ(failed, (std::vector<std::size_t>{1, 4}));
    EXPECT_EQ(solved.solutions.size(), 5u);
  }
}

}  // namespace
}  // namespace thinwire::test::solve_many_test
