#include "bench/study_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/page/page.h"
#include "kernels/base/counted.h"

namespace thinwire {
namespace {

using nlohmann::json;

/// Returns values of an axis; null for what the axis cannot show.
json axis_values(const std::vector<double>& values, bool logarithmic) {
  json all = json::array();
  for (const double value : values)
    all.push_back(std::isfinite(value) && !(logarithmic && value <= 0) ? json(value)
                                                                       : json(nullptr));
  return all;
}

json plot_json(const LinePlot& plot) {
  json all = json::array();
  for (const PlotSeries& series : plot.series)
    all.push_back({{"name", series.name},
                   {"x", axis_values(series.x, plot.log_x)},
                   {"y", axis_values(series.y, plot.log_y)},
                   {"line", series.line},
                   {"markers", series.markers},
                   {"dashed", series.dashed},
                   {"colour", series.colour}});
  return {{"title", plot.title},    {"x_label", plot.x_label}, {"y_label", plot.y_label},
          {"log_x", plot.log_x},    {"log_y", plot.log_y},     {"series", all},
          {"x_ticks", plot.x_ticks}};
}

json table_json(const Table& table) {
  json columns = json::array();
  for (const Column& column : table.columns()) {
    json cells = json::array();
    for (std::size_t row = 0; row < table.rows(); ++row)
      cells.push_back(shown_cell(column, row));
    columns.push_back(
        {{"heading", column.heading}, {"text", column.is_text}, {"cells", cells}});
  }
  return {{"title", table.title()}, {"columns", columns}};
}

/// Best objective, and by how much bounds are missed, over the variants solved.
std::vector<LinePlot> optimization_plots(const OptimizationReport& report) {
  PlotSeries objective{"best objective", {}, {}}, miss{"smallest miss", {}, {}};
  objective.markers = miss.markers = false;
  std::optional<Score> best;
  for (std::size_t e = 0; e < report.result.evaluations.size(); ++e) {
    const Evaluation& evaluation = report.result.evaluations[e];
    if (evaluation.goals.empty()) continue;
    if (!best || evaluation.score.is_better_than(*best)) best = evaluation.score;
    const auto number = static_cast<double>(e + 1);
    miss.x.push_back(number);
    miss.y.push_back(best->miss);
    if (!best->keeps_bounds()) continue;
    objective.x.push_back(number);
    objective.y.push_back(best->objective);
  }
  LinePlot first, second;
  first.title = "Best variant of " + report.deck_name + " that keeps the bounds";
  first.x_label = second.x_label = "evaluation";
  first.y_label = "objective";
  first.series = {objective};
  second.title = "What bounds are missed by";
  second.y_label = "miss";
  second.series = {miss};
  // Where no variant keeps the bounds there is no objective to show.
  if (objective.x.empty()) return {second};
  return {first, second};
}

}  // namespace

std::string study_page(const std::string& title, const ReportHeader& header,
                       const std::vector<std::string>& findings,
                       const std::vector<LinePlot>& plots,
                       const std::vector<Table>& tables) {
  json document = {{"title", title},
                   {"header", json::array()},
                   {"findings", findings},
                   {"plots", json::array()},
                   {"tables", json::array()}};
  for (const auto& [name, value] : header)
    document["header"].push_back(json::array({name, value}));
  for (const LinePlot& plot : plots) document["plots"].push_back(plot_json(plot));
  for (const Table& table : tables)
    if (table.rows() > 0) document["tables"].push_back(table_json(table));
  return page_html(document);
}

std::string optimization_page(const OptimizationReport& report,
                              const std::string& command_line) {
  const Evaluation& best = report.best();
  std::vector<std::string> names, goals;
  for (const Variable& variable : report.variables) names.push_back(variable.name);
  for (const Goal& goal : report.goals) goals.push_back(goal.text);
  Table variables("variable", "Variables of the best variant"),
      reached("goal", "Goals of the best variant");
  variables.add_texts("variable", "variable", names);
  variables.add_numbers("value", "value", "1", best.variables);
  reached.add_texts("goal", "goal", goals);
  reached.add_numbers("value", "value", "1", best.goals);
  std::vector<std::string> findings = report.warnings;
  if (!best.score.keeps_bounds())
    findings.insert(findings.begin(),
                    "No variant keeps all bounds: the best one misses them least.");
  return study_page("Optimization of " + report.deck_name,
                    {{"command", command_line},
                     {"solved", counted(report.result.evaluations.size(), "evaluation")},
                     {"ended", report.result.ended}},
                    findings, optimization_plots(report), {variables, reached});
}

}  // namespace thinwire
