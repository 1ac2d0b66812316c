#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/tuning_file.h"

namespace thinwire::cli {

/// $XDG_CACHE_HOME/thinwire, or ~/.cache/thinwire; empty where neither is set.
std::filesystem::path tuning_folder();

/// The file of a GPU, its folder made where it is missing. Throws Error{file} where
/// writing it would fail: to be called before a sweep.
std::filesystem::path writable_tuning_file(const std::string& gpu_name);

/// What is stored, or defaults. A file that is damaged, out of range, or of another GPU
/// or version is ignored, and `warnings` says so.
StoredTuning load_tuning(const std::string& gpu_name, std::vector<std::string>& warnings);

/// What is stored for cuda:index, or defaults. Starts no GPU where nothing is stored for
/// any.
StoredTuning stored_tuning(int index, std::vector<std::string>& warnings);

}  // namespace thinwire::cli
