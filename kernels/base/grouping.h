#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/base/parallel.h"

namespace thinwire {

/// Members of groups: those of group g are member[first[g]] .. member[first[g + 1] - 1].
struct Groups {
  std::vector<std::uint64_t> first;  ///< [groups + 1]
  std::vector<std::uint32_t> member;
};

/// visit(i, put) calls put(group, member) for whatever item i gives; it is called twice
/// for every item, from several threads. Members stand in the order of the items, with
/// any number of threads. Where every item has one group, and groups are many, Grouped
/// (grouped.h) needs less memory.
template <class Visit>
Groups group(std::size_t items, std::size_t groups, const Visit& visit) {
  // Each part of the items counts, and then fills, by itself.
  constexpr std::size_t max_parts = 16, fewest_items = 4096;
  const std::size_t parts = std::clamp<std::size_t>(items / fewest_items, 1, max_parts);
  std::vector<std::vector<std::uint64_t>> next(parts);
  const auto for_part = [&](std::size_t part, const auto& put) {
    for (std::size_t i = items * part / parts; i < items * (part + 1) / parts; ++i)
      visit(i, put);
  };
  for_each_parallel(parts, [&](std::size_t part) {
    next[part].assign(groups, 0);
    for_part(part, [&](std::size_t g, std::uint32_t) { ++next[part][g]; });
  });
  Groups all;
  all.first.resize(groups + 1);
  std::uint64_t before = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    all.first[g] = before;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::uint64_t count = next[part][g];
      next[part][g] = before;
      before += count;
    }
  }
  all.first[groups] = before;
  all.member.resize(before);
  for_each_parallel(parts, [&](std::size_t part) {
    for_part(part,
             [&](std::size_t g, std::uint32_t m) { all.member[next[part][g]++] = m; });
  });
  return all;
}

}  // namespace thinwire
