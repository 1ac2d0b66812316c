#pragma once

#include <cstdint>
#include <filesystem>

namespace thinwire {

/// Memory of the host as this process may use it, in bytes.
struct HostMemory {
  std::uint64_t total = 0;  ///< of the machine, or less by the limits below
  std::uint64_t free = 0;   ///< still to be had, caches given back
};

/// Reads /proc/meminfo, lowered to the limits of the control groups that the process is
/// in (memory.max of version 2, memory.limit_in_bytes of version 1, as containers and
/// batch systems set them) and by `ulimit -v`. Swap does not count. root: where /proc and
/// /sys are found.
HostMemory host_memory(const std::filesystem::path& root);

/// Returns the memory of this machine, as it was at most 20 ms ago: reading those files
/// takes 0.1 ms, and a solve of some hundred unknowns asks several times.
HostMemory host_memory();

/// Starts so many threads, this one among them, where `ulimit -v` limits addresses, and
/// throws Error{memory} where it leaves no room for their stacks: OpenMP ends the program
/// then. Assumes stacks of the system's size.
void require_thread_stacks(int threads);

}  // namespace thinwire
