#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "mom/plan/planner.h"
#include "mom/schedule/solve_many.h"
#include "mom/warnings/model_warnings.h"
#include "python/core/core.h"

namespace thinwire::python {
namespace {

/// Variants on their way: what the work owns.
struct Variants {
  std::vector<std::shared_ptr<ReadProblem>> problems;
  std::vector<std::string> names;
  std::vector<std::unique_ptr<Solved>> solved;  ///< null: not yet
};

/// In the order of the problems; None where one was not solved.
nb::list results_of(Variants& variants) {
  nb::list results;
  for (std::unique_ptr<Solved>& solved : variants.solved)
    results.append(solved ? nb::cast(std::move(solved)) : nb::none());
  return results;
}

/// Solves problems that differ by a little: small ones one on each thread, or in batches
/// on a GPU, as solve_many() does. given: of all; without z0 each has its deck's. What
/// was solved before an interrupt is the exception's attribute `solved`.
nb::list solve_variants(const std::vector<std::shared_ptr<ReadProblem>>& problems,
                        const std::vector<std::string>& names, const nb::dict& given,
                        nb::object progress) {
  const auto variants = std::make_shared<Variants>();
  variants->problems = problems;
  variants->names = names;
  variants->solved.resize(problems.size());
  const Options options = options_from(given);
  const bool has_z0 = given.contains("z0"), placed = given.contains("placement");
  const auto work = [variants, options, has_z0, placed](const Monitor& monitor) {
    const auto options_of = [&](const Problem& problem) {
      Options own = options;
      if (!has_z0 && problem.reference_ohm) own.reference_ohm = *problem.reference_ohm;
      own.keep_coefficients = true;
      return own;
    };
    ManyProblems many;
    many.tasks = own_tasks(variants->problems.size(), monitor);
    many.problem_at = [&](std::size_t v) { return variants->problems[v]->problem; };
    many.name = [&](std::size_t v) { return "with " + variants->names[v] + ": "; };
    many.done = [&](std::size_t v, const Problem& problem, Solution&& solution) {
      auto solved = std::make_unique<Solved>();
      solved->input = variants->problems[v];
      solved->options = options_of(problem);
      std::vector<std::string> warnings = solved->input->warnings;
      for (std::string& text : model_warnings(problem, solved->options))
        warnings.push_back(std::move(text));
      solution.warnings.insert(solution.warnings.begin(), warnings.begin(),
                               warnings.end());
      solution.timings_s.read = solved->input->read_s;
      solution.timings_s.total += solved->input->read_s;
      solved->solution = std::move(solution);
      variants->solved[v] = std::move(solved);
    };
    const Problem& first = variants->problems.front()->problem;
    Options used = options_of(first);
    Planner planner(first, used);
    if (placed) refuse_idle_placement(planner, used);
    choose_cpu_rates(planner, used);
    used.monitor = monitor;
    solve_many(many, choose_for_many(planner, variants->problems.size(), used), used);
    monitor.done();
  };
  run_interruptibly(work, std::move(progress),
                    [&] { return nb::object(results_of(*variants)); });
  return results_of(*variants);
}

}  // namespace

void bind_many(nb::module_& m) {
  m.def("solve_variants", &solve_variants, nb::arg("problems"), nb::arg("names"),
        nb::arg("options"), nb::arg("progress").none());
}

}  // namespace thinwire::python
