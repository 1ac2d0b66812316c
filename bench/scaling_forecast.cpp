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

/// A column of what `of` gives for each number of GPUs.
template <class Of>
std::vector<double> for_each(const std::vector<std::size_t>& gpus, const Of& of) {
  std::vector<double> values;
  for (const std::size_t owners : gpus) values.push_back(static_cast<double>(of(owners)));
  return values;
}

}  // namespace

Table strong_scaling_forecast(const Cluster& cluster, std::size_t unknowns,
                              const std::vector<std::size_t>& gpus) {
  Table table("strong_scaling", "The same problem on more GPUs, predicted");
  const auto fits = [&](std::size_t owners, double bytes) {
    return unknowns <= max_shared_unknowns(cluster, owners, bytes);
  };
  const auto product = [&](std::size_t owners) {
    return shared_product_seconds(cluster, owners, unknowns, true);
  };
  const auto direct = [&](std::size_t owners) {
    return shared_direct_seconds(cluster, owners, unknowns);
  };
  table.add_numbers("gpus", "GPUs", "1",
                    for_each(gpus, [](auto owners) { return owners; }));
  table.add_numbers("unknowns", "N", "1", for_each(gpus, [&](auto) { return unknowns; }));
  table.add_numbers("fill_s", "fill, s", "s", for_each(gpus, [&](auto owners) {
                      return shared_fill_seconds(cluster, owners, unknowns);
                    }));
  table.add_numbers("product_s", "product, ms", "s",
                    for_each(gpus,
                             [&](auto owners) {
                               return fits(owners, double_bytes) ? product(owners)
                                                                 : absent;
                             }),
                    1e3);
  table.add_numbers("product_efficiency", "efficiency", "1",
                    for_each(gpus, [&](auto owners) {
                      return product(1) / (static_cast<double>(owners) * product(owners));
                    }));
  table.add_numbers("direct_s", "direct, s", "s", for_each(gpus, [&](auto owners) {
                      return fits(owners, direct_bytes) ? direct(owners) : absent;
                    }));
  table.add_numbers("direct_efficiency", "efficiency", "1",
                    for_each(gpus, [&](auto owners) {
                      return direct(1) / (static_cast<double>(owners) * direct(owners));
                    }));
  return table;
}

Table largest_problem_forecast(const Cluster& cluster,
                               const std::vector<std::size_t>& gpus) {
  Table table("largest_problem", "The largest dense problem, predicted");
  const auto most = [&](std::size_t owners, double bytes) {
    return max_shared_unknowns(cluster, owners, bytes);
  };
  const auto add = [&](const char* name, const char* heading, double bytes, auto of,
                       double scale = 1) {
    table.add_numbers(
        name, heading, "s",
        for_each(gpus, [&](auto owners) { return of(owners, most(owners, bytes)); }),
        scale);
  };
  const auto product = [&](bool in_double_precision) {
    return [&cluster, in_double_precision](std::size_t owners, std::size_t unknowns) {
      return shared_product_seconds(cluster, owners, unknowns, in_double_precision);
    };
  };
  table.add_numbers("gpus", "GPUs", "1",
                    for_each(gpus, [](auto owners) { return owners; }));
  table.add_numbers(
      "unknowns_double", "N in double", "1",
      for_each(gpus, [&](auto owners) { return most(owners, double_bytes); }));
  add("fill_s", "fill, s", double_bytes, [&](std::size_t owners, std::size_t unknowns) {
    return shared_fill_seconds(cluster, owners, unknowns);
  });
  add("product_s", "product, ms", double_bytes, product(true), 1e3);
  add("direct_s", "direct in single, s", direct_bytes,
      [&](std::size_t owners, std::size_t unknowns) {
        return shared_direct_seconds(cluster, owners, unknowns);
      });
  table.add_numbers(
      "unknowns_single", "N in single", "1",
      for_each(gpus, [&](auto owners) { return most(owners, single_bytes); }));
  add("product_single_s", "product, ms", single_bytes, product(false), 1e3);
  return table;
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
