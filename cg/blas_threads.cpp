#include "cg/blas_threads.h"

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// OpenBLAS's BUFFER_SIZE is 128 MiB and a page on x86-64, less elsewhere.
constexpr std::size_t buffer_bytes = (std::size_t{128} << 20) + (std::size_t{64} << 10);

}  // namespace

void require_blas_buffers(int threads) {
  // OpenBLAS keeps its buffers for the next call.
  static std::atomic<int> found{0};
  if (threads <= found) return;
  std::vector<void*> buffers;
  bool all = true;
  // Addresses alone: nothing writes there. Volatile, so that the calls are not left out.
  for (int t = found; t < threads && all; ++t) {
    void* volatile taken = std::malloc(buffer_bytes);
    void* const buffer = taken;
    all = buffer != nullptr;
    buffers.push_back(buffer);
  }
  for (void* buffer : buffers) std::free(buffer);
  if (!all)
    throw Error(
        ErrorKind::memory,
        fmt::format("BLAS: no room for its buffers (128 MiB of addresses for each "
                    "of {} threads). Raise `ulimit -v`, or use --threads {}.",
                    threads, threads > 1 ? "1" : "1 and fewer segments"));
  found = threads;
}

}  // namespace thinwire
