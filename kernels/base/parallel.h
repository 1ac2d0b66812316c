#pragma once

#include <cstddef>
#include <exception>

#include <omp.h>

namespace thinwire {

// A parallel region takes 0.8 us even on one thread, and a solve of some dozen unknowns
// has over a hundred loops: each of the functions below enters one only where other
// threads help.

/// Loops of fewer cheap steps are done before other threads have begun.
inline constexpr std::size_t worth_threads = std::size_t{1} << 14;

/// Calls body(i), which is cheap and throws nothing, for i = 0 .. count - 1, from
/// worth_threads steps on by all threads and in any order.
template <class Body>
void for_each_cheap(std::size_t count, const Body& body) {
  if (count < worth_threads) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i) body(i);
}

/// Joins start with value(i) for i = 0 .. count - 1 by join(a, b), which may be done in
/// any order, as by for_each_cheap.
template <class Value, class Join, class ValueOf>
Value joined_cheap(std::size_t count, Value start, const Join& join,
                   const ValueOf& value) {
  if (count < worth_threads) {
    for (std::size_t i = 0; i < count; ++i) start = join(start, value(i));
    return start;
  }
  Value all = start;
#pragma omp parallel
  {
    Value own = start;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < count; ++i) own = join(own, value(i));
#pragma omp critical(thinwire_joined_cheap)
    all = join(all, own);
  }
  return all;
}

/// Calls body(i) for i = 0 .. count - 1 on all threads, each of which takes `chunk` steps
/// at a time, in any order, and rethrows what one of the calls threw: an exception may
/// not leave a parallel region.
template <class Body>
void for_each_parallel(std::size_t count, const Body& body, std::size_t chunk = 1) {
  if (count <= chunk || omp_get_max_threads() == 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, chunk)
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
