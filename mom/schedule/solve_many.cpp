#include "mom/schedule/solve_many.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <mutex>
#include <span>

#include <omp.h>

#include "kernels/base/error.h"
#include "kernels/base/stopwatch.h"
#include "mom/gpu/gpu.h"
#include "mom/plan/cost_model.h"
#include "mom/plan/planner.h"
#include "mom/schedule/batch_backend.h"
#include "mom/schedule/batch_fit.h"
#include "mom/schedule/first_failure.h"
#include "mom/schedule/frequency_queue.h"
#include "mom/schedule/solve.h"
#include "mom/schedule/solve_in_a_batch.h"
#include "mom/schedule/solve_job.h"

namespace thinwire {
namespace {

/// Problems of a batch: their matrices fill a GPU several times over, and the CPU works
/// on those before and behind them meanwhile.
constexpr std::size_t problems_at_once = 1024;
/// Seconds that a system of 300 unknowns takes of a CPU thread beside its matrix, and of
/// a GPU.
constexpr double beside_batch_s = 1.2e-3, batch_s = 3e-5;

/// Threads that solve so many problems, one each.
int teams_for(std::size_t count, const Options& options) {
  const auto threads = static_cast<std::size_t>(thread_count(options));
  return static_cast<int>(std::clamp<std::size_t>(count, 1, threads));
}

/// Numbers that are done, for the progress line, and the first failure.
class Count {
 public:
  Count(const ManyProblems& many, const Monitor& monitor)
      : many_(many), monitor_(monitor) {}

  bool leave() const { return leave_; }
  void add() {
    const std::size_t so_far = ++done_;
    if (omp_get_thread_num() == 0)
      monitor_.report("variants", static_cast<double>(so_far) /
                                      static_cast<double>(many_.numbers.size()));
  }
  /// To be called where something was caught.
  void fail(std::size_t number) {
    const std::lock_guard lock(one_at_a_time_);
    if (leave_) return;
    try {
      throw;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::interrupted)
        failed_ = std::current_exception();
      else if (many_.failed)
        return many_.failed(number, error);
      else
        failed_ = std::make_exception_ptr(
            Error(error.kind(), many_.name(number) + error.what()));
    } catch (...) {
      failed_ = std::current_exception();
    }
    leave_ = true;
  }
  void rethrow() const {
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  const ManyProblems& many_;
  const Monitor& monitor_;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> leave_ = false;
  std::mutex one_at_a_time_;
  std::exception_ptr failed_;
};

/// Each by solve(), on `teams` threads at once.
void solve_each(const ManyProblems& many, std::span<const std::size_t> numbers, int teams,
                Options options, Count& count) {
  options.monitor = options.monitor.silent();
  if (teams > 1) {
    options.threads = 1;
    options.device = {DeviceRequest::Kind::cpu};
  }
#pragma omp parallel for schedule(dynamic) num_threads(teams) if (teams > 1)
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (count.leave()) continue;
    try {
      const Problem problem = many.problem_at(numbers[i]);
      many.done(numbers[i], problem, solve(problem, options));
      count.add();
    } catch (...) {
      count.fail(numbers[i]);
    }
  }
}

/// A problem on its way through a batch.
struct InBatch {
  std::size_t number;
  std::optional<Problem> problem = {};
  std::unique_ptr<Planner> planner = {};
  std::unique_ptr<SolveJob> job = {};
  std::unique_ptr<BatchBackend> backend = {};  ///< null: it does not fit
  bool failed = false;
};
using Chunk = std::vector<InBatch>;

/// Batches, one behind the other: while the GPU has one, threads finish the one before
/// and prepare the next.
class Pipeline {
 public:
  Pipeline(const ManyProblems& many, const Options& options, Count& count)
      : many_(many),
        alone_(batch_options(options)),
        options_(options),
        threads_(thread_count(options)),
        count_(count) {
    alone_.threads = 1;
    alone_.monitor = options.monitor.silent();
  }

  void run(const std::function<std::unique_ptr<BatchSolver>()>& make_solver,
           std::size_t at_once) {
    // A GPU's start takes as long as a thousand problems.
    auto starting = std::async(std::launch::async, make_solver);
    Chunk before, now = take(at_once);
    work({}, now);
    const std::unique_ptr<BatchSolver> solver = starting.get();
    while (!now.empty() && !count_.leave()) {
      Chunk next = take(at_once);
      auto solving = std::async(std::launch::async, [&] { solve(now, *solver); });
      work(before, next);
      solving.get();
      before = std::move(now);
      now = std::move(next);
    }
    work(before, {});
  }

  /// Returns the problems that did not fit.
  const std::vector<std::size_t>& left() const { return left_; }

 private:
  Chunk take(std::size_t at_once) {
    Chunk chunk;
    for (; chunk.size() < at_once && taken_ < many_.numbers.size(); ++taken_)
      chunk.push_back({many_.numbers[taken_]});
    return chunk;
  }

  /// Finishes some and prepares others, one on each thread.
  void work(std::span<InBatch> solved, std::span<InBatch> fresh) {
    const std::size_t all = solved.size() + fresh.size();
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
    for (std::size_t i = 0; i < all; ++i) {
      if (count_.leave()) continue;
      InBatch& problem = i < solved.size() ? solved[i] : fresh[i - solved.size()];
      try {
        if (i < solved.size())
          finish(problem);
        else
          prepare(problem);
      } catch (...) {
        problem.failed = true;
        count_.fail(problem.number);
      }
    }
  }

  void prepare(InBatch& in) const {
    in.problem = many_.problem_at(in.number);
    if (!may_be_batched(*in.problem, options_)) return;
    in.planner = std::make_unique<Planner>(*in.problem, alone_);
    in.job = std::make_unique<SolveJob>(*in.planner);
    in.backend = BatchBackend::collect(*in.job->context());
  }

  /// The systems of all that fit.
  static void solve(Chunk& chunk, const BatchSolver& solver) {
    std::vector<InBatch*> fitting;
    for (InBatch& in : chunk)
      if (!in.failed && in.backend && fits_batch(*in.job->context(), solver))
        fitting.push_back(&in);
    if (fitting.empty()) return;
    double seconds = 0;
    {
      const Stopwatch watch(seconds);
      // In two halves: the host puts one together while the GPU has the other.
      const std::span<InBatch* const> all = fitting;
      const std::size_t half = all.size() / 2;
      auto first = std::async(std::launch::async,
                              [&] { solve_together(all.first(half), solver); });
      solve_together(all.subspan(half), solver);
      first.get();
    }
    for (InBatch* in : fitting) {
      const double share = seconds / static_cast<double>(fitting.size());
      in->job->timings_s().solve += share;
      in->job->timings_s().total += share;
    }
  }

  static void solve_together(std::span<InBatch* const> fitting,
                             const BatchSolver& solver) {
    if (fitting.empty()) return;
    std::vector<const BatchSystem*> systems;
    for (const InBatch* in : fitting)
      for (const BatchSystem& system : in->backend->systems()) systems.push_back(&system);
    std::vector<BatchSolution> solutions =
        solver.solve(systems, fitting.front()->job->context()->options().kernel);
    auto next = std::make_move_iterator(solutions.begin());
    for (InBatch* in : fitting) {
      const auto count = static_cast<std::ptrdiff_t>(in->backend->systems().size());
      in->backend->take(solver.name(), {next, next + count});
      next += count;
    }
  }

  void finish(InBatch& in) {
    if (in.failed) return;
    if (!in.backend || in.backend->name().empty()) {
      const std::lock_guard lock(one_at_a_time_);
      left_.push_back(in.number);
      return;
    }
    in.job->context()->use(*in.backend);
    many_.done(in.number, *in.problem, in.job->finish());
    count_.add();
  }

  const ManyProblems& many_;
  Options alone_;
  const Options& options_;
  int threads_;
  Count& count_;
  std::size_t taken_ = 0;
  std::mutex one_at_a_time_;
  std::vector<std::size_t> left_;
};

}  // namespace

ManyCost cost_of_many(Planner& planner, std::size_t count, const Options& options) {
  Options alone = options;
  alone.device = {DeviceRequest::Kind::cpu};
  alone.threads = 1;
  const int teams = teams_for(count, options);
  const double all = static_cast<double>(count),
               at_once = options.cpu_rates.computing_of(teams),
               systems = all * static_cast<double>(step_count(planner.problem()));
  return {all * planner.choose(alone).predicted_seconds / at_once,
          gpu_start_s + systems * std::max(batch_s, beside_batch_s / at_once)};
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
  Count count(many, options.monitor);
  const int teams =
      choice == ManyChoice::one_by_one ? 1 : teams_for(many.numbers.size(), options);
  solve_each(many, many.numbers, teams, options, count);
  count.rethrow();
}

void solve_in_batches(const ManyProblems& many,
                      const std::function<std::unique_ptr<BatchSolver>()>& make_solver,
                      std::size_t at_once, const Options& options) {
  Count count(many, options.monitor);
  Pipeline pipeline(many, options, count);
  pipeline.run(make_solver, at_once);
  solve_each(many, pipeline.left(), 1, options, count);
  count.rethrow();
}

}  // namespace thinwire
