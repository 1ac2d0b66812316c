#include "mom/plan/buried_wires.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// Elements longer than this many wavelengths in the ground resolve the current poorly;
/// those of the second length not at all.
constexpr double coarse_in_ground = 0.2, longest_in_ground = 1;
/// Around thicker wires, |k2| a, the current begins to differ from side to side; beyond
/// the second thin-wire methods end.
constexpr double thick_k2a = 0.5, largest_k2a = 2;

/// Warns of, or refuses, a figure that is beyond its limits, which `text` describes.
void judge(double figure, double doubtful, double limit, const Structure& structure,
           std::size_t segment, const std::string& text, const char* advice,
           std::vector<std::string>& warnings) {
  if (figure <= doubtful) return;
  if (!(figure <= limit))
    throw Error(ErrorKind::geometry,
                fmt::format("{}: {} (limit {}). Give it {}.", structure.origin(segment),
                            text, limit, advice));
  warnings.push_back(
      fmt::format("{}: {}: give it {}", structure.origin(segment), text, advice));
}

/// Refuses sheaths of which a part lies beyond the surface all along a segment: they are
/// reckoned in one medium.
void check_sheaths(const Run& run, const Structure& structure) {
  if (!run.ground.takes_wires()) return;
  for (const Load& load : run.loads) {
    if (load.kind != Load::Kind::insulation) continue;
    for (std::size_t s = load.first; s <= load.last; ++s) {
      const Segment& segment = structure.segments()[s];
      const double radius_m = load.value[2],
                   farthest_m =
                       std::max(std::fabs(segment.start_m.z), std::fabs(segment.end_m.z));
      if (farthest_m >= radius_m) continue;
      throw Error(ErrorKind::geometry,
                  fmt::format("{}: the sheath of tag {} segment {}, of radius {:g} m, "
                              "reaches through the surface of the ground ({:g} m away). "
                              "Give it a thinner sheath, or the wire another height.",
                              structure.origin(s, load.line), segment.tag,
                              structure.within_tag(s), radius_m, farthest_m));
    }
  }
}

}  // namespace

BuriedWires buried_wires(const Run& run, const Discretization& discretization) {
  BuriedWires buried;
  if (!run.ground.takes_wires() || run.frequency_hz.empty()) return buried;
  double longest_m = 0, thickest_m = 0;
  for (std::size_t e = 0; e < discretization.elements().size(); ++e) {
    const Element& element = discretization.elements()[e];
    if (!is_below(element)) continue;
    ++buried.elements;
    const std::size_t segment = discretization.mesh().elements()[e].segment;
    if (element.length_m > longest_m) {
      longest_m = element.length_m;
      buried.longest_segment = segment;
    }
    if (element.radius_m > thickest_m) {
      thickest_m = element.radius_m;
      buried.thickest_segment = segment;
    }
  }
  if (buried.elements == 0) return buried;
  buried.frequency_hz =
      *std::max_element(run.frequency_hz.begin(), run.frequency_hz.end());
  const double wavelength_m =
      run.ground.wavelength_m(2 * pi * buried.frequency_hz / speed_of_light_m_per_s);
  buried.k_rad_per_m = 2 * pi / wavelength_m;
  buried.longest_wavelengths = longest_m / wavelength_m;
  buried.thickest_ka = buried.k_rad_per_m * thickest_m;
  return buried;
}

BuriedWires max_buried_wires(const Problem& problem, const RunMeshes& meshes) {
  BuriedWires most;
  for (std::size_t r = 0; r < problem.runs.size(); ++r)
    if (const BuriedWires buried = buried_wires(problem.runs[r], meshes.of(r));
        buried.elements > most.elements)
      most = buried;
  return most;
}

std::vector<std::string> check_buried_wires(const Problem& problem,
                                            const RunMeshes& meshes) {
  std::vector<std::string> warnings;
  const Structure& structure = problem.structure;
  const auto name = [&](std::size_t segment) {
    return fmt::format("tag {} segment {}", structure.segments()[segment].tag,
                       structure.within_tag(segment));
  };
  for (std::size_t r = 0; r < problem.runs.size(); ++r) {
    check_sheaths(problem.runs[r], structure);
    const BuriedWires buried = buried_wires(problem.runs[r], meshes.of(r));
    if (buried.elements == 0) continue;
    const double mhz = buried.frequency_hz * 1e-6;
    judge(buried.longest_wavelengths, coarse_in_ground, longest_in_ground, structure,
          buried.longest_segment,
          fmt::format("{} is {:.3g} wavelengths in the ground long at {:g} MHz",
                      name(buried.longest_segment), buried.longest_wavelengths, mhz),
          "more segments, or take --mesh graded", warnings);
    judge(buried.thickest_ka, thick_k2a, largest_k2a, structure, buried.thickest_segment,
          fmt::format("{} is {:.3g} wavelengths in the ground around at {:g} MHz",
                      name(buried.thickest_segment), buried.thickest_ka, mhz),
          "a smaller radius: thin-wire methods end there", warnings);
  }
  return warnings;
}

}  // namespace thinwire
