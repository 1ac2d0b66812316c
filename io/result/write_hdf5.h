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

/// Writes all results as one HDF5 file with write_result_file(): the arrays of
/// visit_arrays() (result_arrays.h), and where they come from. docs/ has the layout.
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
