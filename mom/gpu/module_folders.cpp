#include "mom/gpu/module_folders.h"

#include <dlfcn.h>

#include <thinwire_version.h>

namespace thinwire {
namespace fs = std::filesystem;
namespace {

/// Folders of the program and of the library that this code is in: the same, unless it is
/// a library for another language.
std::vector<fs::path> own_folders() {
  std::vector<fs::path> folders;
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) folders.push_back(program.parent_path());
  Dl_info image;
  if (dladdr(reinterpret_cast<const void*>(&own_folders), &image) != 0 &&
      image.dli_fname != nullptr && image.dli_fname[0] == '/') {
    const fs::path library = fs::canonical(image.dli_fname, failed);
    if (!failed && library != program) folders.push_back(library.parent_path());
  }
  return folders;
}

}  // namespace

std::vector<fs::path> module_folders() {
  std::vector<fs::path> folders;
  for (const fs::path& own : own_folders()) {
    folders.push_back(own);
    folders.push_back(own.parent_path() / "lib" / "thinwire");
    folders.push_back(own.parent_path() / THINWIRE_LIBRARY_FOLDER / "thinwire");
  }
  const fs::path prefix = THINWIRE_INSTALL_PREFIX;
  if (!prefix.empty()) folders.push_back(prefix / THINWIRE_LIBRARY_FOLDER / "thinwire");
  return folders;
}

fs::path find_module(const std::vector<fs::path>& folders, const std::string& file) {
  std::error_code ignored;
  for (const fs::path& folder : folders)
    if (fs::exists(folder / file, ignored)) return folder / file;
  return {};
}

}  // namespace thinwire
