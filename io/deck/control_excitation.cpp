// EX: voltage and current sources on segments, and plane waves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "geometry/end_clusters.h"
#include "geometry/wires_below.h"
#include "io/deck/control.h"
#include "io/deck/unsupported.h"
#include "kernels/base/constants.h"

namespace thinwire {

namespace {

/// The types of EX.
enum : int {
  voltage = 0,
  linear_wave = 1,
  left_wave = 3,
  elementary = 4,
  gap = 5,
  current = 6,
  gap_current = 7,  ///< of no other program
};

}  // namespace

void ControlCards::excitation(const CardFields& card) {
  const int type = card.integer(1, "type");
  if (type < voltage || type > gap_current) {
    card.refuse(1, "type", fmt::format("expected 0 to 7, got {}.", type));
  }
  // NEC-5 has current sources at nodes where NEC-2 has an element in space, which names
  // no segment.
  const bool is_nec2 = !at_nodes() && dialect_ != Dialect::automatic;
  if (type == elementary && (is_nec2 || card.integer(3, "segment") == 0)) {
    messages_.refuse(card.line(), unsupported_type("EX", type) +
                                      " is not supported. Use EX 6 for a current source "
                                      "on a segment, or EX 1 for a plane wave.");
  }
  if ((type == gap || type == gap_current) && at_nodes()) {
    card.refuse(1, "type",
                fmt::format("EX {} is {} gap between segments. NEC-5's sources at nodes "
                            "are EX 0 (voltage) and EX 4 (current).",
                            type, type == gap ? "NEC-2's" : "a current in a"));
  }
  if (type >= linear_wave && type <= left_wave) {
    plane_waves(card, type);
  } else {
    source(card, type);
  }
  change(Run::Start::excitation);
}

/// The first EX card behind another card drops those before it; a plane wave and what
/// follows one come alone.
void ControlCards::start_excitation(const CardFields& card, bool of_waves) {
  const int first_line = next_.waves             ? next_.waves->line
                         : next_.sources.empty() ? 0
                                                 : next_.sources.front().line;
  const bool starts = !in_group("EX"),
             is_alone = next_.waves || (of_waves && !next_.sources.empty());
  if (starts && !sources_used_)
    card.warn(
        fmt::format("starts a new group of sources; that of line {} is dropped, as "
                    "in NEC-2. Put EX cards behind one another to drive several "
                    "segments at once.",
                    first_line));
  if (!starts && is_alone)
    card.warn(
        fmt::format("drops the EX cards before it (line {}): a plane wave comes alone, "
                    "as in NEC-2. Put an XQ or RP card between them to have both, one "
                    "after the other.",
                    first_line));
  if (starts || is_alone) {
    next_.sources.clear();
    next_.waves.reset();
  }
  sources_used_ = false;
}

void ControlCards::source(const CardFields& card, int type) {
  const int tag = card.count(2, "tag");
  const Place place = find_place(card, tag, 3, "segment");
  if (card.integer(4, "print option") != 0) {
    card.warn("field 4 (print option) is ignored.");
  }
  const bool is_current = type == current || type == elementary || type == gap_current;
  const char *quantity = is_current ? "current" : "voltage",
             *unit = is_current ? "A" : "V";
  Complex value = {card.real(5, fmt::format("real part of the {}", quantity)),
                   card.real(6, fmt::format("imaginary part of the {}", quantity))};
  card.unused(11, 10);
  if (std::abs(value) < 1e-20) {
    if (card.has(5)) {
      card.warn(fmt::format("{} 0 is taken as 1 {}, as in NEC-2.", quantity, unit));
    }
    value = 1.0;
  }
  if (std::abs(value) > 1e30) {
    card.refuse(fmt::format("{0} must be within 1e30 {1} (got {2} + {3}j {1}).", quantity,
                            unit, value.real(), value.imag()));
  }
  Source source;
  if (is_current) {
    source.current_a = value;
  } else {
    source.voltage_v = value;
  }
  source.segment = place.segment;
  source.gap = place.gap;
  if (type == elementary && !at_nodes()) {
    card.warn(
        "names a segment and is read as NEC-5's current source on it. NEC-2's "
        "elementary source in space leaves fields 2 and 3 blank.");
  }
  if (type == gap || type == gap_current) {
    source.gap = Gap::start;
    check_gap(card, source.segment);
  }
  start_excitation(card, false);
  for (std::size_t i = 0; i < next_.sources.size(); ++i) {
    const Source& other = next_.sources[i];
    if (at_nodes() ? other.same_place(source) : other.segment == source.segment) {
      card.refuse(fmt::format(
          "{} {} of tag {} has a source already (line {}). Give one EX card{}.",
          at_nodes() ? "node" : "segment", card.card().fields[2], tag, other.line,
          is_current || other.current_a ? "" : " with the sum of the voltages"));
    }
  }
  budget_.spend(static_cast<std::int64_t>(next_.sources.size()), card.line(), messages_);
  source.line = card.line();
  next_.sources.push_back(source);
}

/// A gap at a node (EX 5, EX 7) needs one other segment there, or the ground.
void ControlCards::check_gap(const CardFields& card, std::size_t segment) const {
  const std::span<const Segment> segments = problem_.structure.segments();
  budget_.spend(static_cast<std::int64_t>(segments.size()), card.line(), messages_);
  const Vec3 start = segments[segment].start_m;
  const Vec3 along = segments[segment].end_m - start;
  const double tolerance_m = junction_tolerance * norm(along);
  int others = 0;
  bool in_line = true, goes_below = reaches_below(segments[segment]);
  for (std::size_t s = 0; s < segments.size(); ++s) {
    if (s == segment) continue;
    const Vec3 ends[2] = {segments[s].start_m, segments[s].end_m};
    for (int end = 0; end < 2; ++end) {
      if (norm(ends[end] - start) > tolerance_m) continue;
      ++others;
      goes_below = goes_below || reaches_below(segments[s]);
      const Vec3 away = ends[1 - end] - ends[end];
      in_line = dot(along, away) < -0.9999 * norm(along) * norm(away);
    }
  }
  const bool grounded =
      problem_.ground_contact && std::abs(start.z) <= tolerance_m && !goes_below;
  if (others == 0 && !grounded) {
    card.refuse(
        "is a gap at the start of its segment, which is a free end. Use EX 0, or the "
        "next segment.");
  }
  if (others > 1 || (others == 1 && grounded)) {
    card.refuse(fmt::format(
        "is a gap at the start of its segment, where {} wires meet. Use EX 0, or a "
        "segment whose start joins one other.",
        others + 1 + (grounded ? 1 : 0)));
  }
  if (!in_line) {
    card.warn("is a gap at a bend; NEC-2 requires both segments in line.");
  }
}

void ControlCards::plane_waves(const CardFields& card, int type) {
  IncidentWaves waves;
  waves.first.kind = static_cast<IncidentWave::Kind>(type - linear_wave);
  waves.theta_count = std::max(1, card.count(2, "number of theta angles"));
  waves.phi_count = std::max(1, card.count(3, "number of phi angles"));
  if (waves.theta_count > limits_.incident_waves / waves.phi_count) {
    card.refuse(fmt::format("asks for {} x {} waves (limit {}). Use fewer angles.",
                            waves.theta_count, waves.phi_count, limits_.incident_waves));
  }
  if (card.integer(4, "print option") != 0) {
    card.warn("field 4 (print option) is ignored.");
  }
  double* const angles[] = {&waves.first.theta_deg, &waves.first.phi_deg,
                            &waves.first.eta_deg, &waves.theta_step_deg,
                            &waves.phi_step_deg};
  constexpr const char* names[] = {"first theta", "first phi", "eta", "theta step",
                                   "phi step"};
  for (std::size_t i = 0; i < 5; ++i) {
    *angles[i] = card.real(5 + i, names[i]);
    if (std::abs(*angles[i]) > 1e6) {
      card.refuse(5 + i, names[i],
                  fmt::format("must be within 1e6 degrees (got {}).", *angles[i]));
    }
  }
  waves.first.axial_ratio = card.real(10, "axial ratio");
  if (!(waves.first.axial_ratio >= 0 && waves.first.axial_ratio <= 1)) {
    card.refuse(10, "axial ratio",
                fmt::format("minor over major axis must lie between 0 and 1 (got {}).",
                            waves.first.axial_ratio));
  }
  if (type == linear_wave && waves.first.axial_ratio != 0) {
    card.warn(
        "is a linear wave: field 10 (axial ratio) is ignored. EX 2 is right-hand, EX 3 "
        "left-hand elliptic.");
    waves.first.axial_ratio = 0;
  }
  card.unused(11, 10);
  start_excitation(card, true);
  waves.line = card.line();
  next_.waves = waves;
}

/// Over ground no wave comes from below the horizon: says so once for each EX card.
void ControlCards::check_waves_over_ground() {
  const IncidentWaves& waves = *next_.waves;
  const int line = waves.line;
  if (line == refused_wave_line_) return;
  for (int i = 0; i < waves.theta_count; ++i) {
    const double theta_deg = waves.first.theta_deg + i * waves.theta_step_deg;
    if (std::cos(theta_deg * (pi / 180)) > -1e-9) continue;
    refused_wave_line_ = line;
    messages_.refuse(line,
                     fmt::format("a plane wave from theta = {:g} degrees comes from "
                                 "below the ground (EX 1 to 3). Keep theta within "
                                 "90 degrees, or use GN -1 (free space).",
                                 theta_deg));
    return;
  }
}

}  // namespace thinwire
