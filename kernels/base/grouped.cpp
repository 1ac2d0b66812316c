#include "kernels/base/grouped.h"
#include "kernels/base/parallel.h"

namespace thinwire {

Grouped::Grouped(std::span<const std::uint32_t> keys, std::size_t groups)
    : members(keys.size()) {
  LargeVector<std::uint32_t> left(groups);
#pragma omp parallel for schedule(static) if (groups >= worth_threads)
  for (std::size_t g = 0; g < groups; ++g) left[g] = 0;
  const auto of_group = [&](std::size_t i) {
    return std::atomic_ref<std::uint32_t>(left[keys[i]]);
  };
#pragma omp parallel for schedule(static) if (keys.size() >= worth_threads)
  for (std::size_t i = 0; i < keys.size(); ++i)
    of_group(i).fetch_add(1, std::memory_order_relaxed);
  first = running_sum(groups, [&](std::size_t g) { return left[g]; });
  // Which of a group comes first is up to the threads, until each group is sorted.
#pragma omp parallel for schedule(static) if (keys.size() >= worth_threads)
  for (std::size_t i = 0; i < keys.size(); ++i)
    members[first[keys[i] + 1] - of_group(i).fetch_sub(1, std::memory_order_relaxed)] =
        static_cast<std::uint32_t>(i);
#pragma omp parallel for schedule(static) if (groups >= worth_threads)
  for (std::size_t g = 0; g < groups; ++g)
    std::sort(members.begin() + static_cast<std::ptrdiff_t>(first[g]),
              members.begin() + static_cast<std::ptrdiff_t>(first[g + 1]));
}

}  // namespace thinwire
