#include "bench/timing_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "kernels/base/constants.h"
#include "kernels/matrix/symv_shapes.h"

namespace thinwire {
namespace {

/// Adds median, fastest and slowest of items that carry RunTimes.
template <class Item>
TableOf<Item>& with_times(TableOf<Item>& table, RunTimes Item::*times, const char* unit,
                          double scale) {
  const auto add = [&](const char* name, const char* what, double RunTimes::*value) {
    const std::string heading = fmt::format("{}, {}", what, unit);
    table.numbers(name, {heading.c_str(), scale}, "s",
                  [=](const Item& item) { return item.*times.*value; });
  };
  add("median_s", "median", &RunTimes::median_s);
  add("fastest_s", "fastest", &RunTimes::fastest_s);
  add("slowest_s", "slowest", &RunTimes::slowest_s);
  return table;
}

/// One value over n of the items that `label` gives that name.
template <class Item, class Value>
PlotSeries series_of(const std::vector<Item>& items, const std::string& name,
                     std::string Item::*label, Value&& value) {
  PlotSeries series{name, {}, {}};
  for (const Item& item : items)
    if (item.*label == name) {
      series.x.push_back(static_cast<double>(item.n));
      series.y.push_back(value(item));
    }
  series.dashed = name.starts_with("CPU");
  return series;
}

/// A plot over the unknowns, both axes logarithmic, with ticks at the sizes measured.
template <class Item>
LinePlot plot_over_n(std::string title, std::string y_label,
                     const std::vector<Item>& items) {
  LinePlot plot{std::move(title), "unknowns, N", std::move(y_label), true, true, {}};
  for (const Item& item : items) {
    const auto n = static_cast<double>(item.n);
    if (std::find(plot.x_ticks.begin(), plot.x_ticks.end(), n) == plot.x_ticks.end())
      plot.x_ticks.push_back(n);
  }
  return plot;
}

/// Names in the order of their first appearance.
template <class Item>
std::vector<std::string> names_of(const std::vector<Item>& items,
                                  std::string Item::*label) {
  std::vector<std::string> names;
  for (const Item& item : items)
    if (std::find(names.begin(), names.end(), item.*label) == names.end())
      names.push_back(item.*label);
  return names;
}

const SolveTiming* find_solve(const BenchReport& report, std::size_t n,
                              const std::string& method) {
  for (const SolveTiming& solve : report.solves)
    if (solve.n == n && solve.method == method) return &solve;
  return nullptr;
}

const BenchProduct* find_product(const BenchReport& report, std::size_t n,
                                 const std::string& what) {
  for (const BenchProduct& product : report.products)
    if (product.n == n && product.what == what) return &product;
  return nullptr;
}

/// The largest size at which both ways were measured, or nullptrs.
std::pair<const SolveTiming*, const SolveTiming*> largest_pair(
    const BenchReport& report, const std::string& first, const std::string& second) {
  std::pair<const SolveTiming*, const SolveTiming*> pair{nullptr, nullptr};
  for (const SolveTiming& solve : report.solves)
    if (solve.method == first)
      if (const SolveTiming* other = find_solve(report, solve.n, second))
        pair = {&solve, other};
  return pair;
}

std::string choice_line(const TuneChoice& choice) {
  if (choice.change)
    return fmt::format("{}: {} instead of {} would save {:.1f} % ({:.4g} us, not {:.4g})",
                       choice.setting, choice.best, choice.standard,
                       100 * (1 - choice.best_s / choice.standard_s), 1e6 * choice.best_s,
                       1e6 * choice.standard_s);
  if (choice.best == choice.standard)
    return fmt::format("{}: {} stays, the fastest ({:.4g} us)", choice.setting,
                       choice.standard, 1e6 * choice.standard_s);
  return fmt::format(
      "{}: {} stays ({:.4g} us; the fastest, {}, took {:.4g} us: not enough to change)",
      choice.setting, choice.standard, 1e6 * choice.standard_s, choice.best,
      1e6 * choice.best_s);
}

}  // namespace

std::vector<Table> tune_tables(const TuneReport& report) {
  using Row = const RowTiming&;
  TableOf rows(
      "row_kernel",
      fmt::format("One thread a row, N = {}, padded to {}", report.n, report.padded_n),
      report.rows);
  rows.numbers("threads_per_block", "N_T", "1", &RowTiming::threads)
      .texts("padded", "padded", [](Row row) { return row.padded ? "yes" : "no"; })
      .texts("access", "access",
             [](Row row) { return row.transposed ? "transposed" : "normal"; });

  using Product = const ProductTiming&;
  const auto shape_of = [](Product p) {
    return symv_shapes.at(static_cast<std::size_t>(p.shape));
  };
  TableOf others("product", fmt::format("Other products, N = {}", report.n),
                 report.products);
  others.texts("product", "product", &ProductTiming::product)
      .texts("shape", "shape",
             [&](Product p) { return p.shape < 0 ? "-" : name_of(shape_of(p)); })
      .numbers("threads_per_block", "threads/block", "1",
               [&](Product p) { return p.shape < 0 ? nan : threads_of(shape_of(p)); })
      .numbers("runs_per_block", "runs/block", "1",
               [](Product p) { return p.runs_per_block > 0 ? p.runs_per_block : nan; });
  return {with_times(rows, &RowTiming::times, "us", 1e6).take(),
          with_times(others, &ProductTiming::times, "us", 1e6)
              .numbers("bytes_per_second", {"TB/s", 1e-12}, "B/s",
                       [](Product p) { return p.bytes / p.times.median_s; })
              .take()};
}

std::vector<LinePlot> tune_plots(const TuneReport& report) {
  std::vector<LinePlot> plots;
  for (const bool transposed : {false, true}) {
    LinePlot plot;
    plot.title = fmt::format("One thread a row, {} access, N = {}",
                             transposed ? "transposed" : "normal", report.n);
    plot.x_label = "threads a block, N_T (lines: multiples of 8; rings: others)";
    plot.y_label = "time of one product, ms";
    plot.log_y = true;
    for (const bool padded : {true, false})
      for (const bool eights : {true, false}) {
        PlotSeries series;
        if (eights)
          series.name = padded ? fmt::format("padded to {}", report.padded_n)
                               : std::string("not padded");
        series.line = eights;
        series.markers = !eights;
        series.colour = padded ? 0 : 1;
        for (const RowTiming& row : report.rows)
          if (row.padded == padded && row.transposed == transposed &&
              (row.threads % 8 == 0) == eights && row.threads >= 8) {
            series.x.push_back(row.threads);
            series.y.push_back(1e3 * row.times.median_s);
          }
        if (!series.x.empty()) plot.series.push_back(std::move(series));
      }
    if (!plot.series.empty()) plots.push_back(std::move(plot));
  }
  return plots;
}

std::vector<std::string> tune_findings(const TuneReport& report) {
  if (report.interrupted)
    return {"interrupted: no choice of settings from part of a sweep"};
  return {choice_line(report.row_threads), choice_line(report.symv)};
}

std::vector<Table> bench_tables(const BenchReport& report) {
  TableOf solves("solve", "Whole solves", report.solves);
  solves.numbers("unknowns", "N", "1", &SolveTiming::n)
      .texts("method", "method", &SolveTiming::method)
      .texts("solver", "solver",
             [](const SolveTiming& s) {
               return s.solver + (s.converged ? "" : " (not converged)");
             })
      .numbers("iterations", "iterations", "1", &SolveTiming::iterations)
      .numbers("fill_s", "fill, s", "s", &SolveTiming::fill_s)
      .numbers("factor_s", "prepare, s", "s", &SolveTiming::factor_s)
      .numbers("solve_s", "solve, s", "s", &SolveTiming::solve_s);
  TableOf products("product", "Products and transfers", report.products);
  products.numbers("unknowns", "N", "1", &BenchProduct::n)
      .texts("what", "what", &BenchProduct::what);
  std::vector<Table> tables = {
      with_times(solves, &SolveTiming::total, "s", 1)
          .numbers("relative_residual", "residual", "1", &SolveTiming::residual)
          .numbers("difference", "difference", "1", &SolveTiming::difference)
          .take(),
      with_times(products, &BenchProduct::times, "us", 1e6)
          .numbers("bytes_per_second", {"GB/s", 1e-9}, "B/s",
                   [](const BenchProduct& p) { return p.bytes / p.times.median_s; })
          .take()};
  if (!report.gaps.empty())
    tables.push_back(TableOf("absent", "Not measured", report.gaps)
                         .numbers("unknowns", "N", "1",
                                  [](const BenchGap& g) {
                                    return g.n > 0 ? static_cast<double>(g.n) : nan;
                                  })
                         .texts("what", "what", &BenchGap::what)
                         .texts("why", "why", &BenchGap::why)
                         .take());
  return tables;
}

std::vector<LinePlot> bench_plots(const BenchReport& report) {
  const auto& solves = report.solves;
  const auto& products = report.products;
  LinePlot total = plot_over_n("Whole solve, fill included", "time, s", solves);
  LinePlot solve =
      plot_over_n("Preparing and solving, without the fill", "time, s", solves);
  for (const std::string& name : names_of(solves, &SolveTiming::method)) {
    total.series.push_back(series_of(solves, name, &SolveTiming::method,
                                     [](auto& s) { return s.total.median_s; }));
    solve.series.push_back(series_of(solves, name, &SolveTiming::method,
                                     [](auto& s) { return s.factor_s + s.solve_s; }));
  }
  LinePlot product = plot_over_n("One product", "time, ms", products);
  LinePlot access =
      plot_over_n("Normal and transposed access, one thread a row", "time, ms", products);
  for (const std::string& name : names_of(products, &BenchProduct::what)) {
    const PlotSeries series = series_of(products, name, &BenchProduct::what,
                                        [](auto& p) { return 1e3 * p.times.median_s; });
    const bool of_paper = name == row_product || name == row_product_transposed;
    if (of_paper) access.series.push_back(series);
    if (!of_paper && name.find("LAPACK") == std::string::npos &&
        !name.starts_with("transfer"))
      product.series.push_back(series);
    if (name == row_product) product.series.push_back(series);
  }
  std::vector<LinePlot> plots;
  for (LinePlot& plot : std::vector{total, solve, product, access})
    if (!plot.series.empty()) plots.push_back(std::move(plot));
  return plots;
}

std::vector<std::string> bench_findings(const BenchReport& report) {
  std::vector<std::string> findings;
  if (!report.gpu_problem.empty())
    findings.push_back("No figures of a GPU: " + report.gpu_problem);
  for (const std::string& name : names_of(report.solves, &SolveTiming::method)) {
    if (name == "CPU, 1 thread") continue;
    const auto [one, other] = largest_pair(report, "CPU, 1 thread", name);
    if (!one) continue;
    findings.push_back(fmt::format(
        "{} against CPU, 1 thread at N = {}: {:.3g} times as fast in all ({:.3g} s, not "
        "{:.3g} s), {:.3g} times without the fill.",
        name, one->n, one->total.median_s / other->total.median_s, other->total.median_s,
        one->total.median_s,
        (one->total.median_s - one->fill_s) / (other->total.median_s - other->fill_s)));
  }
  const auto [product, resident] = largest_pair(report, "GPU, product", "GPU, resident");
  if (product)
    findings.push_back(fmt::format(
        "Product alone on the GPU (Case 1) against all vectors there (Case 2) at N = {}: "
        "{:.3g} s and {:.3g} s to prepare and solve.",
        product->n, product->factor_s + product->solve_s,
        resident->factor_s + resident->solve_s));
  const BenchProduct *normal = nullptr, *transposed = nullptr;
  for (const BenchProduct& p : report.products)
    if (p.what == row_product)
      if (const BenchProduct* t = find_product(report, p.n, row_product_transposed)) {
        normal = &p;
        transposed = t;
      }
  if (normal)
    findings.push_back(fmt::format(
        "Transposed access takes {:.2f} times as long as normal access at N = {}.",
        transposed->times.median_s / normal->times.median_s, normal->n));
  double difference = 0;
  for (const SolveTiming& solve : report.solves)
    if (solve.on_gpu && solve.difference > difference) difference = solve.difference;
  if (difference > 0)
    findings.push_back(
        fmt::format("Largest difference of a current between CPU and GPU: {:.2g} of the "
                    "largest current.",
                    difference));
  return findings;
}

}  // namespace thinwire
