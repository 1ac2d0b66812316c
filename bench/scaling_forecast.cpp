#include "bench/scaling_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace thinwire {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();
/// Bytes of a stored entry in double, in single, and in single with its factors beside
/// it.
constexpr double double_bytes = 16, single_bytes = 8, direct_bytes = 16;

}  // namespace

Table strong_scaling_forecast(const Cluster& cluster, std::size_t unknowns,
                              const std::vector<std::size_t>& gpus) {
  const auto fits = [&](std::size_t owners, double bytes) {
    return unknowns <= max_shared_unknowns(cluster, owners, bytes);
  };
  const auto product = [&](std::size_t owners) {
    return shared_product_seconds(cluster, owners, unknowns, true);
  };
  const auto direct = [&](std::size_t owners) {
    return shared_direct_seconds(cluster, owners, unknowns);
  };
  const auto efficiency = [](const auto& seconds) {
    return [seconds](std::size_t owners) {
      return seconds(1) / (static_cast<double>(owners) * seconds(owners));
    };
  };
  return TableOf("strong_scaling", "The same problem on more GPUs, predicted", gpus)
      .numbers("gpus", "GPUs", "1", std::identity())
      .numbers("unknowns", "N", "1", [&](std::size_t) { return unknowns; })
      .numbers("fill_s", "fill, s", "s",
               [&](std::size_t owners) {
                 return shared_fill_seconds(cluster, owners, unknowns);
               })
      .numbers("product_s", {"product, ms", 1e3}, "s",
               [&](std::size_t owners) {
                 return fits(owners, double_bytes) ? product(owners) : absent;
               })
      .numbers("product_efficiency", "efficiency", "1", efficiency(product))
      .numbers("direct_s", "direct, s", "s",
               [&](std::size_t owners) {
                 return fits(owners, direct_bytes) ? direct(owners) : absent;
               })
      .numbers("direct_efficiency", "efficiency", "1", efficiency(direct))
      .take();
}

Table largest_problem_forecast(const Cluster& cluster,
                               const std::vector<std::size_t>& gpus) {
  const auto most = [&](double bytes) {
    return [&cluster, bytes](std::size_t owners) {
      return max_shared_unknowns(cluster, owners, bytes);
    };
  };
  const auto product = [&](double bytes, bool in_double_precision) {
    return [=, &cluster](std::size_t owners) {
      return shared_product_seconds(cluster, owners, most(bytes)(owners),
                                    in_double_precision);
    };
  };
  return TableOf("largest_problem", "The largest dense problem, predicted", gpus)
      .numbers("gpus", "GPUs", "1", std::identity())
      .numbers("unknowns_double", "N in double", "1", most(double_bytes))
      .numbers("fill_s", "fill, s", "s",
               [&](std::size_t owners) {
                 return shared_fill_seconds(cluster, owners, most(double_bytes)(owners));
               })
      .numbers("product_s", {"product, ms", 1e3}, "s", product(double_bytes, true))
      .numbers("direct_s", "direct in single, s", "s",
               [&](std::size_t owners) {
                 return shared_direct_seconds(cluster, owners,
                                              most(direct_bytes)(owners));
               })
      .numbers("unknowns_single", "N in single", "1", most(single_bytes))
      .numbers("product_single_s", {"product, ms", 1e3}, "s",
               product(single_bytes, false))
      .take();
}

std::vector<LinePlot> forecast_plots(const Table& strong, const Table& largest) {
  const auto column = [](const Table& table, std::string_view name) {
    const auto& all = table.columns();
    return std::find_if(all.begin(), all.end(),
                        [name](const Column& of) { return of.name == name; })
        ->numbers;
  };
  const auto line = [&](const Table& table, std::string_view of, std::string name) {
    return PlotSeries{std::move(name), column(table, "gpus"), column(table, of)};
  };
  const double unknowns = column(strong, "unknowns").front();
  return {
      {.title = fmt::format("The same problem on more GPUs, N = {:.0f}", unknowns),
       .x_label = "GPUs",
       .y_label = "speed-up over one, divided by GPUs",
       .log_x = true,
       .series = {line(strong, "product_efficiency", "product"),
                  line(strong, "direct_efficiency", "direct")}},
      {.title = "The largest dense problem",
       .x_label = "GPUs",
       .y_label = "unknowns",
       .log_x = true,
       .log_y = true,
       .series = {line(largest, "unknowns_double", "in double, or factored in single"),
                  line(largest, "unknowns_single", "in single")}}};
}

}  // namespace thinwire
