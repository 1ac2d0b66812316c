// RP: far-field patterns, and the field near the ground.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/deck/control.h"

namespace thinwire {

namespace {

/// Modes of RP.
enum : int { surface_wave = 1 };

}  // namespace

void ControlCards::pattern(const CardFields& card) {
  const int mode = card.integer(1, "mode");
  if (mode == surface_wave) {
    field_near_ground(card);
    return;
  }
  PatternRequest request;
  request.mode = pattern_mode(card);
  if (request.mode != PatternRequest::Mode::plain) request.second = second_medium_;
  request.theta_count = std::max(1, card.count(2, "number of theta angles"));
  request.phi_count = std::max(1, card.count(3, "number of phi angles"));
  if (request.theta_count > limits_.pattern_points / request.phi_count) {
    card.refuse(fmt::format("asks for {} x {} directions (limit {}). Use fewer angles.",
                            request.theta_count, request.phi_count,
                            limits_.pattern_points));
  }
  const int xnda = card.integer(4, "XNDA");
  request.vertical_horizontal = xnda / 1000 > 0;
  request.normalised = xnda / 100 % 10;
  request.directive = xnda / 10 % 10 > 0;
  request.average = xnda % 10;
  if (xnda < 0 || xnda / 1000 > 9 || request.normalised > 5) {
    card.refuse(4, "XNDA",
                fmt::format("expected digits X 0..1, N 0..5, D 0..1, A 0..2, "
                            "got {}.",
                            xnda));
  }
  if (xnda / 1000 > 1 || xnda / 10 % 10 > 1 || request.average > 2) {
    card.warn(
        fmt::format("field 4 (XNDA): X and D above 1, and A above 2, count as 1, as in "
                    "NEC-2 (got {}).",
                    xnda));
    if (request.average > 2) request.average = 1;
  }
  const auto angle = [&](std::size_t field, const char* meaning) {
    const double value = card.real(field, meaning);
    if (std::abs(value) > 1e6) {
      card.refuse(field, meaning,
                  fmt::format("must be within 1e6 degrees (got {}).", value));
    }
    return value;
  };
  request.theta_start_deg = angle(5, "first theta");
  request.phi_start_deg = angle(6, "first phi");
  request.theta_step_deg = angle(7, "theta step");
  request.phi_step_deg = angle(8, "phi step");
  request.distance_m = card.real(9, "distance");
  request.gain_normal_dbi = card.real(10, "gain to normalise to");
  if (request.distance_m < 0 || request.distance_m > 1e30) {
    card.refuse(
        9, "distance",
        fmt::format("must be between 0 and 1e30 m (got {}).", request.distance_m));
  }
  if (std::abs(request.gain_normal_dbi) > 1000) {
    card.refuse(10, "gain to normalise to",
                fmt::format("must be within 1000 dB (got {}).", request.gain_normal_dbi));
  }
  card.unused(11, 10);
  add_pattern(request, start_run(card.line()), card.line());
}

/// The mode, with what it needs in force.
PatternRequest::Mode ControlCards::pattern_mode(const CardFields& card) const {
  using Mode = PatternRequest::Mode;
  const int number = card.integer(1, "mode");
  if (number < 0 || number > 6) {
    card.refuse(1, "mode", fmt::format("expected 0 to 6, got {}.", number));
  }
  const auto mode = static_cast<Mode>(number);
  if (mode == Mode::plain) return mode;
  const bool no_ground = next_.ground == Ground::none,
             no_screen = next_.ground.screen.radials == 0;
  if (no_ground || (mode == Mode::screen && no_screen)) {
    card.warn(fmt::format(
        "field 1 (mode): RP {} is a pattern over {}, but there is none. It is read as RP "
        "0, as in NEC-2.",
        number, no_ground ? "ground" : "a screen of radial wires"));
    return Mode::plain;
  }
  if (mode != Mode::screen && !second_medium_) {
    card.refuse(Cause::ground, 1, "mode",
                fmt::format("RP {} needs a second medium beyond an edge. Give GD, or "
                            "fields 7 to 10 of GN 0 or GN 2, before it.",
                            number));
  }
  if (mode > Mode::screen && no_screen) {
    card.refuse(Cause::ground, 1, "mode",
                fmt::format("RP {} needs a screen of radial wires. Give GN 0 with fields "
                            "2, 7 and 8 before it.",
                            number));
  }
  if (mode != Mode::screen) check_edge(card, mode);
  return mode;
}

/// The second medium is for far fields: what stands beyond the edge has its currents as
/// over the first.
void ControlCards::check_edge(const CardFields& card, PatternRequest::Mode mode) const {
  using Mode = PatternRequest::Mode;
  const bool line = mode == Mode::line || mode == Mode::screen_line;
  const double edge_m = second_medium_->edge_m;
  const auto beyond = [&](Vec3 r) {
    return (line ? r.x : std::hypot(r.x, r.y)) > edge_m;
  };
  const auto& segments = problem_.structure.segments();
  const auto first = std::find_if(
      segments.begin(), segments.end(),
      [&](const Segment& s) { return beyond(s.start_m) || beyond(s.end_m); });
  if (first == segments.end()) return;
  card.warn(
      fmt::format("segment {} (tag {}) is beyond the edge at {:g} m: its current is "
                  "that over the first ground.",
                  first - segments.begin() + 1, first->tag, edge_m));
}

/// RP 1: the whole field at one horizontal distance, at heights (fields 5 and 7) and
/// azimuths. As in NEC-2 it takes the ground in force when the card is read.
void ControlCards::field_near_ground(const CardFields& card) {
  if (next_.ground == Ground::none) {
    card.refuse(Cause::ground,
                "is the field near a ground, but there is no ground. Give GN 2 (real "
                "ground) or GN 1 before it, or use RP 0 or NE.");
  }
  if (next_.ground.kind == Ground::Kind::coefficients) {
    card.warn(
        "over GN 0 lacks the surface wave, which reflection coefficients do not include: "
        "the field close to the ground is wrong. Use GN 2.");
  }
  NearFieldRequest request;
  request.grid = NearFieldRequest::Grid::near_ground;
  request.count[0] = std::max(1, card.count(2, "number of heights"));
  request.count[1] = std::max(1, card.count(3, "number of phi angles"));
  request.start[0] = card.real(5, "first height");
  request.start[1] = card.real(6, "first phi");
  request.step[0] = card.real(7, "height step");
  request.step[1] = card.real(8, "phi step");
  request.start[2] = card.real(9, "distance");
  card.real(10, "gain to normalise to");
  card.unused(11, 10);
  if (request.count[0] > limits_.pattern_points / request.count[1]) {
    card.refuse(fmt::format("asks for {} x {} points (limit {}). Use fewer.",
                            request.count[0], request.count[1], limits_.pattern_points));
  }
  if (!(request.start[2] > 0 && request.start[2] <= largest_coordinate)) {
    card.refuse(9, "distance",
                fmt::format("must be between 0 and {:g} m (got {}). Give the horizontal "
                            "distance in metres.",
                            largest_coordinate, request.start[2]));
  }
  const double last =
      request.start[0] + request.step[0] * static_cast<double>(request.count[0] - 1);
  if (!(std::min(request.start[0], last) >= 0 &&
        std::max(request.start[0], last) <= largest_coordinate)) {
    card.refuse(5, "first height",
                fmt::format("heights must be between 0 and {:g} m (got {:g} to {:g}).",
                            largest_coordinate, request.start[0], last));
  }
  add_near_field(request, start_run(card.line()), card.line());
}

void ControlCards::add_pattern(const PatternRequest& request, bool new_run, int line) {
  count_items(1, line);
  Run& run = problem_.runs.back();
  run.patterns.push_back(request);
  run.patterns.back().last_frequency_only = !new_run && run.frequency_hz.size() > 1;
}

}  // namespace thinwire
