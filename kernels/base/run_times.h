#pragma once

#include <algorithm>
#include <vector>

namespace thinwire {

/// Wall-clock or GPU seconds of repeated runs of the same work.
struct RunTimes {
  double median_s = 0, fastest_s = 0, slowest_s = 0;
  int repeats = 0;
};

/// seconds: at least one.
inline RunTimes summarise(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const std::size_t count = seconds.size(), middle = count / 2;
  const double median =
      count % 2 ? seconds[middle] : 0.5 * (seconds[middle - 1] + seconds[middle]);
  return {median, seconds.front(), seconds.back(), static_cast<int>(count)};
}

}  // namespace thinwire
