#include "papers/sparse/segmented_scan.h"

#include <algorithm>
#include <string>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

std::vector<std::uint8_t> make_hints(std::span<const std::int64_t> ptr, int segment) {
  std::vector<std::uint8_t> hints(static_cast<std::size_t>(ptr.back()));
  for (std::size_t group = 0; group + 1 < ptr.size(); ++group)
    for (std::int64_t k = ptr[group]; k < ptr[group + 1]; ++k)
      hints[static_cast<std::size_t>(k)] =
          k % segment == 0
              ? (k > ptr[group] ? scan_goes_on : std::uint8_t{0})
              : static_cast<std::uint8_t>(std::min(k - ptr[group], k % segment));
  return hints;
}

/// Segments of a level, grouped by the row or group that they start in.
std::vector<std::int64_t> next_ptr(std::span<const std::int64_t> ptr, int segment) {
  const std::int64_t segments = (ptr.back() + segment - 1) / segment;
  std::vector<std::int64_t> next;
  for (std::size_t group = 0; group + 1 < ptr.size(); ++group) {
    const std::int64_t first = (ptr[group] + segment - 1) / segment;
    if (first * segment < ptr[group + 1]) next.push_back(first);
  }
  next.push_back(segments);
  return next;
}

}  // namespace

ScanPlan<> make_scan_plan(std::span<const std::int64_t> row_ptr, int segment) {
  if (segment < 4 || segment > 256 || (segment & (segment - 1)) != 0)
    throw Error(
        ErrorKind::usage,
        "segmented scan: the length of a segment must be a power of two, 4 .. 256 "
        "(got " +
            std::to_string(segment) + ").");
  ScanPlan<> plan;
  plan.segment = segment;
  plan.hints.push_back(make_hints(row_ptr, segment));
  std::vector<std::int64_t> ptr(row_ptr.begin(), row_ptr.end());
  while (ptr.back() > segment) {
    ptr = next_ptr(ptr, segment);
    plan.hints.push_back(make_hints(ptr, segment));
  }
  return plan;
}

}  // namespace thinwire
