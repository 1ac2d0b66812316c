#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/constants.h"
#include "papers/study/compare_assembly.h"

namespace thinwire {
namespace {

const char* name_of(const AssemblyRow& row) {
  switch (row.method) {
    case AssemblyMethod::rows:
      return row.gpu ? "rows" : "rows, all threads";
    case AssemblyMethod::fused:
      return "(1) fused";
    case AssemblyMethod::search_on_cpu:
      return "(2) split, search on CPU";
    case AssemblyMethod::split:
      return "(3) split";
    case AssemblyMethod::colours:
      return "(4) all threads";
    case AssemblyMethod::in_order:
      break;
  }
  return "(5) one thread";
}

/// Colours as a table has them: 0 is absent.
double shown_colours(std::size_t colours) {
  return colours == 0 ? nan : static_cast<double>(colours);
}

Table assembly_table(const AssemblyReport& report) {
  using Row = const AssemblyRow&;
  return TableOf("assembly", "Assembly", report.rows)
      .texts("device", "device", [](Row r) { return r.gpu ? "GPU" : "CPU"; })
      .texts("version", "version", name_of)
      .numbers("colours", "colours", "1", [](Row r) { return shown_colours(r.colours); })
      .numbers("median_s", {"median, ms", 1e3}, "s",
               [](Row r) { return r.times.median_s; })
      .numbers("fastest_s", {"fastest, ms", 1e3}, "s",
               [](Row r) { return r.times.fastest_s; })
      .numbers(
          "elements_per_second", {"elements/us", 1e-6}, "1/s",
          [&](Row r) { return static_cast<double>(report.elements) / r.times.median_s; })
      .numbers("colouring_s", {"colouring, ms", 1e3}, "s", &AssemblyRow::colouring_s)
      .numbers("error", "difference", "1", &AssemblyRow::error)
      .take();
}

Table shares_table(const AssemblyReport& report) {
  using Row = const ShareRow&;
  const double one = report.shares.front().times.median_s;
  return TableOf("shares", "Shared assembly", report.shares)
      .texts("workers", "by", &ShareRow::workers)
      .texts("how", "how", &ShareRow::how)
      .numbers("colours", "colours", "1", [](Row r) { return shown_colours(r.colours); })
      .numbers("median_s", {"median, ms", 1e3}, "s",
               [](Row r) { return r.times.median_s; })
      .numbers("fastest_s", {"fastest, ms", 1e3}, "s",
               [](Row r) { return r.times.fastest_s; })
      .numbers("merge_s", {"merge, ms", 1e3}, "s", &ShareRow::merge_s)
      .numbers("cpu_part", {"of the CPU, %", 100}, "1", &ShareRow::cpu_part)
      .numbers("speed_up", "times 1 GPU by rows", "1",
               [=](Row r) { return one / r.times.median_s; })
      .numbers("error", "difference", "1", &ShareRow::error)
      .take();
}

Table whole_table(const AssemblyReport& report) {
  using Row = const WholeRow&;
  return TableOf("whole", "Whole solves", report.wholes)
      .texts("where", "where", &WholeRow::where)
      .numbers("elements", "elements", "1", &WholeRow::elements)
      .numbers("connect_s", {"connect, ms", 1e3}, "s", &WholeRow::connect_s)
      .numbers("assemble_s", {"assemble, ms", 1e3}, "s",
               [](Row r) { return r.solve.assemble_s; })
      .numbers("copy_s", {"copy, ms", 1e3}, "s", [](Row r) { return r.solve.copy_s; })
      .numbers("hold_s", {"hold, ms", 1e3}, "s", [](Row r) { return r.solve.hold_s; })
      .numbers("solve_s", {"solve, ms", 1e3}, "s", [](Row r) { return r.solve.solve_s; })
      .numbers("iterations", "iterations", "1",
               [](Row r) { return r.solve.result.iterations; })
      .numbers("residual", "residual", "1",
               [](Row r) { return r.solve.result.relative_residual; })
      .numbers("assemble_part", {"assembly, %", 100}, "1",
               [](Row r) { return r.solve.assemble_s / r.seconds(); })
      .numbers("solve_part", {"solver, %", 100}, "1",
               [](Row r) { return r.solve.solve_s / r.seconds(); })
      .take();
}

/// Rows of a method, in rising colours.
std::vector<const AssemblyRow*> rows_of(const AssemblyReport& report,
                                        AssemblyMethod method, bool gpu) {
  std::vector<const AssemblyRow*> rows;
  for (const AssemblyRow& row : report.rows)
    if (row.method == method && row.gpu == gpu) rows.push_back(&row);
  return rows;
}

double fastest(const std::vector<const AssemblyRow*>& rows) {
  double best = nan;
  for (const AssemblyRow* row : rows) best = std::fmin(best, row->times.median_s);
  return best;
}

std::string versions_text(const AssemblyReport& report) {
  const auto of = [&](AssemblyMethod method) {
    return 1e3 * fastest(rows_of(report, method, true));
  };
  return fmt::format(
      "Fastest on the GPU, ms: rows {:.3g}; of the paper's (1) fused {:.3g}, (2) split "
      "with the search on the CPU {:.3g}, (3) split {:.3g}. The paper: (3) is fastest.",
      of(AssemblyMethod::rows), of(AssemblyMethod::fused),
      of(AssemblyMethod::search_on_cpu), of(AssemblyMethod::split));
}

/// How time goes with colours, from the fewest to the most.
std::string colours_text(const AssemblyReport& report, AssemblyMethod method, bool gpu,
                         const char* paper) {
  const auto rows = rows_of(report, method, gpu);
  if (rows.size() < 2) return "";
  const AssemblyRow &few = *rows.front(), &many = *rows.back();
  return fmt::format("{}: {:.3g} ms with {} colours, {:.3g} ms with {}.{}", name_of(few),
                     1e3 * few.times.median_s, few.colours, 1e3 * many.times.median_s,
                     many.colours, paper);
}

std::string shares_text(const AssemblyReport& report) {
  const double one = report.shares.front().times.median_s;
  std::string text;
  for (const ShareRow& row : report.shares)
    if (&row != &report.shares.front())
      text += fmt::format("{}{}, {}: {:.2f}", text.empty() ? "" : "; ", row.workers,
                          row.how, one / row.times.median_s);
  return "Times 1 GPU by rows (merging apart): " + text +
         ". The paper: two GPUs take nearly half the time, but merging weighs; a CPU "
         "core "
         "beside them gains a little.";
}

std::string solver_text(const AssemblyReport& report) {
  std::string text;
  for (const WholeRow& row : report.wholes)
    text +=
        fmt::format("{}{} ({} elements) {:.3g} and {:.3g} %", text.empty() ? "" : "; ",
                    row.where, row.elements, 100 * row.solve.solve_s / row.seconds(),
                    100 * row.solve.assemble_s / row.seconds());
  return "The solver's and the assembly's share of the whole: " + text +
         ". The paper: solver 91.97 % on one thread, 85.59 % on all, 63.29 % on the GPU, "
         "where assembly on the CPU is 28.36 %.";
}

}  // namespace

std::vector<Table> assembly_tables(const AssemblyReport& report) {
  std::vector<Table> tables = {assembly_table(report)};
  if (!report.shares.empty()) tables.push_back(shares_table(report));
  if (!report.wholes.empty()) tables.push_back(whole_table(report));
  return tables;
}

std::vector<LinePlot> assembly_plots(const AssemblyReport& report) {
  LinePlot plot{"Assembly", "colours", "ms", true, true, {}};
  for (const AssemblyRow& row : report.rows) {
    if (row.colours == 0) continue;
    const std::string name = name_of(row);
    auto series = std::find_if(plot.series.begin(), plot.series.end(),
                               [&](const PlotSeries& s) { return s.name == name; });
    if (series == plot.series.end()) series = plot.series.insert(series, {name, {}, {}});
    series->x.push_back(static_cast<double>(row.colours));
    series->y.push_back(1e3 * row.times.median_s);
  }
  if (plot.series.empty() || plot.series.front().x.size() < 2) return {};
  // Methods without colours give a horizontal line.
  const double first = plot.series.front().x.front(), last = plot.series.front().x.back();
  for (const AssemblyRow& row : report.rows)
    if (row.colours == 0) {
      const double level = 1e3 * row.times.median_s;
      plot.series.push_back({name_of(row), {first, last}, {level, level}});
      plot.series.back().dashed = true;
    }
  return {plot};
}

std::vector<std::string> assembly_findings(const AssemblyReport& report) {
  std::vector<std::string> findings;
  const auto add = [&](std::string text) {
    if (!text.empty()) findings.push_back(std::move(text));
  };
  if (report.gpu && !rows_of(report, AssemblyMethod::split, true).empty()) {
    add(versions_text(report));
    add(colours_text(report, AssemblyMethod::split, true,
                     " The paper: a little slower with more, for each is a launch."));
  }
  add(colours_text(report, AssemblyMethod::colours, false,
                   " The paper: a little faster with more, for the caches."));
  if (report.shares.size() > 1) add(shares_text(report));
  if (!report.wholes.empty()) add(solver_text(report));
  return findings;
}

}  // namespace thinwire
