#include "io/result/hdf5_axes.h"

#include <fmt/format.h>

namespace thinwire::hdf5_axes {

std::string of_run(Hdf5Writer& out, const Solution& solution, const RunResults& results) {
  const auto& all = solution.frequencies;
  if (all.front().run == all.back().run) return frequency;
  const std::size_t run = results.front()->run;
  std::string name = fmt::format("/run_{}_frequency_hz", run);
  if (out.has_axis(name)) return name;
  std::vector<double> frequency_hz;
  for (const FrequencyResult* result : results)
    frequency_hz.push_back(result->frequency_hz);
  out.axis(name, frequency_hz, {"Hz", fmt::format("frequency, those of run {}", run)});
  return name;
}

std::vector<RunResults> by_run(const Solution& solution) {
  std::vector<RunResults> runs;
  for (const FrequencyResult& result : solution.frequencies) {
    if (runs.empty() || runs.back().front()->run != result.run) runs.emplace_back();
    runs.back().push_back(&result);
  }
  return runs;
}

}  // namespace thinwire::hdf5_axes
