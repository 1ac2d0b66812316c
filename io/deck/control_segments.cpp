// The cards that name ranges of segments: LD, PT and PQ.
#include <fmt/format.h>

#include <algorithm>

#include "io/deck/control.h"
#include "io/deck/unsupported.h"

namespace thinwire {

namespace {

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

/// Ascending indices as ranges.
Ranges ranges_of(std::span<const std::uint32_t> indices) {
  Ranges ranges;
  for (const std::size_t i : indices) {
    if (!ranges.empty() && ranges.back().second + 1 == i) {
      ranges.back().second = i;
    } else {
      ranges.emplace_back(i, i);
    }
  }
  return ranges;
}

bool contains(const Ranges& ranges, std::size_t index) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), index,
                       [](std::size_t i, const auto& range) { return i < range.first; });
  return after != ranges.begin() && std::prev(after)->second >= index;
}

bool same_load(const LoadCard& a, const LoadCard& b) {
  return a.type == b.type && std::equal(a.value, a.value + 3, b.value);
}

}  // namespace

/// The segments first..last of a tag, both 0 meaning all of it and a zero last one the
/// first; tag 0 counts all segments.
Ranges ControlCards::selection(const CardFields& card, int tag, int first, int last) {
  const auto indices = index_.segments_of(tag);
  budget_.spend(static_cast<std::int64_t>(indices.size()), card.line(), messages_);
  if (first == 0 && last == 0) {
    if (indices.empty()) {
      card.refuse(
          Cause::structure,
          fmt::format("field 2 (tag): tag {} does not exist (no segment carries it).",
                      tag));
    }
    return ranges_of(indices);
  }
  if (last == 0) last = first;
  if (first < 1 || last < first) {
    card.refuse(
        fmt::format("fields 3 and 4 (first and last segment): expected 1 <= first "
                    "<= last, got {} and {}.",
                    first, last));
  }
  find_segment(card, tag, first);
  find_segment(card, tag, last);
  return ranges_of(indices.subspan(static_cast<std::size_t>(first - 1),
                                   static_cast<std::size_t>(last - first + 1)));
}

void ControlCards::load(const CardFields& card) {
  LoadCard load;
  load.type = card.integer(1, "type");
  if (const std::string what = unsupported_type("LD", load.type); !what.empty()) {
    messages_.refuse(card.line(),
                     what + " is not supported. " +
                         (load.type == 6 ? "Use LD 1: R, L and C in parallel."
                                         : "Leave it out to have the bare wire, which "
                                           "resonates some percent higher."));
  }
  if (load.type < -1 || load.type > 5) {
    card.refuse(1, "type", fmt::format("expected -1 to 5, got {}.", load.type));
  }
  const bool used = loads_used_ || load_.cards.empty();
  if (!in_group("LD") || load.type == -1) {
    if (!used && load.type != -1) {
      card.warn(
          fmt::format("starts a new group of loads; that of line {} is dropped, as in "
                      "NEC-2. Put LD cards behind one another to have all of them.",
                      load_.lines.front()));
    }
    load_ = {};
  }
  change(Run::Start::environment);
  if (load.type == -1) return;
  load.tag = card.count(2, "tag");
  load.first = card.count(3, "first segment");
  load.last = card.count(4, "last segment");
  for (std::size_t i = 0; i < 3; ++i) {
    load.value[i] = card.real(5 + i, "value");
    if (std::abs(load.value[i]) > 1e30) {
      card.refuse(5 + i, "value",
                  fmt::format("must be within 1e30 (got {}).", load.value[i]));
    }
  }
  card.unused(8, 10);
  if (load.type == 5 && !(load.value[0] > 0)) {
    card.refuse(5, "conductivity",
                fmt::format("must be positive (got {} S/m).", load.value[0]));
  }
  if (load.type == 5 && load.value[1] < 0) {
    card.refuse(6, "relative permeability",
                fmt::format("must not be negative (got {}).", load.value[1]));
  }
  if ((load.type == 2 || load.type == 3) && load.value[2] != 0) {
    card.warn(
        "gives each segment C times its length, as in NEC-2: with other segments it is "
        "another load. Use LD 0 or 1 for capacitors that are there.");
  }
  if (load.type == 5 && load.value[1] != 0 && load.value[1] != 1) {
    card.warn(fmt::format(
        "takes its second value for the relative permeability ({:g}), as NEC-4 "
        "does; NEC-2 ignores it. Leave it blank to have NEC-2's meaning.",
        load.value[1]));
  }
  load_.segments.push_back(selection(card, load.tag, load.first, load.last));
  count_items(load_.segments.back().size(), card.line());
  load_.cards.push_back(load);
  load_.lines.push_back(card.line());
  load_.resolved = false;
  loads_used_ = false;
}

/// Turns the LD cards into loads. On a symmetric structure NEC-2 has the loads of the
/// first cell in every cell and ignores those named in the others; here such a card must
/// repeat what the symmetry gives, or it is refused.
void ControlCards::resolve_loads() {
  if (load_.resolved) return;
  const std::size_t total = problem_.structure.segments().size();
  const std::size_t cell =
      problem_.structure.symmetry(problem_.ground_plane != 0).cell_segments;
  std::vector<Ranges> in_cell(load_.cards.size());
  for (std::size_t c = 0; c < load_.cards.size(); ++c) {
    for (auto [first, last] : load_.segments[c]) {
      if (first < cell) in_cell[c].emplace_back(first, std::min(last, cell - 1));
    }
  }
  for (std::size_t c = 0; c < load_.cards.size(); ++c) {
    const LoadCard& card = load_.cards[c];
    const int line = load_.lines[c];
    const auto given_by_symmetry = [&](std::size_t segment) {
      for (std::size_t other = 0; other < load_.cards.size(); ++other) {
        budget_.spend(1, line, messages_);
        if (same_load(card, load_.cards[other]) &&
            contains(in_cell[other], segment % cell)) {
          return true;
        }
      }
      return false;
    };
    bool outside = false;
    for (auto [first, last] : load_.segments[c]) {
      for (std::size_t i = std::max(first, cell); i <= last; ++i) {
        outside = true;
        if (given_by_symmetry(i)) continue;
        messages_.refuse(
            line,
            fmt::format("LD loads segment {}, which GX or GR made: on a symmetric "
                        "structure NEC-2 takes loads on its first {} segments only, "
                        "for all its parts alike. Put GX 0 0 before GE to load the "
                        "parts one by one.",
                        i + 1, cell));
      }
    }
    if (outside && in_cell[c].empty()) {
      messages_.warn(line,
                     "LD repeats what the symmetry of GX or GR gives already, and is "
                     "ignored as in NEC-2.");
    } else if (cell < total && !outside) {
      messages_.warn(line,
                     fmt::format("LD holds for all {} symmetric parts that GX or GR "
                                 "made, as in NEC-2.",
                                 total / cell));
    }
    count_items(in_cell[c].size() * (total / cell), line);
    Load load;
    load.kind = static_cast<Load::Kind>(card.type);
    std::copy(card.value, card.value + 3, load.value);
    for (std::size_t base = 0; base < total; base += cell) {
      for (auto [first, last] : in_cell[c]) {
        load.first = base + first;
        load.last = base + last;
        load_.loads.push_back(load);
      }
    }
  }
  load_.resolved = true;
}

void ControlCards::print_currents(const CardFields& card) {
  const int mode = card.integer(1, "mode");
  if (mode < -2 || mode > 3) {
    card.refuse(1, "mode", fmt::format("expected -2 to 3, got {}.", mode));
  }
  ListingControl& listing = next_.listing;
  const int tag = card.count(2, "tag");
  const int first = card.count(3, "first segment");
  const int last = card.count(4, "last segment");
  card.unused(5, 10);
  listing.current_all = mode == -2 || (mode >= 0 && first == 0);
  listing.current_mode = listing.current_all ? -2 : mode;
  if (listing.current_mode >= 0) {
    const Ranges segments = selection(card, tag, first, last);
    listing.current_first = segments.front().first;
    listing.current_last = segments.back().second;
    listing.current_tag = tag;
  }
}

void ControlCards::print_charges(const CardFields& card) {
  const int mode = card.integer(1, "mode");
  if (mode < -2 || mode > 0) {
    card.refuse(1, "mode", fmt::format("expected -2, -1 or 0, got {}.", mode));
  }
  ListingControl& listing = next_.listing;
  const int tag = card.count(2, "tag");
  const int first = card.count(3, "first segment");
  const int last = card.count(4, "last segment");
  card.unused(5, 10);
  listing.charge_all = mode == -2 || (mode == 0 && first == 0);
  listing.charge_mode = listing.charge_all ? -2 : mode;
  if (listing.charge_mode == 0) {
    const Ranges segments = selection(card, tag, first, last);
    listing.charge_first = segments.front().first;
    listing.charge_last = segments.back().second;
    listing.charge_tag = tag;
  }
}

}  // namespace thinwire
