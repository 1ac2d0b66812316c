// The cards of what connects segments: TL and NT, and CP.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "io/deck/control.h"
#include "mom/postprocess/coupling.h"

namespace thinwire {

namespace {

/// Beyond this a line's phase has no digits left.
constexpr double longest_line_m = 1e9;

Vec3 position(const Segment& segment, Gap gap) {
  if (gap == Gap::segment) return 0.5 * (segment.start_m + segment.end_m);
  return gap == Gap::start ? segment.start_m : segment.end_m;
}

/// Admittances of short circuits.
constexpr double largest_admittance_s = 1e20;

Complex admittance(const CardFields& card, std::size_t field, const char* real_part,
                   const char* imaginary_part) {
  const Complex value(card.real(field, real_part), card.real(field + 1, imaginary_part));
  if (std::abs(value) > 1e100) {
    card.refuse(field, real_part,
                fmt::format("admittances must be within 1e100 S (got {} + {}j S).",
                            value.real(), value.imag()));
  }
  return value;
}

/// Admittances that are beyond any number are short circuits, and no less so at a smaller
/// number: they keep their ratios.
void limit_shorts(const CardFields& card, Complex& y11_s, Complex& y12_s,
                  Complex& y22_s) {
  const double self_s = std::max(std::abs(y11_s), std::abs(y22_s));
  if (std::abs(y12_s) > std::max(self_s, largest_admittance_s)) {
    card.refuse(
        fmt::format("Y12 must be within {:g} S where it is larger than Y11 and "
                    "Y22 (got {} + {}j S).",
                    largest_admittance_s, y12_s.real(), y12_s.imag()));
  }
  if (self_s <= largest_admittance_s) return;
  card.warn(fmt::format("has a short circuit of {:g} S, which counts as {:g} S.", self_s,
                        largest_admittance_s));
  for (Complex* y : {&y11_s, &y12_s, &y22_s}) *y *= largest_admittance_s / self_s;
}

void read_line(const CardFields& card, std::span<const Segment> segments, Network& line) {
  const double impedance_ohm = card.real(5, "impedance");
  if (!(std::abs(impedance_ohm) >= 1e-30) || std::abs(impedance_ohm) > 1e30) {
    card.refuse(
        5, "impedance",
        fmt::format("must not be 0, nor beyond 1e30 ohm (got {}). Give the line's "
                    "characteristic impedance; a negative one crosses the line.",
                    impedance_ohm));
  }
  line.impedance_ohm = std::abs(impedance_ohm);
  line.crossed = impedance_ohm < 0;
  line.length_m = card.real(6, "length");
  if (line.length_m > longest_line_m) {
    card.refuse(
        6, "length",
        fmt::format("must be at most {:g} m (got {} m).", longest_line_m, line.length_m));
  }
  if (!(line.length_m > 0)) {
    line.length_m = norm(position(segments[line.segment[1]], line.gap[1]) -
                         position(segments[line.segment[0]], line.gap[0]));
  }
  line.y11_s = admittance(card, 7, "shunt conductance at end 1", "shunt susceptance");
  line.y22_s = admittance(card, 9, "shunt conductance at end 2", "shunt susceptance");
  limit_shorts(card, line.y11_s, line.y12_s, line.y22_s);
}

void read_two_port(const CardFields& card, Network& network) {
  network.kind = Network::Kind::admittance;
  network.y11_s = admittance(card, 5, "real part of Y11", "imaginary part of Y11");
  network.y12_s = admittance(card, 7, "real part of Y12", "imaginary part of Y12");
  network.y22_s = admittance(card, 9, "real part of Y22", "imaginary part of Y22");
  limit_shorts(card, network.y11_s, network.y12_s, network.y22_s);
}

/// Returns the smaller eigenvalue of the real part of a network's admittances, S; of one
/// with both ends at one place the sum of all.
double min_conductance(const Network& network) {
  const double g1 = network.y11_s.real(), g2 = network.y22_s.real(),
               mutual = network.y12_s.real();
  if (network.segment[0] == network.segment[1] && network.gap[0] == network.gap[1])
    return g1 + g2 + 2 * mutual;
  return 0.5 * (g1 + g2) - std::hypot(0.5 * (g1 - g2), mutual);
}

/// Warns of a network that gives power. What the rounding of a passive network's
/// admittances leaves is below the tolerance. A line itself has no conductance.
void check_passive(const CardFields& card, const Network& network) {
  constexpr double tolerance = 1e-3;
  const double conductance_s = min_conductance(network);
  const double largest =
      std::max({std::abs(network.y11_s.real()), std::abs(network.y22_s.real()),
                std::abs(network.y12_s.real())});
  if (conductance_s >= -tolerance * largest) return;
  card.warn(fmt::format(
      "is an active network: it can give power to the antenna, and R may be negative "
      "(the "
      "real part of its admittances has the eigenvalue {:.3g} S; none of a passive "
      "network is below 0). Check the signs of fields {} to 10 and their order.",
      conductance_s, network.kind == Network::Kind::line ? 7 : 5));
}

}  // namespace

/// TL or NT. The first of them behind any other card drops the networks before it, as in
/// NEC-2. TL 0 -1 and NT 0 -1 cancel all; with a tag, segment -1 is a node of NEC-5.
void ControlCards::network(const CardFields& card) {
  constexpr const char* first_end = "segment of end 1";
  const int tag = card.count(1, "tag of end 1");
  const bool cancels = tag == 0 && card.integer(2, first_end) == -1;
  const Place first =
      cancels ? Place{0, Gap::segment} : find_place(card, tag, 2, first_end);
  if (!in_group("TL") || cancels) {
    if (!next_.networks.empty() && !cancels) {
      card.warn(fmt::format(
          "starts a new group of networks: {} (line{}{}) dropped, as in NEC-2. Put TL "
          "and "
          "NT cards behind one another to have all of them.",
          next_.networks.size() == 1
              ? "the one before is"
              : fmt::format("the {} before are", next_.networks.size()),
          next_.networks.size() == 1 ? " " : "s ",
          next_.networks.size() == 1
              ? fmt::format("{}", next_.networks.front().line)
              : fmt::format("{} to {}", next_.networks.front().line,
                            next_.networks.back().line)));
    }
    next_.networks.clear();
  }
  change(Run::Start::excitation);
  if (cancels) {
    card.unused(3, 10);
    return;
  }
  Network network;
  const int other_tag = card.count(3, "tag of end 2");
  const Place second = find_place(card, other_tag, 4, "segment of end 2");
  for (std::size_t end = 0; end < 2; ++end) {
    network.segment[end] = (end == 0 ? first : second).segment;
    network.gap[end] = (end == 0 ? first : second).gap;
  }
  if (card.card().mnemonic == "TL") {
    read_line(card, problem_.structure.segments(), network);
  } else {
    read_two_port(card, network);
  }
  check_passive(card, network);
  card.unused(11, 10);
  if (static_cast<std::int64_t>(next_.networks.size()) >= limits_.networks) {
    card.refuse(
        fmt::format("would be one network too many (limit {}).", limits_.networks));
  }
  network.line = card.line();
  next_.networks.push_back(network);
}

/// CP: one or two segments. Cards that follow one another add up.
void ControlCards::coupling(const CardFields& card) {
  constexpr std::size_t most = 5;
  if (!in_group("CP")) next_.coupling_segments.clear();
  for (const std::size_t field : {1, 3}) {
    const int tag = card.count(field, "tag");
    const int within = segment_number(card, field + 1, "segment");
    if (field == 3 && within == 0) break;
    const std::size_t segment = find_segment(card, tag, within);
    auto& segments = next_.coupling_segments;
    if (std::find(segments.begin(), segments.end(), segment) != segments.end()) {
      card.refuse(field + 1, "segment",
                  fmt::format("segment {} of tag {} is named already. Name each once.",
                              within, tag));
    }
    if (segments.size() == most) {
      card.refuse(fmt::format("names a segment too many (limit {}).", most));
    }
    segments.push_back(segment);
  }
  card.unused(5, 10);
  coupling_line_ = card.line();
}

/// Warns of CP cards that nothing follows from.
void ControlCards::check_coupling() const {
  if (coupling_line_ == 0) return;
  for (std::size_t r = 0; r < problem_.runs.size(); ++r)
    if (!coupling_runs(problem_, r).empty()) return;
  messages_.warn(coupling_line_,
                 "CP computes nothing: give EX 0 and XQ for each of its segments alone, "
                 "in its order, behind it.");
}

/// Warns of networks on the segment of a gap (EX 5), which is at another place.
void ControlCards::check_gap_networks(int line) const {
  if (at_nodes()) return;
  for (const Source& source : next_.sources) {
    if (source.gap != Gap::start) continue;
    const auto beside = [&](const Network& n) {
      return n.segment[0] == source.segment || n.segment[1] == source.segment;
    };
    if (std::none_of(next_.networks.begin(), next_.networks.end(), beside)) continue;
    messages_.warn(
        line,
        fmt::format("a network connects over segment {} of tag {}, in series with the "
                    "gap (EX 5) at its start, as in NEC-2. Use EX 0 for a source in "
                    "parallel with the network.",
                    index_.within_tag(source.segment),
                    problem_.structure.segments()[source.segment].tag));
  }
}

}  // namespace thinwire
