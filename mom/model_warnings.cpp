#include "mom/model_warnings.h"

#include <algorithm>

#include <fmt/format.h>

#include "geometry/advice.h"

namespace thinwire {
namespace {

/// The search compares neighbours along one axis and takes seconds beyond this.
constexpr std::size_t most_compared = 20'000;
/// The reduced kernel breaks down below this many radii (Burke and Poggio 1981).
constexpr double shortest_reduced_radii = 2;

std::string name_of(const Structure& structure, std::size_t segment) {
  return fmt::format("tag {} segment {}", structure.segments()[segment].tag,
                     structure.within_tag(segment));
}

/// The first segment that `wanted` and how many there are, told by `tell`.
template <class Wanted, class Tell>
void warn_of(const Structure& structure, std::vector<std::string>& warnings,
             const Wanted& wanted, const Tell& tell) {
  const std::vector<Segment>& segments = structure.segments();
  const auto first = std::find_if(segments.begin(), segments.end(), wanted);
  if (first == segments.end()) return;
  std::string line = tell(name_of(structure, first - segments.begin()), *first);
  const auto more = std::count_if(first + 1, segments.end(), wanted);
  if (more > 0) line += fmt::format(" (and {} more)", more);
  warnings.push_back(std::move(line));
}

double length_of(const Segment& s) {
  return norm(s.end_m - s.start_m);
}

}  // namespace

std::vector<std::string> model_warnings(const Problem& problem, const Options& options) {
  const Structure& structure = problem.structure;
  std::vector<std::string> warnings;
  if (structure.segments().size() <= most_compared) warnings = overlap_advice(structure);

  if (options.kernel == KernelChoice::reduced)
    warn_of(
        structure, warnings,
        [](const Segment& s) {
          return length_of(s) < shortest_reduced_radii * s.radius_m;
        },
        [](const std::string& name, const Segment& s) {
          return fmt::format(
              "{} is {:.3g} radii long: the reduced kernel breaks down below {:g}; use "
              "fewer segments or the exact kernel",
              name, length_of(s) / s.radius_m, shortest_reduced_radii);
        });

  const bool ground =
      std::any_of(problem.runs.begin(), problem.runs.end(),
                  [](const Run& run) { return run.ground == Ground::perfect; });
  if (ground)
    warn_of(
        structure, warnings,
        [](const Segment& s) {
          const double low = std::min(s.start_m.z, s.end_m.z);
          return low > 1e-3 * length_of(s) && low < s.radius_m;
        },
        [](const std::string& name, const Segment& s) {
          return fmt::format(
              "{} dips into the ground (axis {:.3g} m above it, radius {:.3g} m): raise "
              "it or end it at z = 0",
              name, std::min(s.start_m.z, s.end_m.z), s.radius_m);
        });
  return warnings;
}

}  // namespace thinwire
