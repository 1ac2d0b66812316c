#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace thinwire {

/// Elements 0 to count - 1, fewer than 2^32, in sets that are united pair by pair (Tarjan
/// and van Leeuwen 1984, path halving): no step costs more than log(count) on average.
class DisjointSets {
 public:
  /// Each in a set of its own.
  explicit DisjointSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }

  std::size_t size() const { return parent_.size(); }

  /// The least element of the set of i: the same for all of a set.
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  void unite(std::size_t i, std::size_t j) {
    const auto [least, other] = std::minmax({root(i), root(j)});
    parent_[other] = static_cast<std::uint32_t>(least);
  }

 private:
  std::vector<std::uint32_t> parent_;  ///< never greater than the element
};

}  // namespace thinwire
