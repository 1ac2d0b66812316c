#pragma once

#include <cstddef>
#include <exception>

namespace thinwire {

/// Loops of fewer cheap steps are done before other threads have begun.
inline constexpr std::size_t worth_threads = std::size_t{1} << 14;

/// Calls body(i) for i = 0 .. count - 1 on all threads, in any order, and rethrows what
/// one of the calls threw: an exception may not leave a parallel region.
template <class Body>
void for_each_parallel(std::size_t count, const Body& body) {
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < count; ++i) {
    try {
      body(i);
    } catch (...) {
#pragma omp critical(thinwire_for_each_parallel)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace thinwire
