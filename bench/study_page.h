#pragma once

#include <string>
#include <vector>

#include "bench/line_plot.h"
#include "bench/table.h"
#include "io/result/write_optimization.h"

namespace thinwire {

/// Returns the page (io/page/page.h) of a study: how it was made, findings, plots,
/// tables. Findings and plots may be empty.
std::string study_page(const std::string& title, const ReportHeader& header,
                       const std::vector<std::string>& findings,
                       const std::vector<LinePlot>& plots,
                       const std::vector<Table>& tables);

/// Returns the page of an optimisation: the best variant over the variants solved, its
/// variables and goals.
std::string optimization_page(const OptimizationReport& report,
                              const std::string& command_line);

}  // namespace thinwire
