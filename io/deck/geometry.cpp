#include "io/deck/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "mom/problem/stored_matrix.h"

namespace thinwire {

namespace {

/// Names of the three fields of a point.
using FieldNames = std::string_view[3];
constexpr FieldNames first_end = {"x1", "y1", "z1"}, second_end = {"x2", "y2", "z2"},
                     rotation = {"x rotation", "y rotation", "z rotation"},
                     translation = {"x translation", "y translation", "z translation"};

Vec3 point(const CardFields& card, std::size_t field, const FieldNames& meaning) {
  return {card.real(field, meaning[0]), card.real(field + 1, meaning[1]),
          card.real(field + 2, meaning[2])};
}

/// GH, GA and GW have tag and segment count in their first fields.
int tag_of(const CardFields& card) {
  return card.count(1, "tag");
}
int count_of(const CardFields& card) {
  const int count = card.rounded(2, "segments");
  if (count < 1) {
    card.refuse(2, "segments", fmt::format("must be positive (got {}).", count));
  }
  return count;
}

/// Sum of 1, ratio, ratio^2 ... of `count` terms.
double geometric_sum(double ratio, int count) {
  const double grown = std::log(ratio) * count;
  return std::abs(grown) < 1e-9 ? count : std::expm1(grown) / (ratio - 1);
}

/// The ratio with which `count` segments, of which the first is `first_m` long, fill a
/// wire.
double ratio_to_fill(double length_m, double first_m, int count) {
  double low = 1e-3, high = 1e3;
  for (int step = 0; step < 200; ++step) {
    const double middle = std::sqrt(low * high);
    (first_m * geometric_sum(middle, count) < length_m ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

/// NEC-4's GC 1 and GC 2: the ratio of neighbouring segments from the length of the first
/// one, or from those of the first and the last one, which must fill the wire.
double taper_ratio(const CardFields& card, double length_m, int count) {
  constexpr double loose_fit = 0.01;
  const int form = card.integer(1, "form");
  const double first_m = card.real(6, "length of the first segment");
  if (!(first_m > 0) || first_m > length_m) {
    card.refuse(6, "length of the first segment",
                fmt::format("must lie between 0 and the wire's {} m (got {} m).",
                            length_m, first_m));
  }
  if (form == 1) return ratio_to_fill(length_m, first_m, count);
  const double last_m = card.real(7, "length of the last segment");
  if (!(last_m > 0) || last_m > length_m) {
    card.refuse(7, "length of the last segment",
                fmt::format("must lie between 0 and the wire's {} m (got {} m).",
                            length_m, last_m));
  }
  const double ratio = count > 1 ? std::pow(last_m / first_m, 1.0 / (count - 1)) : 1;
  const double filled_m = first_m * geometric_sum(ratio, count);
  if (std::abs(filled_m / length_m - 1) > loose_fit) {
    card.refuse(fmt::format(
        "its segments fill {:.6g} m of a wire of {:.6g} m: {} from {} m to {} m in equal "
        "ratios. Change the number of segments on the GW card, or give GC 1 and the "
        "first length alone.",
        filled_m, length_m, count, first_m, last_m));
  }
  return ratio;
}

}  // namespace

void WorkBudget::spend(std::int64_t steps, int line, const DeckMessages& messages) {
  left_ -= steps;
  if (left_ < 0) {
    messages.give_up(line,
                     "the cards up to this line move or load too many segments. Write "
                     "the structure with fewer transformations.");
  }
}

GeometryCards::GeometryCards(Problem& problem, DeckMessages& messages,
                             const DeckLimits& limits, WorkBudget& budget,
                             const MatrixFileReader& read_matrix,
                             const DeckReading& reading)
    : problem_(problem),
      messages_(messages),
      budget_(budget),
      read_matrix_(read_matrix),
      reading_(reading) {
  problem_.structure = Structure(limits.segments);
}

bool GeometryCards::knows(Mnemonic mnemonic) {
  if (PatchGrid::knows(mnemonic)) return true;
  constexpr std::string_view known = "FWCAHMXRSE";  // behind the G
  return mnemonic[0] == 'G' && known.find(mnemonic[1]) != known.npos;
}

void GeometryCards::finish_wire(Mnemonic mnemonic) {
  if (mnemonic == "GC" || !pending_) return;
  const PendingWire wire = *std::exchange(pending_, std::nullopt);
  messages_.refuse(wire.line,
                   fmt::format("GW tag {}: radius must be positive (got 0 m, and no GC "
                               "card follows{}). Give the radius of the wire in field 9.",
                               wire.tag,
                               wire.has_hash_comment
                                   ? "; # begins a comment unless a wire gauge, such as "
                                     "#12, follows"
                                   : ""));
}

void GeometryCards::read(const CardFields& card) {
  const Mnemonic mnemonic = card.card().mnemonic;
  if (ended_) {
    card.refuse(Cause::order, "stands behind GE. Geometry cards must come before GE.");
  }
  const std::size_t before = problem_.structure.segments().size();
  try {
    build(card);
  } catch (const Error& error) {
    const std::string text = error.what();
    const auto wire = std::exchange(pending_, std::nullopt);
    // Errors of the fields name their place already; those of the structure do not.
    if (text.starts_with(messages_.place(card.line()) + ":")) throw;
    const bool tagged = mnemonic == "GW" || mnemonic == "GA" || mnemonic == "GH";
    const std::string tag = wire     ? fmt::format(" tag {}", wire->tag)
                            : tagged ? fmt::format(" tag {}", card.integer(1, "tag"))
                                     : "";
    const std::string problem = fmt::format("{}{}: {}", mnemonic.text(), tag, text);
    // A tag that does not exist may be one that an earlier card failed to make.
    if (error.kind() == ErrorKind::deck)
      messages_.refuse(card.line(), Cause::structure, problem);
    throw Error(error.kind(), messages_.place(card.line()) + ": " + problem);
  }
  if (mnemonic != "GW") pending_.reset();
  problem_.structure.set_origin(before, messages_.name(), card.line());
}

void GeometryCards::build(const CardFields& card) {
  Structure& structure = problem_.structure;
  const Mnemonic mnemonic = card.card().mnemonic;
  const auto present = static_cast<std::int64_t>(structure.segments().size());
  if (problem_.stored && mnemonic != "GE") {
    card.refuse(
        "adds to or changes the structure that GF read, whose matrix would no longer be "
        "valid. Give the whole structure in one deck.");
  } else if (mnemonic == "GF") {
    take_file(card);
  } else if (PatchGrid::knows(mnemonic)) {
    patches_.read(card);
  } else if (mnemonic == "GW") {
    wire(card);
  } else if (mnemonic == "GC") {
    taper(card);
  } else if (mnemonic == "GA") {
    card.unused(7, 9);
    structure.add_arc(tag_of(card), count_of(card), card.real(3, "arc radius"),
                      card.real(4, "start angle"), card.real(5, "end angle"),
                      card.real(6, "wire radius"));
  } else if (mnemonic == "GH" && reading_.dialect == Dialect::nec4) {
    helix_of_nec4(card);
  } else if (mnemonic == "GH") {
    card.unused(10, 9);
    if (card.real(4, "length") == 0) {
      card.refuse(4, "length",
                  "must not be zero (got 0 m): NEC-2 divides by it. If field 3 is the "
                  "number of turns, the deck is NEC-4's: use --dialect nec4. Otherwise "
                  "give a tiny length and spacing: their ratio is the number of turns.");
    }
    structure.add_helix(tag_of(card), count_of(card), card.real(3, "turn spacing"),
                        card.real(4, "length"), card.real(5, "start x radius"),
                        card.real(6, "start y radius"), card.real(7, "end x radius"),
                        card.real(8, "end y radius"), card.real(9, "wire radius"));
  } else if (mnemonic == "GM") {
    budget_.spend(present, card.line(), messages_);
    move(card);
  } else if (mnemonic == "GX") {
    budget_.spend(present, card.line(), messages_);
    reflect(card);
  } else if (mnemonic == "GR") {
    card.unused(3, 9);
    transform([&](Structure& part) {
      part.rotate(card.integer(1, "tag increment"), card.integer(2, "copies in all"));
    });
  } else if (mnemonic == "GS") {
    // xnec2c scales that range of tags alone; NEC-2 and nec2c do not use the two fields.
    if (card.integer(1, "first tag") != 0 || card.integer(2, "last tag") != 0) {
      card.warn(
          "scales the whole structure, as in NEC-2: fields 1 and 2 (a range of tags, in "
          "xnec2c) are ignored.");
    }
    budget_.spend(present, card.line(), messages_);
    card.unused(4, 9);
    transform([&](Structure& part) { part.scale(card.real(3, "factor")); });
  } else {
    end(card);
  }
}

/// NEC-4's GH: turns (negative: left handed), length along z (0: flat), radius at both
/// ends, wire radius at both ends, and 0 for a logarithmic spiral or 1 for one of
/// Archimedes.
void GeometryCards::helix_of_nec4(const CardFields& card) {
  const int tag = tag_of(card), count = count_of(card);
  const double turns = card.real(3, "turns"), length_m = card.real(4, "length"),
               first_m = card.real(5, "start radius"),
               last_m = card.real(6, "end radius"),
               wire_m = card.real(7, "start radius of the wire"),
               wire_last_m =
                   card.has(8) ? card.real(8, "end radius of the wire") : wire_m;
  const int archimedes = card.integer(9, "spiral");
  card.unused(10, 9);
  if (archimedes != 0 && archimedes != 1)
    card.refuse(9, "spiral", fmt::format("expected 0 or 1, got {}.", archimedes));
  if (!(first_m > 0 && last_m > 0) || !(wire_m > 0 && wire_last_m > 0) || turns == 0)
    card.refuse("needs turns, and positive radii in fields 5 to 8, as in NEC-4.");
  const auto between = [](double first, double last, double part, bool linear) {
    return linear ? std::lerp(first, last, part) : first * std::pow(last / first, part);
  };
  const auto node = [&](int i) {
    const double part = static_cast<double>(i) / count, angle = 2 * pi * turns * part,
                 radius_m = between(first_m, last_m, part, archimedes == 1);
    return Vec3{radius_m * std::cos(angle), radius_m * std::sin(angle), part * length_m};
  };
  for (int i = 0; i < count; ++i)
    problem_.structure.add_wire(
        tag, 1, node(i), node(i + 1),
        between(wire_m, wire_last_m, count > 1 ? i / (count - 1.0) : 0, false));
}

/// GF 0 FILE: structure and matrix that a WG card has kept.
void GeometryCards::take_file(const CardFields& card) {
  const auto& fields = card.card().fields;
  if (fields.empty() || card.is_number(fields.size())) {
    card.refuse("names no file. Write GF 0 FILE, with the file of a WG card.");
  }
  if (!problem_.structure.segments().empty()) {
    card.refuse("must come before all wires.");
  }
  if (!read_matrix_) card.refuse("cannot be read here: only files that a program opens.");
  read_matrix_(std::string(fields.back()), problem_);
}

void GeometryCards::wire(const CardFields& card) {
  card.unused(10, 9);
  const PendingWire wire{card.line(),
                         tag_of(card),
                         count_of(card),
                         point(card, 3, first_end),
                         point(card, 6, second_end),
                         card.card().has_hash_comment};
  const double radius_m = card.real(9, "radius");
  if (radius_m == 0) {
    pending_ = wire;
  } else {
    problem_.structure.add_wire(wire.tag, wire.count, wire.start_m, wire.end_m, radius_m);
  }
}

void GeometryCards::taper(const CardFields& card) {
  if (!pending_) card.refuse(Cause::structure, "must follow a GW card with radius 0.");
  const int form = card.integer(1, "form");
  if (form < 0 || form > 2) {
    card.refuse(1, "form", fmt::format("expected 0 to 2, got {}.", form));
  }
  if (card.integer(2, "blank") != 0) card.unused(2, 2);
  card.unused(form == 0 ? 6 : 6 + static_cast<std::size_t>(form), 9);
  const double ratio =
      form == 0
          ? card.real(3, "length ratio")
          : taper_ratio(card, norm(pending_->end_m - pending_->start_m), pending_->count);
  problem_.structure.add_tapered_wire(
      pending_->tag, pending_->count, pending_->start_m, pending_->end_m, ratio,
      card.real(4, "first radius"), card.real(5, "last radius"));
}

void GeometryCards::move(const CardFields& card) {
  card.unused(10, 9);
  const double tag = card.real(9, "first tag to move");
  const double whole = std::round(tag);
  if (whole < 0 || whole > std::numeric_limits<int>::max()) {
    card.refuse(9, "first tag to move", fmt::format("must be 0 or a tag (got {}).", tag));
  }
  if (std::abs(tag - whole) > 1e-6) {
    card.warn(fmt::format("field 9 (first tag to move) is rounded to {} (got {}).", whole,
                          tag));
  }
  const auto act = [&](Structure& part) {
    part.move(card.integer(1, "tag increment"), card.integer(2, "copies"),
              point(card, 3, rotation), point(card, 6, translation),
              static_cast<int>(whole));
  };
  // With a tag it moves no patches, as in NEC-2.
  if (whole == 0)
    transform(act);
  else
    act(problem_.structure);
}

void GeometryCards::reflect(const CardFields& card) {
  card.unused(3, 9);
  const int axes = card.integer(2, "axes");
  const bool x = axes / 100 == 1, y = axes / 10 % 10 == 1, z = axes % 10 == 1;
  if (axes != 100 * x + 10 * y + z) {
    card.refuse(2, "axes",
                fmt::format("expected the digits 0 or 1 for x, y and z, as in "
                            "110, got {}.",
                            axes));
  }
  transform(
      [&](Structure& part) { part.reflect(card.integer(1, "tag increment"), x, y, z); });
}

/// Calls act for the wires and for the patches.
template <class Act>
void GeometryCards::transform(const Act& act) {
  if (patches_.empty() || !problem_.structure.segments().empty()) act(problem_.structure);
  patches_.transform(act);
}

void GeometryCards::end(const CardFields& card) {
  ended_ = true;
  // NEC-5's decks have -1 there.
  card.unused(card.is_number(2) && card.integer(2, "mark") == -1 ? 3 : 2, 9);
  const int flag = card.integer(1, "ground plane");
  if (flag < -1 || flag > 1) {
    card.refuse(1, "ground plane", fmt::format("expected -1, 0 or 1, got {}.", flag));
  }
  if (!patches_.empty())
    messages_.warn(0, patches_.add_to(problem_.structure, flag == 1));
  if (problem_.structure.segments().empty()) {
    card.refuse(Cause::structure,
                "ends a structure without segments. Give a GW card before it.");
  }
  if (problem_.stored) {
    if (flag != 0 && flag != problem_.ground_plane) {
      card.refuse(1, "ground plane",
                  fmt::format("{} was made with GE {} (got {}). Leave it blank.",
                              problem_.stored->name, problem_.ground_plane, flag));
    }
    return;
  }
  problem_.ground_plane = flag;
  problem_.ground_contact = flag == 1;
}

}  // namespace thinwire
