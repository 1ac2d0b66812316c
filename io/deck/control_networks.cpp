// The cards of what connects segments: TL, NT and LN, and CP.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "io/deck/cables.h"
#include "io/deck/control.h"
#include "kernels/base/printable.h"
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

double positive(const CardFields& card, std::size_t field, const char* meaning,
                double most) {
  const double value = card.real(field, meaning);
  if (!(value > 0) || value > most)
    card.refuse(
        field, meaning,
        fmt::format("must be positive and at most {:g} (got {:g}).", most, value));
  return value;
}

/// Reads what a line that is not ideal loses, and its velocity factor, which multiplies
/// lengths: those of the cable that field 5 names, or fields 11 to 13.
double read_loss(const CardFields& card, const Cable* cable, Network& line) {
  // Np per metre of one dB per 100 m.
  const double np_per_m = std::log(10) / 20 / 100;
  double factor = 1;
  if (cable != nullptr) {
    factor = cable->velocity_factor;
    // dB per 100 feet there.
    for (int i = 0; i < 2; ++i)
      line.loss_np_per_m[i] = factor * np_per_m / 0.3048 * cable->loss_db_per_100_ft[i];
    card.unused(11, 10);
    return factor;
  }
  if (card.has(11)) {
    const double db = card.real(11, "loss in dB per 100 m");
    if (!(db >= 0) || db > 1e6)
      card.refuse(11, "loss in dB per 100 m",
                  fmt::format("must be 0 to 1e6 (got {:g}).", db));
    if (card.has(13) && card.real(13, "velocity factor") != 0)
      factor = positive(card, 13, "velocity factor", 1);
    if (db > 0)
      line.loss_np_per_m[0] =
          factor * np_per_m * db /
          std::sqrt(positive(card, 12, "frequency of the loss, MHz", 1e6));
  }
  card.unused(14, 13);
  return factor;
}

void read_line(const CardFields& card, std::span<const Segment> segments, Network& line) {
  const std::string_view name = card.has(5) ? card.card().fields[4] : std::string_view();
  const Cable* cable = find_cable(unsigned_name(name));
  if (cable == nullptr && !card.is_number(5) &&
      (name.starts_with("RG") || name.starts_with("LMR") || name.starts_with("LDF")))
    card.refuse(
        5, "impedance or cable",
        fmt::format("the cable {} is not known. Give one of {}, or ohm here and its "
                    "loss in fields 11 to 13.",
                    quote_text(name), cable_names()));
  const double impedance_ohm = cable != nullptr
                                   ? (name.front() == '-' ? -1 : 1) * cable->impedance_ohm
                                   : card.real(5, "impedance");
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
  line.length_m /= read_loss(card, cable, line);
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

/// Reads branches of four fields each: place and type, and three values.
void read_ladder(const CardFields& card, Network& network) {
  constexpr std::size_t max_branches = 20;
  network.kind = Network::Kind::ladder;
  std::size_t field = 5;
  for (; card.has(field); field += 4) {
    const std::string_view code = card.card().fields[field - 1];
    if (network.branches.size() == max_branches)
      card.refuse(fmt::format("has a branch too many (limit {}).", max_branches));
    LadderBranch branch;
    const char place = code.empty() ? ' ' : static_cast<char>(code.front() & ~0x20);
    const std::string_view type = code.empty() ? code : code.substr(1);
    if (place == 'T' && type.empty()) {
      branch.place = LadderBranch::Place::transformer;
      const double ratio = branch.part.value[0] = card.real(field + 1, "ratio of turns");
      if (!(std::abs(ratio) >= 1e-6) || std::abs(ratio) > 1e6)
        card.refuse(
            field + 1, "ratio of turns",
            fmt::format("must be 1e-6 to 1e6, negative where reversed (got {:g}).",
                        ratio));
    } else if ((place == 'S' || place == 'P') && type.size() == 1 &&
               std::string_view("0146").find(type) != type.npos) {
      branch.place =
          place == 'S' ? LadderBranch::Place::series : LadderBranch::Place::shunt;
      branch.part.kind = static_cast<Load::Kind>(type.front() - '0');
      for (std::size_t i = 0; i < 3; ++i) {
        const double value = branch.part.value[i] = card.real(field + 1 + i, "value");
        const bool trap = branch.part.kind == Load::Kind::trap;
        if (std::abs(value) > 1e30 || (trap && !(value > 0) && (i < 2 || value < 0)) ||
            (branch.part.kind != Load::Kind::impedance && value < 0))
          card.refuse(
              field + 1 + i, "value",
              fmt::format("must be {} (got {:g}). Give ohm, henry and farad, or the "
                          "Q of a trap's coil, henry and farad.",
                          trap ? "positive" : "0 to 1e30", value));
      }
    } else {
      card.refuse(
          field, "branch",
          fmt::format("expected S (in series) or P (across) with a type of LD, such "
                      "as S0 or P1, or T (transformer); got '{}'.",
                      printable(std::string(code))));
    }
    network.branches.push_back(branch);
  }
  if (network.branches.empty())
    card.refuse(5, "branch", "is missing. Give at least one, such as S0 0 2uH 0.");
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

/// TL, NT or LN. The first of them behind any other card drops the networks before it, as
/// in NEC-2. TL 0 -1 and NT 0 -1 cancel all; with a tag, segment -1 is a node of NEC-5.
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
  } else if (card.card().mnemonic == "LN") {
    read_ladder(card, network);
  } else {
    read_two_port(card, network);
    card.unused(11, 10);
  }
  check_passive(card, network);
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
    const int within = segment_number(card, tag, field + 1, "segment");
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
