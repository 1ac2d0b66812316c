#pragma once

#include <string>

#include "bench/table.h"
#include "kernels/base/host_memory.h"

namespace thinwire::cli {

/// The processor's name as Linux gives it, or "unknown".
std::string cpu_name();

/// "13.0" of CUDA's 13000; "none" of 0.
std::string cuda_version_text(int version);

/// "23.5 GiB (20.1 GiB free)".
std::string memory_text(const HostMemory& memory);

/// "580.159", or empty where there is none.
std::string nvidia_driver();

/// Adds to a header what timings must say of where they were made: program, processor,
/// threads, memory, operating system, compiler, libraries; GPU, driver and CUDA where
/// there is one, and otherwise why not.
ReportHeader machine_header(ReportHeader header = {});

}  // namespace thinwire::cli
