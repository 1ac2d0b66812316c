#include "tests/fuzz/check_problem.h"

#include <algorithm>
#include <cmath>
#include <regex>

namespace thinwire::fuzz {

namespace {

bool is_finite(Vec3 p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

std::string breach(const Run& run, std::size_t segments) {
  if (run.frequency_hz.empty()) return "a run without frequency";
  for (const double f : run.frequency_hz) {
    if (!(f > 0) || !std::isfinite(f)) return "a frequency that is not positive";
  }
  // A matrix is kept without.
  if (run.matrix_file.empty() && run.sources.empty() != run.waves.has_value())
    return "a run without source";
  for (const Source& source : run.sources) {
    if (source.segment >= segments) return "a source outside the structure";
    if (!(std::abs(source.current_a.value_or(source.voltage_v)) > 0))
      return "a source without voltage or current";
  }
  for (const Network& network : run.networks) {
    if (std::max(network.segment[0], network.segment[1]) >= segments)
      return "a network outside the structure";
    if (network.kind == Network::Kind::line &&
        !(network.impedance_ohm > 0 && network.length_m >= 0))
      return "a line without impedance";
    if (!std::isfinite(std::abs(network.y11_s + network.y12_s + network.y22_s)))
      return "a network that is not finite";
  }
  for (const Load& load : run.loads) {
    if (load.first > load.last || load.last >= segments) return "a load outside";
    for (const double v : load.value) {
      if (!std::isfinite(v)) return "a load that is not finite";
    }
  }
  for (const PatternRequest& p : run.patterns) {
    if (p.theta_count < 1 || p.phi_count < 1) return "a pattern without directions";
    if (!std::isfinite(p.theta_start_deg + p.phi_start_deg + p.theta_step_deg +
                       p.phi_step_deg + p.distance_m + p.gain_normal_dbi)) {
      return "a pattern that is not finite";
    }
  }
  for (const NearFieldRequest& request : run.near_fields) {
    for (int axis = 0; axis < 3; ++axis) {
      if (request.count[axis] < 0) return "a near field with a negative count";
      if (!std::isfinite(request.start[axis] + request.step[axis])) {
        return "a near field that is not finite";
      }
    }
  }
  const ListingControl& listing = run.listing;
  if (listing.current.last >= segments || listing.charge.last >= segments) {
    return "a listing outside the structure";
  }
  return {};
}

}  // namespace

std::string breach(const Problem& problem) {
  const auto& segments = problem.structure.segments();
  if (segments.empty()) return "no segments";
  for (const Segment& s : segments) {
    if (!is_finite(s.start_m) || !is_finite(s.end_m)) return "an end that is not finite";
    const double length_m = norm(s.end_m - s.start_m);
    if (!(length_m > 0) || !std::isfinite(length_m)) return "a segment without length";
    if (!(s.radius_m > 0) || !std::isfinite(s.radius_m))
      return "a segment without radius";
    if (s.tag < 0) return "a negative tag";
  }
  for (const Run& run : problem.runs) {
    if (std::string text = breach(run, segments.size()); !text.empty()) return text;
  }
  return {};
}

bool is_clean(std::string_view message) {
  return std::all_of(message.begin(), message.end(),
                     [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
}

std::string breach(const Error& error) {
  const std::string text = error.what();
  if (!is_clean(text)) return "a message that is not printable";
  static const std::regex where("^[^:]+:[0-9]+: .*", std::regex::extended);
  const bool of_deck =
      error.kind() == ErrorKind::deck || error.kind() == ErrorKind::geometry;
  if (of_deck && !std::regex_search(text, where))
    return "a message without line: " + text;
  return {};
}

}  // namespace thinwire::fuzz
