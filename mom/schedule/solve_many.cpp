#include "mom/schedule/solve_many.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <optional>
#include <span>

#include "kernels/base/error.h"
#include "mom/gpu/gpu.h"
#include "mom/plan/cost_model.h"
#include "mom/plan/planner.h"
#include "mom/problem/gpu_rates.h"
#include "mom/schedule/batches.h"
#include "mom/schedule/frequency_queue.h"
#include "mom/schedule/solve.h"

namespace thinwire {
namespace {

/// Problems of a batch: their matrices fill a GPU several times over, and the CPU works
/// on those before and behind them meanwhile.
constexpr std::size_t problems_at_once = 1024;

/// Threads that solve so many problems, one each.
int teams_for(std::size_t count, const Options& options) {
  const auto threads = static_cast<std::size_t>(thread_count(options));
  return static_cast<int>(std::clamp<std::size_t>(count, 1, threads));
}

/// A problem on its way through a batch.
struct InBatch {
  std::size_t number;
  std::optional<Problem> problem = {};
  std::unique_ptr<Planner> planner = {};
  std::unique_ptr<BatchedJob> batched = {};  ///< null: it does not fit, or has failed
  bool failed = false;
};
using Chunk = std::vector<InBatch>;

/// Solves the problems by each of the executors.
class ManySolver {
 public:
  ManySolver(const ManyProblems& many, std::span<const std::size_t> numbers,
             const Monitor& monitor, const Options& options)
      : many_(many),
        numbers_(numbers),
        options_(options),
        silent_(options),
        progress_(monitor, "variants", numbers.size()) {
    silent_.monitor = monitor.silent();
  }

  /// Each by solve(), on `teams` threads at once.
  void solve_each(std::span<const std::size_t> numbers, int teams) {
    Options alone = silent_;
    if (teams > 1) {
      alone.threads = 1;
      alone.device = {DeviceRequest::Kind::cpu};
    }
    run_tasks(numbers.size(), teams, [&](std::size_t i) {
      (void)attempt(numbers[i], [&] {
        const Problem problem = many_.problem_at(numbers[i]);
        many_.done(numbers[i], problem, solve(problem, alone));
        progress_.add();
      });
    });
  }

  /// In batches, one behind the other: while the GPU has one, threads finish the one
  /// before and prepare the next.
  void solve_batches(const std::function<std::unique_ptr<BatchSolver>()>& make_solver,
                     std::size_t at_once) {
    // A GPU's start takes as long as a thousand problems.
    auto starting = std::async(std::launch::async, make_solver);
    Chunk before, now = take(at_once);
    work({}, now);
    const std::unique_ptr<BatchSolver> solver = starting.get();
    while (!now.empty()) {
      Chunk next = take(at_once);
      auto solving = std::async(std::launch::async, [&] { solve_fitting(now, *solver); });
      work(before, next);
      solving.get();
      before = std::move(now);
      now = std::move(next);
    }
    work(before, {});
    solve_each(left_, 1);
  }

 private:
  /// Does a part of a problem's work. Returns false where ManyProblems::failed gets its
  /// error; other errors begin with the problem's name.
  template <class Work>
  bool attempt(std::size_t number, const Work& work) {
    try {
      work();
      return true;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::interrupted) throw;
      if (!many_.failed) throw Error(error.kind(), many_.name(number) + error.what());
      const std::lock_guard lock(one_at_a_time_);
      many_.failed(number, error);
      return false;
    }
  }

  Chunk take(std::size_t at_once) {
    Chunk chunk;
    for (; chunk.size() < at_once && taken_ < numbers_.size(); ++taken_)
      chunk.push_back({numbers_[taken_]});
    return chunk;
  }

  /// Finishes some and prepares others, one on each thread.
  void work(std::span<InBatch> solved, std::span<InBatch> fresh) {
    run_tasks(solved.size() + fresh.size(), thread_count(options_), [&](std::size_t i) {
      const bool is_solved = i < solved.size();
      InBatch& in = is_solved ? solved[i] : fresh[i - solved.size()];
      if (in.failed) return;
      in.failed = !attempt(in.number, [&] { is_solved ? finish(in) : prepare(in); });
    });
  }

  void prepare(InBatch& in) const {
    in.problem = many_.problem_at(in.number);
    if (!may_be_batched(*in.problem, options_)) return;
    Options alone = batch_options(silent_);
    alone.threads = 1;
    in.planner = std::make_unique<Planner>(*in.problem, alone);
    in.batched = std::make_unique<BatchedJob>(*in.planner);
  }

  static void solve_fitting(Chunk& chunk, const BatchSolver& solver) {
    std::vector<BatchedJob*> fitting;
    for (InBatch& in : chunk) {
      if (in.batched && !in.batched->fits(solver)) in.batched.reset();
      if (in.batched) fitting.push_back(in.batched.get());
    }
    if (!fitting.empty()) solve_batch(fitting, solver);
  }

  void finish(InBatch& in) {
    if (!in.batched) {
      const std::lock_guard lock(one_at_a_time_);
      left_.push_back(in.number);
      return;
    }
    many_.done(in.number, *in.problem, in.batched->finish());
    progress_.add();
  }

  const ManyProblems& many_;
  std::span<const std::size_t> numbers_;
  const Options& options_;
  Options silent_;
  TaskProgress progress_;
  std::size_t taken_ = 0;
  std::mutex one_at_a_time_;
  std::vector<std::size_t> left_;  ///< problems that do not fit a batch
};

/// Calls solve(solver, numbers) for the problems as they come.
template <class Solve>
void for_tasks(const ManyProblems& many, const Options& options, const Solve& solve) {
  const TaskQueue tasks = many.tasks;
  for (auto numbers = tasks.next(); !numbers.empty(); numbers = tasks.next()) {
    const Monitor monitor = tasks.progress(numbers.size());
    ManySolver solver(many, numbers, monitor, options);
    solve(solver, numbers);
  }
}

}  // namespace

ManyCost cost_of_many(Planner& planner, std::size_t count, const Options& options) {
  Options alone = options;
  alone.device = {DeviceRequest::Kind::cpu};
  alone.threads = 1;
  const int teams = teams_for(count, options);
  const double all = static_cast<double>(count),
               at_once = options.cpu_rates.computing_of(teams),
               systems = all * static_cast<double>(step_count(planner.problem()));
  const Plan& plan = planner.choose(alone);
  const double beside_s = preparation_seconds(plan.mesh_elements, options.cpu_rates, 1);
  return {all * plan.predicted_seconds / at_once,
          h200.start_s + systems * std::max(batched_seconds_on_gpu(plan.unknowns),
                                            beside_s / at_once)};
}

ManyChoice choose_for_many(Planner& planner, std::size_t count, const Options& options) {
  const std::size_t systems = step_count(planner.problem());
  const bool may_be = may_be_batched(planner.problem(), options);
  // Each alone takes launches and copies that a batch has once, however small it is.
  if (options.device.kind == DeviceRequest::Kind::cuda)
    return may_be && (count > 1 || systems >= min_batch_systems) ? ManyChoice::batches
                                                                 : ManyChoice::one_by_one;
  if (!planner.solved_side_by_side(options)) return ManyChoice::one_by_one;
  if (!may_be || count * systems < min_batch_systems ||
      options.device.kind == DeviceRequest::Kind::cpu)
    return ManyChoice::side_by_side;
  const ManyCost cost = cost_of_many(planner, count, options);
  return cost.side_by_side_s > 2 * cost.batches_s &&
                 gpu_report(options.device.index).problem.empty()
             ? ManyChoice::batches
             : ManyChoice::side_by_side;
}

void solve_many(const ManyProblems& many, ManyChoice choice, const Options& options) {
  if (choice == ManyChoice::batches)
    return solve_in_batches(
        many, [&] { return gpu_batch_solver(options.device.index); }, problems_at_once,
        options);
  for_tasks(many, options, [&](ManySolver& solver, std::span<const std::size_t> numbers) {
    solver.solve_each(numbers, choice == ManyChoice::one_by_one
                                   ? 1
                                   : teams_for(numbers.size(), options));
  });
}

void solve_in_batches(const ManyProblems& many,
                      const std::function<std::unique_ptr<BatchSolver>()>& make_solver,
                      std::size_t at_once, const Options& options) {
  for_tasks(many, options, [&](ManySolver& solver, std::span<const std::size_t>) {
    solver.solve_batches(make_solver, at_once);
  });
}

}  // namespace thinwire
