#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/base/large_vector.h"
#include "kernels/base/parallel.h"

namespace thinwire {

/// Elements 0 to count - 1, fewer than 2^32, in sets that are united pair by pair, by
/// several threads at once if need be (Anderson and Woll 1991, path halving): no step
/// costs more than log(count) on average. The sets depend on the pairs alone, not on
/// their order.
class DisjointSets {
 public:
  /// Each in a set of its own.
  explicit DisjointSets(std::size_t count) : parent_(count) {
    for_each_cheap(count,
                   [&](std::size_t i) { parent_[i] = static_cast<std::uint32_t>(i); });
  }

  std::size_t size() const { return parent_.size(); }

  /// The least element of the set of i: the same for all of a set.
  std::size_t root(std::size_t i) {
    // Whatever other threads do, an ancestor stays one.
    for (std::uint32_t up = parent(i); up != i; up = parent(i)) {
      const std::uint32_t above = parent(up);
      at(i).store(above, std::memory_order_relaxed);
      i = above;
    }
    return i;
  }

  void unite(std::size_t i, std::size_t j) {
    for (;;) {
      i = root(i);
      j = root(j);
      if (i == j) return;
      if (i > j) std::swap(i, j);
      // Fails where another thread was first to unite the set of j with a third one.
      auto own = static_cast<std::uint32_t>(j);
      if (at(j).compare_exchange_strong(own, static_cast<std::uint32_t>(i),
                                        std::memory_order_relaxed))
        return;
    }
  }

 private:
  std::atomic_ref<std::uint32_t> at(std::size_t i) {
    return std::atomic_ref<std::uint32_t>(parent_[i]);
  }
  std::uint32_t parent(std::size_t i) { return at(i).load(std::memory_order_relaxed); }

  LargeVector<std::uint32_t> parent_;  ///< never greater than the element
};

}  // namespace thinwire
