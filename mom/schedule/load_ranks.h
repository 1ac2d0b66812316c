#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <thinwire_version.h>
#include "mom/schedule/ranks.h"

namespace thinwire {

/// Starts MPI, which is in a module, a shared library that only programs under mpirun or
/// srun load, and returns its ranks; MPI ends with the result. To be called once, before
/// threads are started. `started`: how many processes there are to be. Throws
/// Error{device}: no module in the folders, one that does not load or is of another
/// version, an MPI other than the one that started the processes, or one that can't be
/// called from several threads.
std::unique_ptr<Ranks> start_ranks(const std::vector<std::filesystem::path>& folders,
                                   int started);

/// The module's file.
inline constexpr const char* ranks_module_file = "libthinwire_mpi.so";

/// How program and module find each other: the module exports one function, which gives
/// null to a program of another version; both meet in Ranks' virtual functions.
using RanksModuleEntry = std::unique_ptr<Ranks>(const char* version);
inline constexpr const char* ranks_module_entry_name = "thinwire_ranks_module";
inline constexpr const char* ranks_module_version =
    THINWIRE_VERSION " (" THINWIRE_GIT_COMMIT ")";

}  // namespace thinwire
