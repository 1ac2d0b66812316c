#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace thinwire {

/// Where a module of this program is looked for, in order: beside the program and the
/// library that this code is in, in lib/thinwire beside their folders, and where thinwire
/// was configured to be installed (a wheel's is nowhere).
std::vector<std::filesystem::path> module_folders();

/// The first of the folders' files of that name, or an empty path.
std::filesystem::path find_module(const std::vector<std::filesystem::path>& folders,
                                  const std::string& file);

}  // namespace thinwire
