#pragma once

#include <future>
#include <utility>

#include <omp.h>

namespace thinwire {

/// Starts f() beside the caller, on as many OpenMP threads. The future waits for its end
/// even where nobody takes the result.
template <class Function>
auto started(Function f) {
  return std::async(std::launch::async,
                    [f = std::move(f), threads = omp_get_max_threads()] {
                      omp_set_num_threads(threads);
                      return f();
                    });
}

}  // namespace thinwire
