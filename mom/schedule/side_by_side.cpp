#include "mom/schedule/side_by_side.h"

#include <algorithm>
#include <atomic>

#include <omp.h>

#include "cg/blas_threads.h"
#include "kernels/base/host_memory.h"
#include "kernels/fill/line_table.h"
#include "mom/schedule/first_failure.h"

namespace thinwire {
std::vector<std::unique_ptr<FrequencySolver>> make_clones(const FrequencySolver& solver,
                                                          const SolveContext& context,
                                                          std::size_t run,
                                                          std::size_t count) {
  // Ranks meet over every frequency.
  if (const Comm* ranks = context.options().ranks; ranks && ranks->ranks() > 1) return {};
  std::size_t threads = threads_side_by_side(omp_get_max_threads(), count);
  std::vector<std::unique_ptr<FrequencySolver>> clones;
  while (clones.size() + 1 < threads) {
    auto clone = solver.clone();
    if (!clone) break;
    if (clones.empty())
      threads = std::min(
          threads, 1 + host_memory().free / 2 /
                           bytes_side_by_side(context.discretization(run).unknowns(),
                                              context.plan_for(run)));
    clones.push_back(std::move(clone));
  }
  if (clones.size() + 1 > threads) clones.clear();
  return clones;
}

void solve_side_by_side(FrequencySolver& solver,
                        std::span<const std::unique_ptr<FrequencySolver>> clones,
                        std::size_t run, std::span<const double> frequency_hz,
                        const Monitor& monitor, const TakeOutcome& take) {
  const std::size_t count = frequency_hz.size();
  const std::size_t threads = clones.size() + 1;
  FirstFailure failure;
  std::atomic<std::size_t> done{0};
  // Each thread does all of its work alone.
  const BlasThreads one_thread(1);
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
    omp_set_num_threads(1);
    const int thread = omp_get_thread_num();
    FrequencySolver& mine = thread == 0 ? solver : *clones[thread - 1];
#pragma omp for schedule(dynamic, LineTable::at_once)
    for (std::size_t i = 0; i < count; ++i) {
      if (failure.is_before(i)) continue;
      try {
        if (i % LineTable::at_once == 0)
          mine.expect(frequency_hz.subspan(i, std::min(LineTable::at_once, count - i)));
        FrequencyOutcome outcome = mine.solve(run, frequency_hz[i], monitor.silent());
        for (double* t : {&outcome.timings_s.fill, &outcome.timings_s.factor,
                          &outcome.timings_s.solve, &outcome.timings_s.post})
          *t /= static_cast<double>(threads);
        take(i, std::move(outcome));
        const std::size_t so_far = ++done;
        if (thread == 0)
          monitor.report("solve",
                         static_cast<double>(so_far) / static_cast<double>(count));
      } catch (...) {
        failure.keep(i);
      }
    }
  }
  failure.rethrow();
}

}  // namespace thinwire
