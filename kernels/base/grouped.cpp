#include "kernels/base/grouped.h"

namespace thinwire {

Grouped::Grouped(std::span<const std::uint32_t> keys, std::size_t groups)
    : members(keys.size()) {
  LargeVector<std::uint32_t> left(groups);
  for_each_cheap(groups, [&](std::size_t g) { left[g] = 0; });
  const auto of_group = [&](std::size_t i) {
    return std::atomic_ref<std::uint32_t>(left[keys[i]]);
  };
  for_each_cheap(keys.size(), [&](std::size_t i) {
    of_group(i).fetch_add(1, std::memory_order_relaxed);
  });
  first = running_sum(groups, [&](std::size_t g) { return left[g]; });
  // Which of a group comes first is up to the threads, until each group is sorted.
  for_each_cheap(keys.size(), [&](std::size_t i) {
    members[first[keys[i] + 1] - of_group(i).fetch_sub(1, std::memory_order_relaxed)] =
        static_cast<std::uint32_t>(i);
  });
  for_each_cheap(groups, [&](std::size_t g) {
    std::sort(members.begin() + static_cast<std::ptrdiff_t>(first[g]),
              members.begin() + static_cast<std::ptrdiff_t>(first[g + 1]));
  });
}

}  // namespace thinwire
