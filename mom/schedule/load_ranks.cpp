#include "mom/schedule/load_ranks.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "kernels/base/error.h"
#include "mom/gpu/module_folders.h"

namespace thinwire {
namespace fs = std::filesystem;

std::unique_ptr<Ranks> start_ranks(const std::vector<fs::path>& folders, int started) {
  const auto refuse = [](std::string text) {
    throw Error(ErrorKind::device, std::move(text));
  };
  const fs::path file = find_module(folders, ranks_module_file);
  if (file.empty())
    refuse(
        fmt::format("mpi: {} processes were started, and thinwire's MPI module ({}) is "
                    "not installed. Build thinwire with -DTHINWIRE_MPI=on, or start one "
                    "process.",
                    started, ranks_module_file));
  // Global: the parts of some MPI libraries look each other up there.
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr)
    refuse(
        fmt::format("mpi: the MPI module does not load ({}). Install the MPI library "
                    "that it names.",
                    dlerror()));
  const auto entry =
      reinterpret_cast<RanksModuleEntry*>(dlsym(module, ranks_module_entry_name));
  std::unique_ptr<Ranks> ranks;
  if (entry != nullptr) ranks = entry(ranks_module_version);
  if (!ranks)
    refuse(
        fmt::format("mpi: {} is of another version than this program ({}). Install both "
                    "from one build.",
                    file.string(), ranks_module_version));
  if (ranks->ranks() != started)
    refuse(
        fmt::format("mpi: {} processes were started, but MPI reports {}: they were not "
                    "started by the MPI that thinwire was built with. Use its mpirun, or "
                    "srun with the --mpi that fits it.",
                    started, ranks->ranks()));
  return ranks;
}

}  // namespace thinwire
