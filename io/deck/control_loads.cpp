// The cards of loads: LD, and NEC-4's IS.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/deck/control.h"
#include "kernels/base/constants.h"
#include "kernels/base/counted.h"

namespace thinwire {

namespace {

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

constexpr int impedance_type = 4, trap_type = 6, insulation_type = 7;

bool contains(const Ranges& ranges, std::size_t index) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), index,
                       [](std::size_t i, const auto& range) { return i < range.first; });
  return after != ranges.begin() && std::prev(after)->second >= index;
}

bool same_load(const LoadCard& a, const LoadCard& b) {
  return a.type == b.type && a.gap == b.gap && std::equal(a.value, a.value + 3, b.value);
}

/// Turns a trap whose quality is given at one frequency into the parallel R L C that
/// 4nec2 makes of it, with the same resistance at all frequencies.
void lose_as_at(LoadCard& trap, double frequency_mhz) {
  const double q = trap.value[0], growth = 1 + 1 / (q * q);
  trap.type = static_cast<int>(Load::Kind::parallel_rlc);
  trap.value[0] = 2e6 * pi * frequency_mhz * trap.value[1] * q * growth;
  trap.value[1] *= growth;
}

/// Reads permittivity, conductivity (field 0: none) and outer radius of a sheath.
void read_sheath(const CardFields& card, std::array<std::size_t, 3> field,
                 LoadCard& sheath) {
  constexpr const char* meaning[] = {"relative permittivity", "conductivity",
                                     "outer radius"};
  constexpr double least[] = {1, 0, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    if (field[i] == 0) continue;
    sheath.value[i] = card.real(field[i], meaning[i]);
    if (!(sheath.value[i] >= least[i]) || sheath.value[i] > 1e30) {
      card.refuse(
          field[i], meaning[i],
          fmt::format("must be at least {} (got {}).", least[i], sheath.value[i]));
    }
  }
  card.unused(field[2] + 1, 10);
}

}  // namespace

void ControlCards::load(const CardFields& card) {
  LoadCard load;
  load.type = card.integer(1, "type");
  if (load.type < -1 || load.type > insulation_type) {
    card.refuse(1, "type", fmt::format("expected -1 to 7, got {}.", load.type));
  }
  const bool used = loads_used_ || load_.cards.empty();
  if (!in_group("LD") || load.type == -1) {
    if (!used) {
      card.warn(
          load.type == -1
              ? fmt::format(
                    "cancels loads before any run has used them: those from line {} on.",
                    load_.lines.front())
              : fmt::format("starts a new group of loads; that of line {} is dropped, as "
                            "in NEC-2. Put LD cards behind one another to have all of "
                            "them.",
                            load_.lines.front()));
    }
    load_ = {};
  }
  change(Run::Start::environment);
  if (load.type == -1) return;
  load.tag = card.count(2, "tag");
  if (at_nodes() && Load{static_cast<Load::Kind>(load.type)}.is_lumped()) {
    load_at_node(card, load);
  } else {
    load.first = segment_number(card, load.tag, 3, "first segment");
    load.last = segment_number(card, load.tag, 4, "last segment");
  }
  if (load.type == insulation_type) {
    read_sheath(card, {5, 0, 6}, load);
  } else {
    for (std::size_t i = 0; i < 3; ++i) {
      load.value[i] = card.real(5 + i, "value");
      if (std::abs(load.value[i]) > 1e30) {
        card.refuse(5 + i, "value",
                    fmt::format("must be within 1e30 (got {}).", load.value[i]));
      }
    }
    card.unused(load.type == trap_type ? 9 : 8, 10);
  }
  if (load.type == trap_type && load.value[0] == 0) {
    card.warn("has no quality of its coil: 100 is used, as in 4nec2.");
    load.value[0] = 100;
  }
  if (load.type == trap_type) {
    for (std::size_t i = 0; i < 3; ++i) {
      constexpr const char* meaning[] = {"quality", "inductance", "capacitance"};
      if (load.value[i] > 0 || (i == 2 && load.value[i] == 0)) continue;
      card.refuse(5 + i, meaning[i],
                  fmt::format("must be positive (got {}). A trap is the Q of its coil, "
                              "henry and farad.",
                              load.value[i]));
    }
  }
  if (load.type == trap_type && card.has(8)) {
    const double mhz = card.real(8, "frequency in MHz");
    if (!(mhz >= 0 && mhz <= 1e6))
      card.refuse(
          8, "frequency in MHz",
          fmt::format("must be 0 to 1e6, 0 for a quality that holds at all (got {:g}).",
                      mhz));
    if (mhz > 0) lose_as_at(load, mhz);
  }
  if (load.type <= impedance_type && load.value[0] < 0) {
    card.warn(
        fmt::format("is an active load: its resistance is negative ({:g}), and it "
                    "gives power to the antenna. Check field 5.",
                    load.value[0]));
  }
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
        "gives each segment C times its length, as in NEC-2, so that the load depends on "
        "the segments. Use LD 0 or 1 for real capacitors.");
  }
  if (load.type == 5 && load.value[1] != 0 && dialect_ == Dialect::nec2) {
    card.warn(
        fmt::format("field 6 ({:g}) is ignored, as in NEC-2. It is the relative "
                    "permeability with --dialect nec4.",
                    load.value[1]));
    load.value[1] = 0;
  } else if (load.type == 5 && load.value[1] != 0 && load.value[1] != 1 &&
             (dialect_ == Dialect::automatic || dialect_ == Dialect::fournec2)) {
    card.warn(
        fmt::format("uses its second value as relative permeability ({:g}), as in NEC-4; "
                    "NEC-2 ignores it. Leave the field blank for NEC-2's meaning.",
                    load.value[1]));
  }
  keep(load_, card, load);
  loads_used_ = false;
}

/// Reads the nodes of NEC-5's lumped loads: one, or the far ends of a range of segments.
void ControlCards::load_at_node(const CardFields& card, LoadCard& load) const {
  const bool at_start = card.integer(3, "node") == -1;
  load.gap = at_start ? Gap::start : Gap::end;
  load.first = at_start ? 1 : segment_number(card, load.tag, 3, "node");
  load.last = segment_number(card, load.tag, 4, "last node");
  if (load.first == 0 || (at_start && load.last != 0)) {
    card.refuse(3, "node",
                fmt::format("a lumped load is at one node of a wire, or at a range of "
                            "nodes from 1 on (got {} to {}). Give one LD card for each.",
                            card.integer(3, "node"), load.last));
  }
}

/// NEC-4's card of a dielectric sheath. The cards add up until IS -1.
void ControlCards::insulation(const CardFields& card) {
  const int option = card.integer(1, "option");
  if (option != 0 && option != -1) {
    card.refuse(1, "option", fmt::format("expected 0 or -1, got {}.", option));
  }
  change(Run::Start::environment);
  if (option == -1) {
    sheaths_ = {};
    return;
  }
  LoadCard sheath;
  sheath.type = insulation_type;
  sheath.tag = card.count(2, "tag");
  sheath.first = segment_number(card, sheath.tag, 3, "first segment");
  sheath.last = segment_number(card, sheath.tag, 4, "last segment");
  read_sheath(card, {5, 6, 7}, sheath);
  keep(sheaths_, card, sheath);
}

void ControlCards::keep(LoadGroup& group, const CardFields& card, const LoadCard& load) {
  const std::size_t size = index_.segments_of(load.tag).size();
  if (!at_nodes() && size > 0 && static_cast<std::size_t>(load.first) > size) {
    card.warn(
        fmt::format("has no effect, as in NEC-2: {} has {} (got {}).",
                    load.tag == 0 ? "the structure" : fmt::format("tag {}", load.tag),
                    counted(size, "segment"), load.first));
    return;
  }
  Ranges segments = selection(card, load.tag, load.first, load.last);
  if (load.type == insulation_type) {
    for (auto [first, last] : segments) {
      for (std::size_t i = first; i <= last; ++i) check_sheath(card, load, i);
      check_sheathed_once(card, first, last);
    }
  }
  group.segments.push_back(std::move(segments));
  count_items(group.segments.back().size(), card.line());
  group.cards.push_back(load);
  group.lines.push_back(card.line());
  group.resolved = false;
}

void ControlCards::check_sheath(const CardFields& card, const LoadCard& sheath,
                                std::size_t segment) const {
  const Segment& inside = problem_.structure.segments()[segment];
  if (sheath.value[2] > inside.radius_m) return;
  card.refuse(fmt::format(
      "gives a sheath of outer radius {} m, but tag {} segment {} has a radius of {} m. "
      "Give the sheath's outer radius, the wire's included.",
      sheath.value[2], inside.tag, index_.within_tag(segment), inside.radius_m));
}

/// Two sheaths around one segment would add up as if both began at the wire.
void ControlCards::check_sheathed_once(const CardFields& card, std::size_t first,
                                       std::size_t last) const {
  for (const LoadGroup* group : {&load_, &sheaths_}) {
    for (std::size_t c = 0; c < group->cards.size(); ++c) {
      if (group->cards[c].type != insulation_type) continue;
      budget_.spend(1, card.line(), messages_);
      const Ranges& other = group->segments[c];
      const auto range =
          std::find_if(other.begin(), other.end(), [&](const auto& candidate) {
            return candidate.first <= last && first <= candidate.second;
          });
      if (range == other.end()) continue;
      const std::size_t twice = std::max(first, range->first);
      card.refuse(fmt::format(
          "gives tag {} segment {} a second sheath; line {} gave the first. Give each "
          "segment one, or IS -1 (LD -1) between them to replace it.",
          problem_.structure.segments()[twice].tag, index_.within_tag(twice),
          group->lines[c]));
    }
  }
}

/// Turns the cards of a group into loads. On a symmetric structure NEC-2 has the loads of
/// the first cell in every cell and ignores those named in the others; here such a card
/// must repeat what the symmetry gives, or it is refused.
void ControlCards::resolve(LoadGroup& group) {
  if (group.resolved) return;
  group.loads.clear();
  const std::string name = &group == &sheaths_ ? "IS" : "LD";
  const std::size_t total = problem_.structure.segments().size();
  const std::size_t cell =
      problem_.structure.symmetry(problem_.ground_plane != 0).cell_segments;
  std::vector<Ranges> in_cell(group.cards.size());
  for (std::size_t c = 0; c < group.cards.size(); ++c) {
    for (auto [first, last] : group.segments[c]) {
      if (first < cell) in_cell[c].emplace_back(first, std::min(last, cell - 1));
    }
  }
  for (std::size_t c = 0; c < group.cards.size(); ++c) {
    const LoadCard& card = group.cards[c];
    const int line = group.lines[c];
    const auto given_by_symmetry = [&](std::size_t segment) {
      for (std::size_t other = 0; other < group.cards.size(); ++other) {
        budget_.spend(1, line, messages_);
        if (same_load(card, group.cards[other]) &&
            contains(in_cell[other], segment % cell)) {
          return true;
        }
      }
      return false;
    };
    bool outside = false;
    for (auto [first, last] : group.segments[c]) {
      for (std::size_t i = std::max(first, cell); i <= last; ++i) {
        outside = true;
        if (given_by_symmetry(i)) continue;
        messages_.refuse(
            line,
            fmt::format("{} loads segment {}, which GX or GR made: on a symmetric "
                        "structure NEC-2 takes loads on its first {} segments only, "
                        "for all its parts alike. Put GX 0 0 before GE to load the "
                        "parts one by one.",
                        name, i + 1, cell));
      }
    }
    if (outside && in_cell[c].empty()) {
      messages_.warn(line,
                     name +
                         " repeats what the symmetry of GX or GR gives already, and "
                         "is ignored as in NEC-2.");
    } else if (cell < total && !outside) {
      messages_.warn(line,
                     fmt::format("{} holds for all {} symmetric parts that GX or GR "
                                 "made, as in NEC-2.",
                                 name, total / cell));
    }
    count_items(in_cell[c].size() * (total / cell), line);
    Load load;
    load.kind = static_cast<Load::Kind>(card.type);
    load.gap = card.gap;
    std::copy(card.value, card.value + 3, load.value);
    load.line = line;
    for (std::size_t base = 0; base < total; base += cell) {
      for (auto [first, last] : in_cell[c]) {
        load.first = base + first;
        load.last = base + last;
        group.loads.push_back(load);
      }
    }
  }
  group.resolved = true;
}

}  // namespace thinwire
