#include "mom/plan/frequency_checks.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/base/parallel.h"

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

/// Thickest wires, k a: the power balance is off by 0.3 % there and by 30 % at 3.
constexpr double largest_ka = 2;
/// Largest distance from the origin, k R: beyond it the phases of waves lose digits that
/// results need.
constexpr double largest_kr = 1e10;
/// Sheaths are taken as thin: |k| b, by their own wave number and outer radius, above
/// which that is doubtful, and meaningless.
constexpr double wide_sheath = 0.3, widest_sheath = 2;

/// The largest value(i) of i below count.
template <class Value>
double largest_of(std::size_t count, const Value& value) {
  return joined_cheap(
      count, 0.0, [](double a, double b) { return std::max(a, b); }, value);
}

/// Throws Error{geometry} for a wire as thick as no thin-wire method can take.
void check_thickness(const Structure& structure, double frequency_hz) {
  const auto& segments = structure.segments();
  const double radius_m =
      largest_of(segments.size(), [&](std::size_t s) { return segments[s].radius_m; });
  const double ka = wavenumber_rad_per_m(frequency_hz) * radius_m;
  if (ka <= largest_ka) return;
  const auto thickest =
      std::find_if(segments.begin(), segments.end(),
                   [&](const Segment& s) { return s.radius_m == radius_m; });
  throw Error(
      ErrorKind::geometry,
      fmt::format("{}: tag {} segment {} is {:.3g} wavelengths around at {:g} MHz "
                  "(limit {}). Thin-wire methods end there: use a thinner wire, or "
                  "check that its radius is in metres.",
                  structure.origin(thickest - segments.begin()), thickest->tag,
                  structure.within_tag(thickest - segments.begin()), ka,
                  frequency_hz * 1e-6, largest_ka));
}

/// Throws Error{geometry} for a wire so far from the origin that double precision does
/// not resolve the phase of a wave there.
void check_extent(const Structure& structure, double frequency_hz) {
  const auto& segments = structure.segments();
  const auto distance_m = [&](std::size_t s) {
    return std::max(norm(segments[s].start_m), norm(segments[s].end_m));
  };
  const double k = wavenumber_rad_per_m(frequency_hz),
               farthest_m = largest_of(segments.size(), distance_m);
  if (k * farthest_m <= largest_kr) return;
  std::size_t farthest = 0;
  while (distance_m(farthest) < farthest_m) ++farthest;
  throw Error(
      ErrorKind::geometry,
      fmt::format("{}: tag {} segment {} is {:.3g} m from the origin (limit {:.3g} m at "
                  "{:g} MHz, where phases would be rounding errors). Move the antenna "
                  "to the origin, or check that lengths are in metres.",
                  structure.origin(farthest), segments[farthest].tag,
                  structure.within_tag(farthest), farthest_m, largest_kr / k,
                  frequency_hz * 1e-6));
}

/// Throws Error{usage} for frequencies at which nothing can be computed.
void check_frequency_range(std::span<const double> frequency_hz) {
  for (const double hz : frequency_hz)
    if (!(hz >= lowest_frequency_hz && hz <= highest_frequency_hz))
      throw Error(ErrorKind::usage,
                  fmt::format("frequencies must be between {:g} and {:g} Hz (got {:g} "
                              "Hz). Check their unit.",
                              lowest_frequency_hz, highest_frequency_hz, hz));
}

/// Throws Error{geometry} for a sheath whose outer circumference is too many of its own
/// wavelengths; gives a warning where one is nearly so, else nothing.
std::string check_sheaths(const Structure& structure, const Run& run,
                          double frequency_hz) {
  const double omega = 2 * pi * frequency_hz;
  double widest = 0;
  std::size_t segment = 0;
  for (const Load& load : run.loads) {
    if (load.kind != Load::Kind::insulation) continue;
    const Complex eps(load.value[0], -load.value[1] / (omega * eps0_f_per_m));
    const double kb =
        omega / speed_of_light_m_per_s * std::abs(std::sqrt(eps)) * load.value[2];
    if (kb <= widest) continue;
    widest = kb;
    segment = load.first;
  }
  if (widest <= wide_sheath) return {};
  const std::string text = fmt::format(
      "{}: the sheath of tag {} segment {} is {:.3g} of its own wavelengths around at "
      "{:g} MHz",
      structure.origin(segment), structure.segments()[segment].tag,
      structure.within_tag(segment), widest, frequency_hz * 1e-6);
  if (!(widest <= widest_sheath))
    throw Error(ErrorKind::geometry,
                fmt::format("{} (limit {}). Sheaths are taken as thin: check that IS or "
                            "LD 7 gives its outer radius in metres.",
                            text, widest_sheath));
  return text + ": sheaths are taken as thin, and this one is not";
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
      run.ground.wavelength_m(wavenumber_rad_per_m(buried.frequency_hz));
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

std::vector<std::string> check_frequencies(const Problem& problem,
                                           const RunMeshes& meshes) {
  std::vector<std::string> warnings = check_buried_wires(problem, meshes);
  for (std::size_t r = 0; r < problem.runs.size(); ++r) {
    const Run& run = problem.runs[r];
    if (run.frequency_hz.empty()) continue;
    check_frequency_range(run.frequency_hz);
    const Discretization& discretization = meshes.of(r);
    const auto& elements = discretization.elements();
    const double length_m =
        largest_of(elements.size(), [&](std::size_t e) { return elements[e].length_m; });
    const double frequency_hz =
        *std::max_element(run.frequency_hz.begin(), run.frequency_hz.end());
    check_extent(problem.structure, frequency_hz);
    check_thickness(problem.structure, frequency_hz);
    if (std::string text = check_sheaths(problem.structure, run, frequency_hz);
        !text.empty())
      warnings.push_back(std::move(text));
    const double elements_wavelengths = length_m * frequency_hz / speed_of_light_m_per_s,
                 too_long = wavelengths_of_too_long(problem.structure, run);
    if (too_long == 0 && elements_wavelengths <= coarse_wavelengths) continue;
    const auto length_of = [&](std::size_t e) {
      if (too_long == 0) return elements[e].length_m;
      const Segment& s =
          problem.structure.segments()[discretization.mesh().elements()[e].segment];
      return norm(s.end_m - s.start_m);
    };
    std::size_t longest = 0;
    for (std::size_t e = 1; e < elements.size(); ++e)
      if (length_of(e) > length_of(longest)) longest = e;
    const std::size_t segment = discretization.mesh().elements()[longest].segment;
    const std::string text = fmt::format(
        "{}: tag {} segment {} is {:.3g} wavelengths long at {:g} MHz",
        problem.structure.origin(segment), problem.structure.segments()[segment].tag,
        problem.structure.within_tag(segment),
        too_long == 0 ? elements_wavelengths : too_long, frequency_hz * 1e-6);
    if (too_long > max_cut_wavelengths)
      throw Error(ErrorKind::geometry,
                  fmt::format("{} (limit {:g}). Use more segments, or check that lengths "
                              "are in metres and frequencies in MHz.",
                              text, max_cut_wavelengths));
    warnings.push_back(fmt::format("{}: {}use more segments", text,
                                   too_long == 0 ? "" : "it is cut for the solution; "));
  }
  return warnings;
}

}  // namespace thinwire
