#include "io/deck/dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

constexpr std::pair<Dialect, std::string_view> names[] = {{Dialect::automatic, "auto"},
                                                          {Dialect::nec2, "nec2"},
                                                          {Dialect::nec4, "nec4"},
                                                          {Dialect::nec5, "nec5"},
                                                          {Dialect::fournec2, "4nec2"}};

/// Fields of a card that hold segments, each behind its tag; 0: none.
constexpr std::array<std::size_t, 2> segment_fields(Mnemonic mnemonic) {
  if (mnemonic == "EX" || mnemonic == "LD") return {3, 0};
  if (mnemonic == "TL" || mnemonic == "NT" || mnemonic == "LN") return {2, 4};
  return {};
}

std::string_view field_text(const Card& card, std::size_t number) {
  return number <= card.fields.size() ? card.fields[number - 1] : "0";
}

/// Whether the card is one that only NEC-5 takes as it stands.
bool names_node(const Card& card) {
  for (const std::size_t segment : segment_fields(card.mnemonic))
    if (segment != 0 && field_text(card, segment) == "-1" &&
        field_text(card, segment - 1) != "0")
      return true;
  return card.mnemonic == "EX" && field_text(card, 1) == "4" &&
         field_text(card, 3) != "0";
}

/// A card, or one type of it, that programs do not have in common.
struct Foreign {
  Mnemonic mnemonic;
  int type;  ///< in field 1; -1: all of the card
  std::string_view what;
  Dialect owner;
  std::string_view program;
};

constexpr Foreign foreign_cards[] = {
    {"EX", 6, "current source", Dialect::fournec2, "4nec2"},
    {"LD", 6, "trap", Dialect::fournec2, "4nec2"},
    {"LD", 7, "insulation", Dialect::fournec2, "4nec2"},
    {"GN", 3, "MININEC ground", Dialect::fournec2, "4nec2"},
    {"IS", -1, "insulation", Dialect::nec4, "NEC-4"},
    {"GC", 1, "taper by the first length", Dialect::nec4, "NEC-4"},
    {"GC", 2, "taper by the first and last length", Dialect::nec4, "NEC-4"},
};

/// Whether the card is one that NEC-5 lacks.
bool is_not_nec5(const Card& card) {
  if (card.mnemonic == "EX" &&
      (field_text(card, 1) == "5" || field_text(card, 1) == "7" ||
       (field_text(card, 1) == "4" && field_text(card, 3) == "0")))
    return true;
  return std::ranges::any_of(foreign_cards, [&](const Foreign& foreign) {
    return foreign.owner == Dialect::fournec2 && foreign.mnemonic == card.mnemonic &&
           field_text(card, 1) == std::to_string(foreign.type);
  });
}

/// NEC-5 goes on from NEC-4, and 4nec2 runs either.
bool takes_cards_of(Dialect dialect, Dialect owner) {
  return dialect == Dialect::automatic || dialect == owner ||
         (owner == Dialect::nec4 && dialect != Dialect::nec2);
}

}  // namespace

std::string_view name_of(Dialect dialect) {
  return names[static_cast<std::size_t>(dialect)].second;
}

Dialect dialect_named(std::string_view option, std::string_view word) {
  std::string all;
  for (const auto& [dialect, name] : names) {
    if (name == word) return dialect;
    all += fmt::format("{}{}", all.empty() ? "" : ", ", name);
  }
  throw Error(ErrorKind::usage,
              fmt::format("{} must be one of {} (got '{}').", option, all, word));
}

bool patch_grids_named(std::string_view option, std::string_view word) {
  if (word != "refuse" && word != "grid")
    throw Error(ErrorKind::usage,
                fmt::format("{} must be refuse or grid (got '{}').", option, word));
  return word == "grid";
}

std::string_view patches_name(bool patch_grids) {
  return patch_grids ? "grid" : "refuse";
}

std::string nec5_mark(const CardFields& end, CardScanner behind) {
  // NEC-4's decks have it, too, between blanks: it stops a check of the geometry.
  const bool comma = end.card().text.find(',') != std::string_view::npos,
             marked = comma && end.is_number(2) && end.integer(2, "mark") == -1;
  bool nodes = false;
  Card card;
  for (bool more = true; more;) {
    try {
      more = behind.next(card) && card.mnemonic != "EN" && card.mnemonic != "NX";
    } catch (const Error&) {
      continue;  // the reader of the card reports it
    }
    if (!more) break;
    if (is_not_nec5(card)) return {};
    const auto commas = std::count(card.text.begin(), card.text.end(), ',');
    if (!marked && static_cast<std::size_t>(commas) + 1 < card.fields.size()) return {};
    nodes |= names_node(card);
  }
  if (marked) return "has the second field -1 of NEC-5's decks";
  return nodes
             ? "ends the geometry of a NEC-5 deck, by its commas and the nodes behind it"
             : "";
}

std::string foreign_card(const CardFields& card, Dialect dialect) {
  for (const Foreign& foreign : foreign_cards) {
    if (foreign.mnemonic != card.card().mnemonic ||
        takes_cards_of(dialect, foreign.owner))
      continue;
    if (foreign.type >= 0 && card.integer(1, "type") != foreign.type) continue;
    return fmt::format(
        "{}{} ({}) is a card of {}. Read the deck with --dialect {} or auto.",
        foreign.mnemonic.text(), foreign.type < 0 ? "" : fmt::format(" {}", foreign.type),
        foreign.what, foreign.program, name_of(foreign.owner));
  }
  return {};
}

}  // namespace thinwire
