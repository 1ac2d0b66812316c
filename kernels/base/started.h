#pragma once

#include <future>
#include <system_error>

#include <omp.h>

namespace thinwire {

/// Starts f() beside the caller, on as many OpenMP threads; where the system has no
/// thread left, f() runs when its result is taken. The future waits for its end even
/// where nobody takes the result.
template <class Function>
auto started(const Function& f) {
  try {
    return std::async(std::launch::async, [f, threads = omp_get_max_threads()] {
      omp_set_num_threads(threads);
      return f();
    });
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, f);
  }
}

}  // namespace thinwire
