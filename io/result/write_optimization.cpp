#include "io/result/write_optimization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/result/hdf5_file.h"
#include "io/result/hdf5_origin.h"
#include "io/result/output_file.h"
#include "kernels/base/constants.h"
#include "kernels/base/counted.h"

namespace thinwire {
namespace {

/// A gain as far below 0 dBi, or a ratio as large, is of a null.
constexpr double nothing_radiated_db = 200;

const Evaluation& first(const OptimizationReport& report) {
  return report.result.evaluations.front();
}

double goal_value(const Evaluation& evaluation, std::size_t goal) {
  return evaluation.goals.empty() ? nan : evaluation.goals[goal];
}

std::string cell_text(double value) {
  return value == value ? fmt::format("{:.6g}", value) : "-";
}

}  // namespace

bool OptimizationReport::is_met(std::size_t goal) const {
  Score score;
  score.unweighted_violation =
      miss_of(goals[goal], goal_value(best(), goal), reference_ohm);
  return score.keeps_bounds();
}

std::vector<std::string> search_warnings(const OptimizationReport& report,
                                         const Options& options) {
  const Optimization& result = report.result;
  std::vector<std::string> all;
  if (result.failed > 0)
    all.push_back(fmt::format("{} could not be solved. The first: {}",
                              counted(result.failed, "variant"), result.first_failure));
  for (const std::size_t v : result.idle)
    all.push_back(fmt::format("{} has no effect on any goal: leave it out of --vary",
                              report.variables[v].name));
  bool are_gains = false;
  for (std::size_t g = 0; g < report.goals.size(); ++g) {
    const Goal& goal = report.goals[g];
    if (!goal.is_of_gain()) continue;
    are_gains = true;
    const double value = report.best().goals[g];
    if (std::abs(value) > nothing_radiated_db)
      all.push_back(
          fmt::format("'{}' comes to {:.6g} {}: hardly anything is radiated in its "
                      "direction. Give another one.",
                      goal.text, value, unit_of(goal.quantity)));
  }
  if (are_gains && result.exact_derivatives && options.sweep == SweepChoice::fast)
    all.push_back(
        "--sweep fast: every frequency of a variant was solved, because exact "
        "derivatives of gains need solved frequencies");
  return all;
}

double OptimizationPlan::seconds() const {
  const double all = seconds_each * static_cast<double>(evaluations) / side_by_side;
  return seconds_limit > 0 ? std::min(all, seconds_limit) : all;
}

std::string plan_table(const OptimizationPlan& plan) {
  return fmt::format(
      "{}, {}, {:.3g} s an evaluation{}: at most {}, {} at once, about {:.3g} s\n",
      counted(plan.unknowns, "unknown"), counted(plan.frequencies, "frequency"),
      plan.seconds_each, plan.derivatives ? " with derivatives" : "",
      counted(plan.evaluations, "evaluation"), plan.side_by_side, plan.seconds());
}

std::string plan_json(const OptimizationPlan& plan) {
  return nlohmann::ordered_json(
             {{"format", "thinwire-optimization-plan"},
              {"version", 1},
              {"unknowns", plan.unknowns},
              {"frequencies", plan.frequencies},
              {"evaluations", plan.evaluations},
              {"side_by_side", plan.side_by_side},
              {"derivatives", plan.derivatives ? "exact" : "differences"},
              {"seconds_each", plan.seconds_each},
              {"seconds", plan.seconds()}})
             .dump(1) +
         "\n";
}

std::string optimization_table(const OptimizationReport& report) {
  std::size_t width = 12;
  for (const Goal& goal : report.goals) width = std::max(width, goal.text.size());
  for (const Variable& variable : report.variables)
    width = std::max(width, variable.name.size());
  std::string table = fmt::format("{:<{}} {:>12} {:>12} {:>12} {:>12}\n", "variable",
                                  width, "start", "best", "lower", "upper");
  for (std::size_t v = 0; v < report.variables.size(); ++v) {
    const Variable& variable = report.variables[v];
    table += fmt::format("{:<{}} {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g}\n",
                         variable.name, width, variable.start, report.best().variables[v],
                         variable.lower, variable.upper);
  }
  table += fmt::format("\n{:<{}} {:>12} {:>12}\n", "goal", width, "start", "best");
  for (std::size_t g = 0; g < report.goals.size(); ++g) {
    const Goal& goal = report.goals[g];
    const std::string_view unit = unit_of(goal.quantity);
    table += fmt::format("{:<{}} {:>12} {:>12}{}{}{}\n", goal.text, width,
                         cell_text(goal_value(first(report), g)),
                         cell_text(goal_value(report.best(), g)), unit.empty() ? "" : " ",
                         unit,
                         !goal.is_bound()   ? ""
                         : report.is_met(g) ? "  met"
                                            : "  missed");
  }
  return table;
}

std::string optimization_json(const OptimizationReport& report) {
  using Json = nlohmann::ordered_json;
  Json variables = Json::array(), goals = Json::array();
  for (std::size_t v = 0; v < report.variables.size(); ++v) {
    const Variable& variable = report.variables[v];
    variables.push_back({{"name", variable.name},
                         {"lower", variable.lower},
                         {"upper", variable.upper},
                         {"start", variable.start},
                         {"best", report.best().variables[v]}});
  }
  for (std::size_t g = 0; g < report.goals.size(); ++g) {
    Json goal = {{"goal", report.goals[g].text},
                 {"start", goal_value(first(report), g)},
                 {"best", goal_value(report.best(), g)}};
    if (report.goals[g].is_bound()) goal["met"] = report.is_met(g);
    goals.push_back(std::move(goal));
  }
  return Json({{"format", "thinwire-optimization"},
               {"version", 1},
               {"deck", report.deck_name},
               {"reference_impedance_ohm", report.reference_ohm},
               {"method", name_of(report.result.method)},
               {"derivatives", report.result.exact_derivatives ? "exact" : "differences"},
               {"evaluations", report.result.evaluations.size()},
               {"failed", report.result.failed},
               {"seconds", report.seconds},
               {"ended", report.result.ended},
               {"warnings", report.warnings},
               {"objective", report.best().score.objective},
               {"miss", report.best().score.miss},
               {"variables", std::move(variables)},
               {"goals", std::move(goals)}})
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

void write_optimization_hdf5(const std::filesystem::path& path,
                             const OptimizationReport& report,
                             const std::string& command_line) {
  Hdf5Writer out(path);
  write_origin(out, command_line, "optimization");
  write_deck(out, report.deck_text, report.deck_name, report.deck_dialect,
             report.deck_patches);
  std::vector<std::string> names, texts;
  std::vector<double> lower, upper, values, goals, objective, miss;
  for (const Variable& variable : report.variables) {
    names.push_back(variable.name);
    lower.push_back(variable.lower);
    upper.push_back(variable.upper);
  }
  for (const Goal& goal : report.goals) texts.push_back(goal.text);
  std::vector<std::int64_t> start;
  for (const Evaluation& evaluation : report.result.evaluations) {
    const bool solved = !evaluation.goals.empty();
    values.insert(values.end(), evaluation.variables.begin(), evaluation.variables.end());
    for (std::size_t g = 0; g < texts.size(); ++g)
      goals.push_back(goal_value(evaluation, g));
    objective.push_back(solved ? evaluation.score.objective : nan);
    miss.push_back(solved ? evaluation.score.miss : nan);
    start.push_back(static_cast<std::int64_t>(evaluation.start) + 1);
  }
  out.axis("/variable", names, "symbols of the deck that were varied");
  out.axis("/goal", texts, "goals as they were given");
  out.counting_axis("/evaluation", objective.size(), 1, "solved variant, from 1");
  out.dataset("/lower", lower, {"/variable"}, {"1", "lower bound"});
  out.dataset("/upper", upper, {"/variable"}, {"1", "upper bound"});
  out.dataset("/variable_value", values, {"/evaluation", "/variable"},
              {"1", "value of the deck's symbol"});
  out.dataset("/goal_value", goals, {"/evaluation", "/goal"},
              {"1", "what the goal's quantity came to; NaN: not solved"});
  out.dataset("/objective", objective, {"/evaluation"},
              {"1", "weighted sum of the goals to drive; smaller is better"});
  out.dataset("/miss", miss, {"/evaluation"},
              {"1", "largest of what bounds are missed by; 0: kept"});
  out.dataset("/search", start, {"/evaluation"}, {"1", "which search, from 1"});
  out.attribute("/", "best_evaluation",
                static_cast<std::int64_t>(report.result.best) + 1);
  out.attribute("/", "ended", report.result.ended);
  write_warnings(out, report.warnings);
  write_result_file(path, out.take_image());
}

}  // namespace thinwire
