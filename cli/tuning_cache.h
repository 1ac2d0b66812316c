#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace thinwire::cli {

/// What `thinwire tune --apply` keeps for one GPU model and one version of the program.
/// 0: the program's own default.
struct StoredTuning {
  int row_threads = 0;          ///< threads a block of the paper's kernel, for `bench`
  int symv_runs_per_block = 0;  ///< of the symmetric product, for every solve

  bool operator==(const StoredTuning&) const = default;
};

/// $XDG_CACHE_HOME/thinwire, or ~/.cache/thinwire; empty where neither is set.
std::filesystem::path tuning_folder();

/// The file for a GPU in that folder: "tuning-nvidia-h200-0.1.0.json".
std::filesystem::path tuning_file(const std::string& gpu_name);

/// Writes the file, making the folder. Throws Error{file}. Returns the path.
std::filesystem::path store_tuning(const std::string& gpu_name,
                                   const StoredTuning& tuning);

/// What is stored, or defaults. A file that is damaged, out of range, or of another GPU
/// or version is ignored, and `warnings` says so.
StoredTuning load_tuning(const std::string& gpu_name, std::vector<std::string>& warnings);

/// Loads what is stored for cuda:index, if anything is stored for any GPU, and puts it in
/// force. Does nothing, and starts no GPU, where the folder has no such file.
StoredTuning apply_stored_tuning(int index, std::vector<std::string>& warnings);

}  // namespace thinwire::cli
