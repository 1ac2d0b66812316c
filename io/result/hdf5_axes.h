#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mom/solution.h"

// The axes at the root of a result file, which all its groups share.
namespace thinwire::hdf5_axes {

inline constexpr const char* frequency = "/frequency_hz";  ///< of all runs, in order
inline constexpr const char* port = "/port_number";
inline constexpr const char* segment = "/segment_number";
inline constexpr const char* xyz = "/xyz";

/// The frequencies of one run, which what only this run asks for runs along: those of
/// all runs where there is no other.
inline std::string of_run(const Solution& solution, std::size_t run) {
  if (solution.frequencies.front().run == solution.frequencies.back().run)
    return frequency;
  return "/run_" + std::to_string(run) + "_frequency_hz";
}

/// The results of each run, in order.
inline std::vector<std::vector<const FrequencyResult*>> by_run(const Solution& solution) {
  std::vector<std::vector<const FrequencyResult*>> runs;
  for (const FrequencyResult& result : solution.frequencies) {
    if (runs.empty() || runs.back().front()->run != result.run) runs.emplace_back();
    runs.back().push_back(&result);
  }
  return runs;
}

}  // namespace thinwire::hdf5_axes
