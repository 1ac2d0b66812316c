#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/tuning_file.h"
#include "mom/plan/planner.h"
#include "mom/problem/cpu_rates.h"
#include "mom/problem/options.h"

namespace thinwire::cli {

/// $XDG_CACHE_HOME/thinwire, or ~/.cache/thinwire; empty where neither is set.
std::filesystem::path tuning_folder();

/// The file of a GPU, its folder made where it is missing. Throws Error{file} where
/// writing it would fail: to be called before a sweep.
std::filesystem::path writable_tuning_file(const std::string& gpu_name);

/// Returns the stored settings, or defaults. A file that is damaged, out of range, or
/// belongs to another GPU or version is ignored, with a line in `warnings`.
StoredTuning load_tuning(const std::string& gpu_name, std::vector<std::string>& warnings);

/// Returns the settings stored for cuda:index, or defaults. Does not start a GPU where
/// nothing is stored for any.
StoredTuning stored_tuning(int index, std::vector<std::string>& warnings);

/// This CPU's rates, for solves with so many threads, as they are stored; nothing where
/// none are, or not of this machine and program. Of a damaged file `warnings` gets a
/// line.
std::optional<CpuRates> stored_cpu_rates(int threads, std::vector<std::string>& warnings);

/// Puts this CPU's rates into the options where what is chosen by them matters: where a
/// solve is predicted to take over a fifth of a second on the CPU. They are measured
/// once, in 0.1 to 0.5 s, and stored. Where that fails the defaults stay, and where there
/// is no cache folder, or none that is writable, they are measured again the next time.
/// `warnings` as for stored_cpu_rates().
void choose_cpu_rates(Planner& planner, Options& options,
                      std::vector<std::string>& warnings);

}  // namespace thinwire::cli
