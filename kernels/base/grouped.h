#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/base/large_vector.h"
#include "kernels/base/parallel.h"

namespace thinwire {

/// first[0] = 0, first[i + 1] = first[i] + value(i), for i below count, by all threads.
/// value is asked for twice.
template <class Value>
LargeVector<std::size_t> running_sum(std::size_t count, const Value& value) {
  constexpr std::size_t chunk = std::size_t{1} << 16;
  const std::size_t chunks = (count + chunk - 1) / chunk;
  std::vector<std::size_t> before(chunks + 1, 0);
  for_each_parallel(chunks, [&](std::size_t c) {
    for (std::size_t i = c * chunk; i < std::min(count, (c + 1) * chunk); ++i)
      before[c + 1] += value(i);
  });
  std::partial_sum(before.begin(), before.end(), before.begin());
  LargeVector<std::size_t> first(count + 1);
  first[0] = 0;
  for_each_parallel(chunks, [&](std::size_t c) {
    std::size_t sum = before[c];
    for (std::size_t i = c * chunk; i < std::min(count, (c + 1) * chunk); ++i)
      first[i + 1] = sum += value(i);
  });
  return first;
}

/// Numbers, fewer than 2^32, in groups.
struct Grouped {
  Grouped() = default;
  /// The numbers 0 to keys.size() - 1 by their key, which is below `groups`; by all
  /// threads.
  Grouped(std::span<const std::uint32_t> keys, std::size_t groups);

  LargeVector<std::size_t> first;  ///< [groups + 1] into members
  LargeVector<std::uint32_t> members;

  std::size_t groups() const { return first.size() - 1; }
  std::size_t size(std::size_t group) const { return first[group + 1] - first[group]; }
  /// In ascending order.
  std::span<const std::uint32_t> of(std::size_t group) const {
    return {members.data() + first[group], size(group)};
  }
};

}  // namespace thinwire
