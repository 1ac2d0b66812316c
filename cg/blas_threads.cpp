#include "cg/blas_threads.h"

#include <cblas.h>
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "kernels/base/error.h"

/// OpenBLAS's own: what it does before a fork. Threads are made again when some are asked
/// for. Weak: other builds of it have none.
extern "C" int blas_thread_shutdown_() __attribute__((weak));

namespace thinwire {
namespace {

bool end_when_idle = false;

void end_threads() {
  // Set to one thread, OpenBLAS never asks for others, which would bring them all back.
  openblas_set_num_threads(1);
  if (blas_thread_shutdown_) blas_thread_shutdown_();
}

/// OpenBLAS's BUFFER_SIZE is 128 MiB and a page on x86-64, less elsewhere.
constexpr std::size_t buffer_bytes = (std::size_t{128} << 20) + (std::size_t{64} << 10);

}  // namespace

BlasThreads::BlasThreads(int threads) : before_(openblas_get_num_threads()) {
  if (threads != before_) openblas_set_num_threads(threads);
}

BlasThreads::~BlasThreads() {
  const int now = openblas_get_num_threads();
  if (now == before_) return;
  if (end_when_idle && before_ == 1)
    end_threads();
  else
    openblas_set_num_threads(before_);
}

void end_idle_blas_threads() {
  end_when_idle = true;
  end_threads();
}

void require_blas_buffers(int threads) {
  // OpenBLAS keeps its buffers for the next call.
  static std::atomic<int> found{0};
  threads = std::max(threads, omp_get_num_threads());  // which may call it together
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
