#include "bench/compare_gpus.h"

#include <cmath>
#include <utility>

namespace thinwire {
namespace {

using Row = GpuScaling::Row;

/// Entries a second against those of the first row.
double speed_up(const std::vector<Row>& rows, const Row& row) {
  const auto rate = [](const Row& of) {
    const auto n = static_cast<double>(of.unknowns);
    return n * n / of.times.product.median_s;
  };
  return rate(row) / rate(rows.front());
}

double efficiency(const std::vector<Row>& rows, const Row& row) {
  return speed_up(rows, row) * static_cast<double>(rows.front().gpus) /
         static_cast<double>(row.gpus);
}

Table table_of(const char* name, const char* title, const std::vector<Row>& rows) {
  return TableOf(name, title, rows)
      .numbers("gpus", "GPUs", "1", &Row::gpus)
      .numbers("unknowns", "unknowns", "1", &Row::unknowns)
      .numbers("median_s", {"product, ms", 1e3}, "s",
               [](const Row& row) { return row.times.product.median_s; })
      .numbers("sum_s", {"of that exchange, ms", 1e3}, "s",
               [](const Row& row) { return row.times.sum.median_s; })
      .numbers("speed_up", "times as fast", "1",
               [&](const Row& row) { return speed_up(rows, row); })
      .numbers("efficiency", {"efficiency, %", 100}, "1",
               [&](const Row& row) { return efficiency(rows, row); })
      .take();
}

}  // namespace

GpuScaling compare_gpus(const std::vector<std::size_t>& gpus, std::size_t unknowns,
                        const MeasureGpus& measure, const Monitor& monitor) {
  GpuScaling scaling;
  double done = 0;
  const auto row_of = [&](std::size_t count, std::size_t n) {
    monitor.report("products", done);
    done += 0.5 / static_cast<double>(gpus.size());
    return Row{count, n, measure(n, count)};
  };
  for (const std::size_t count : gpus) scaling.strong.push_back(row_of(count, unknowns));
  for (const std::size_t count : gpus) {
    const double times = static_cast<double>(count) / static_cast<double>(gpus.front());
    scaling.weak.push_back(row_of(
        count, static_cast<std::size_t>(
                   std::llround(std::sqrt(times) * static_cast<double>(unknowns)))));
  }
  return scaling;
}

std::vector<Table> gpu_scaling_tables(const GpuScaling& scaling) {
  return {
      table_of("strong", "The same matrix on all GPUs, complex double", scaling.strong),
      table_of("weak", "As much of the matrix on each GPU", scaling.weak)};
}

std::vector<LinePlot> gpu_scaling_plots(const GpuScaling& scaling) {
  LinePlot plot;
  plot.title = "Products by GPUs that share the matrix";
  plot.x_label = "GPUs";
  plot.y_label = "efficiency, %";
  for (const auto& [name, rows] : {std::pair("the same matrix", &scaling.strong),
                                   {"as much on each", &scaling.weak}}) {
    PlotSeries series;
    series.name = name;
    for (const Row& row : *rows) {
      series.x.push_back(static_cast<double>(row.gpus));
      series.y.push_back(100 * efficiency(*rows, row));
    }
    plot.series.push_back(series);
  }
  plot.x_ticks = plot.series.front().x;
  return {plot};
}

}  // namespace thinwire
