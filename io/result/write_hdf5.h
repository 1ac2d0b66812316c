#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "mom/problem/options.h"
#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire {

class SavedMatrix;

/// Version of the layout below; grows when a reader of the old one would go wrong.
inline constexpr int hdf5_format_version = 2;

/// Writes all results as one HDF5 file with write_result_file(). docs/ has the layout. F
/// counts the frequencies of all runs in the deck's order, and /run_index [F] says of
/// which run each one is; P counts the ports of all runs together, in the order in which
/// they first appear, and a port that a run does not feed is NaN in its rows of the [F,
/// P] arrays. /pattern/<k> counts the requests of all runs from 0, its [f] running over
/// the frequencies of its own run.
///
/// The matrix is that of the solution, or `saved`, a SavedMatrix for this path that has
/// taken it. `command_line` is kept as an attribute. Throws Error{file}, and
/// Error{interrupted} when `stop` gets set before the file has its name. What may be
/// overwritten is the caller's to decide: check_outputs().
void write_hdf5(const std::filesystem::path& path, const Problem& problem,
                const Options& options, const Solution& solution,
                const std::string& command_line, const std::atomic<bool>* stop = nullptr,
                SavedMatrix* saved = nullptr);

}  // namespace thinwire
