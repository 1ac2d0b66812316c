#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "io/deck/parameters.h"
#include "io/result/write_optimization.h"
#include "mom/optimize/optimize.h"
#include "mom/plan/planner.h"
#include "mom/solve.h"
#include "mom/warnings/model_warnings.h"
#include "python/core/core.h"

namespace thinwire::python {
namespace {

/// A Python function of the variables' values that gives a Problem. Threads without the
/// GIL may call it.
class ReadWithValues {
 public:
  explicit ReadWithValues(nb::callable read)
      : read_(new nb::callable(std::move(read)), [](nb::callable* last) {
          const nb::gil_scoped_acquire lock;
          delete last;
        }) {}

  /// Throws Error{geometry} with the text of what the function raises.
  Problem operator()(std::span<const double> values) const {
    const nb::gil_scoped_acquire lock;
    try {
      const nb::object made = (*read_)(std::vector<double>(values.begin(), values.end()));
      return nb::cast<const ReadProblem&>(made).problem;
    } catch (const nb::python_error& error) {
      throw Error(ErrorKind::geometry, nb::str(error.value()).c_str());
    }
  }

 private:
  std::shared_ptr<nb::callable> read_;
};

/// With a Parameter for each variable, where derivatives are wanted.
ProblemAt problem_at(const ReadWithValues& read, const std::vector<Variable>& variables) {
  return [read, variables](std::span<const double> values, bool derivatives) {
    Problem problem = read(values);
    for (std::size_t v = 0; derivatives && v < values.size(); ++v)
      problem.parameters.push_back(
          parameter_of(problem, variables[v].name, values[v], [&](double changed) {
            std::vector<double> moved(values.begin(), values.end());
            moved[v] = changed;
            return read(moved);
          }));
    return problem;
  };
}

/// Arguments and results of a search.
struct Search {
  OptimizationReport report;
  SearchSettings settings;
  Options options;
};

/// Returns the warnings of a solve of the best variant and of the search.
std::vector<std::string> warnings_of(const OptimizationReport& report,
                                     const ReadProblem& base, const Problem& best,
                                     const Options& options) {
  std::vector<std::string> all = base.warnings;
  const auto add = [&all](const std::vector<std::string>& some) {
    for (const std::string& text : some)
      if (std::ranges::find(all, text) == all.end()) all.push_back(text);
  };
  Options silent = options;
  silent.monitor = options.monitor.silent();
  add(model_warnings(best, silent));
  add(solve(best, silent).warnings);
  add(search_warnings(report, silent));
  return all;
}

nb::dict results_of(const OptimizationReport& report) {
  const Optimization& result = report.result;
  const std::size_t count = result.evaluations.size();
  std::vector<double> variables, goals, objective, miss;
  std::vector<std::int64_t> search;
  for (const Evaluation& one : result.evaluations) {
    variables.insert(variables.end(), one.variables.begin(), one.variables.end());
    for (std::size_t g = 0; g < report.goals.size(); ++g)
      goals.push_back(one.goals.empty() ? std::numeric_limits<double>::quiet_NaN()
                                        : one.goals[g]);
    objective.push_back(one.score.objective);
    miss.push_back(one.score.miss);
    search.push_back(static_cast<std::int64_t>(one.start));
  }
  nb::list met;
  for (std::size_t g = 0; g < report.goals.size(); ++g)
    met.append(report.goals[g].is_bound() ? nb::cast(report.is_met(g)) : nb::none());
  nb::dict dict;
  dict["best"] = result.best;
  dict["met"] = met;
  dict["variable_value"] =
      array_from(std::move(variables), {count, report.variables.size()});
  dict["goal_value"] = array_from(std::move(goals), {count, report.goals.size()});
  dict["objective"] = array_from(std::move(objective));
  dict["miss"] = array_from(std::move(miss));
  dict["search"] = array_from(std::move(search));
  dict["method"] = std::string(name_of(result.method));
  dict["exact_derivatives"] = result.exact_derivatives;
  dict["failed"] = result.failed;
  dict["first_failure"] = result.first_failure;
  dict["ended"] = result.ended;
  dict["warnings"] = report.warnings;
  return dict;
}

/// variables: name, lower, upper and start of each. base: the problem at the starts.
nb::dict optimize_all(
    nb::callable read, std::shared_ptr<ReadProblem> base,
    const std::vector<std::tuple<std::string, double, double, double>>& variables,
    const std::vector<std::string>& goals, const std::string& method,
    std::optional<int> starts, std::size_t evaluations, double seconds, double resolution,
    const nb::dict& given, nb::object progress) {
  const auto search = std::make_shared<Search>();
  for (const auto& [name, lower, upper, start] : variables)
    search->report.variables.push_back({name, lower, upper, start});
  for (const std::string& text : goals) search->report.goals.push_back(goal_of(text));
  search->options = options_from(given);
  search->report.reference_ohm = search->options.reference_ohm;
  const SearchMethod named = choice_named<SearchMethod>("method", method);
  search->settings = {named,
                      starts.value_or(default_starts(named)),
                      evaluations,
                      seconds,
                      resolution,
                      true,
                      ManyChoice::one_by_one};
  const bool placed = given.contains("placement");
  const auto work = [search, base, placed,
                     read = ReadWithValues(std::move(read))](const Monitor& monitor) {
    OptimizationReport& report = search->report;
    Options& options = search->options;
    const GoalSet set(report.goals, base->problem, report.reference_ohm);
    report.goals = set.goals();
    Planner planner(base->problem, options);
    if (placed) refuse_idle_placement(planner, options);
    choose_cpu_rates(planner, options);
    search->settings.side_by_side = planner.solved_side_by_side(options);
    choose_generation(report.variables.size(), set.asked(base->problem), options,
                      search->settings);
    options.monitor = monitor;
    report.result = optimize(report.variables, set, problem_at(read, report.variables),
                             search->settings, options);
    if (report.result.interrupted) return;
    report.warnings =
        warnings_of(report, *base, set.asked(read(report.best().variables)), options);
  };
  run_interruptibly(work, std::move(progress), [&search]() -> nb::object {
    if (search->report.result.evaluations.empty()) return nb::none();
    return results_of(search->report);
  });
  return results_of(search->report);
}

}  // namespace

void bind_optimize(nb::module_& m) {
  m.def("goal_frequencies",
        [](const std::string& goal) { return goal_of(goal).frequency_hz; });
  m.def("optimize", &optimize_all, nb::arg("read"), nb::arg("base"), nb::arg("variables"),
        nb::arg("goals"), nb::arg("method"), nb::arg("starts").none(),
        nb::arg("evaluations"), nb::arg("seconds"), nb::arg("resolution"),
        nb::arg("options"), nb::arg("progress").none());
}

}  // namespace thinwire::python
