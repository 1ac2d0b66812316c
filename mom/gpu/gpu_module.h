#pragma once

#include <thinwire_version.h>

namespace thinwire {

class Gpu;

/// How program and CUDA module find each other: the module exports one function, which
/// returns null to a program of another version. Both hold copies of thinwire's libraries
/// of their own and meet in the virtual functions of Gpu, Backend and System, so they are
/// to be of one build.
using GpuModuleEntry = const Gpu*(const char* version);
inline constexpr const char* gpu_module_entry_name = "thinwire_gpu_module";
inline constexpr const char* gpu_module_version =
    THINWIRE_VERSION " (" THINWIRE_GIT_COMMIT ")";

}  // namespace thinwire
