#pragma once

#include <string>
#include <vector>

#include "io/result/hdf5_file.h"
#include "mom/problem/solution.h"

// The axes at the root of a result file, which all its groups share.
namespace thinwire::hdf5_axes {

inline constexpr const char* frequency = "/frequency_hz";  ///< of all runs, in order
inline constexpr const char* port = "/port_number";
inline constexpr const char* segment = "/segment_number";
inline constexpr const char* xyz = "/xyz";

using RunResults = std::vector<const FrequencyResult*>;

/// Returns the axis of the frequencies of one run, for what only this run asks for:
/// `frequency` where there is no other run, else one that is made when it is first asked
/// for.
std::string of_run(Hdf5Writer& out, const Solution& solution, const RunResults& results);

/// Returns the results of each run, in order.
std::vector<RunResults> by_run(const Solution& solution);

}  // namespace thinwire::hdf5_axes
