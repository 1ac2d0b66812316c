#include "bench/optimization_plot.h"

#include <optional>

#include "bench/line_plot.h"

namespace thinwire {

std::string optimization_plot(const OptimizationReport& report) {
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
  return plot_svg_file({first, second});
}

}  // namespace thinwire
