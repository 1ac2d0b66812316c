#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "io/result/listing_blocks.h"
#include "mom/postprocess/polarization.h"

namespace thinwire::listing {
namespace {

const char* kind_name(const IncidentWave& wave) {
  constexpr const char* names[] = {"LINEAR", "RIGHT", "LEFT"};
  return names[static_cast<std::size_t>(wave.kind)];
}

}  // namespace

std::string excitation(const IncidentWave& wave) {
  return fmt::format(
      "\n\n                             ---------- EXCITATION ----------\n"
      "  PLANE WAVE - THETA: {:7.2f} deg, PHI: {:7.2f} deg, ETA={:7.2f} DEG, TYPE - {}  "
      "AXIAL RATIO: {:6.3f}\n",
      wave.theta_deg, wave.phi_deg, wave.eta_deg, kind_name(wave), wave.axial_ratio);
}

std::string receiving(const Problem& problem, const Run& run,
                      const FrequencyResult& result, std::size_t number) {
  constexpr int normalised_only = 3;
  if (run.listing.current.mode == normalised_only || !result.wave) return "";
  const IncidentWave& wave = *result.wave;
  std::string out;
  if (number == 0)
    out = fmt::format(
        "\n\n{0}-------- RECEIVING PATTERN PARAMETERS --------\n"
        "{0}         ETA: {1:7.2f} DEGREES\n"
        "{0}         TYPE: {2}\n"
        "{0}         AXIAL RATIO: {3:6.3f}\n\n"
        "{0}THETA     PHI      ----- CURRENT ----    SEG\n"
        "{0}(DEG)    (DEG)     MAGNITUDE    PHASE    No:\n",
        "                        ", wave.eta_deg, kind_name(wave), wave.axial_ratio);
  const std::span<const Segment> segments = problem.structure.segments();
  for (std::size_t s = 0; s < segments.size(); ++s) {
    if (!run.listing.current.has(s, segments[s])) continue;
    const Complex current = result.segment_current_a[s];
    fmt::format_to(std::back_inserter(out),
                   "                      {:7.2f}  {:7.2f}   {:11.4E}  {:7.2f}  {:5}\n",
                   wave.theta_deg, wave.phi_deg, std::abs(current),
                   std::arg(current) * deg, s + 1);
  }
  return out;
}

std::string normalised_receiving(const Problem& problem, const Run& run,
                                 std::span<const FrequencyResult> waves) {
  const std::span<const Segment> segments = problem.structure.segments();
  std::size_t segment = 0;
  for (std::size_t s = 0; s < segments.size(); ++s)
    if (run.listing.current.has(s, segments[s])) segment = s;
  double largest = 0;
  for (const FrequencyResult& result : waves)
    largest = std::max(largest, std::abs(result.segment_current_a[segment]));
  const IncidentWave& first = run.waves->first;
  std::string out = fmt::format(
      "\n\n                     ---- NORMALIZED RECEIVING PATTERN ----\n"
      "{0}NORMALIZATION FACTOR: {1:11.4E}\n"
      "{0}ETA: {2:7.2f} DEGREES\n"
      "{0}TYPE: {3}\n"
      "{0}AXIAL RATIO: {4:6.3f}\n"
      "{0}SEGMENT No: {5}\n\n"
      "{0}THETA     PHI       ---- PATTERN ----\n"
      "{0}(DEG)    (DEG)       DB     MAGNITUDE\n",
      "                      ", largest, first.eta_deg, kind_name(first),
      first.axial_ratio, segment + 1);
  for (const FrequencyResult& result : waves) {
    const double ratio =
        largest > 0 ? std::abs(result.segment_current_a[segment]) / largest : 0;
    fmt::format_to(std::back_inserter(out),
                   "                    {:7.2f}  {:7.2f}   {:7.2f}  {:11.4E}\n",
                   result.wave->theta_deg, result.wave->phi_deg, decibel(ratio * ratio),
                   ratio);
  }
  return out;
}

}  // namespace thinwire::listing
