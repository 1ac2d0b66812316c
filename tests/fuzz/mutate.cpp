#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace thinwire::fuzz {

namespace {

/// Written here because std::uniform_int_distribution differs between libraries.
std::size_t below(std::size_t n, Random& random) {
  return n == 0 ? 0 : static_cast<std::size_t>(random() % n);
}

constexpr std::string_view odd_fields[] = {
    "0",          "-1",         "1",           "2",
    "3",          "7",          "100",         "101",
    "111",        "1000",       "4000000",     "4000001",
    "2147483647", "2147483648", "-2147483648", "9223372036854775808",
    "1e308",      "-1e308",     "1e309",       "1e-308",
    "1e-320",     "1e30",       "1e-30",       "1e15",
    "nan",        "inf",        "-inf",        ".",
    "+",          "-",          "1.5",         "1.0D+3",
    "1x",         "((((((((((", "1/0",         "sqrt(-1)",
    "9^9^9",      "9^(9^9)",    "#12",         "#",
    "'",          "!",          ",",           ",,",
    "x",          "sin(",       "max(1,2)",    "1mm",
    "3 pF",       "a=1",        "1e",          "0.001",
    "90",         "-90",        "360",         "1e6",
    "1e7",        "299.8"};

constexpr std::string_view cards[] = {
    "CM", "CE", "GW", "GC", "GA", "GH", "GM", "GR", "GS", "GX", "GE", "FR", "EX", "LD",
    "GN", "EK", "KH", "RP", "PT", "PQ", "XQ", "EN", "NX", "SY", "TL", "NT", "SP", "NE",
    "NH", "PL", "ZZ", "GD", "IS", "CP", "WG", "GF", "MP", "Z0", "CW", "UM"};

/// Typical fields of cards: counts and types; lengths, angles, ohm, MHz.
constexpr std::string_view whole_numbers[] = {"0", "1", "2", "3",  "4",    "5",
                                              "6", "7", "9", "-1", "1000", "1110"};
constexpr std::string_view real_numbers[] = {
    "0",  "1",  "-1", ".1", ".25", ".001",  "-.5",  "2",     "5",   "13",
    "30", "45", "50", "90", "100", "299.8", "1e-9", "1e-12", "1e5", "1e10"};

std::vector<std::string> lines_of(const std::string& deck) {
  std::vector<std::string> lines(1);
  for (const char c : deck) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

std::string joined(const std::vector<std::string>& parts, char separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c != ' ' && c != '\t') {
      fields.back() += c;
    } else if (!fields.back().empty()) {
      fields.emplace_back();
    }
  }
  return fields;
}

std::string odd_field(Random& random) {
  return std::string(odd_fields[below(std::size(odd_fields), random)]);
}

void change_bytes(std::string& deck, Random& random) {
  if (deck.empty()) return;
  char& c = deck[below(deck.size(), random)];
  if (random() % 2 == 0) {
    c = static_cast<char>(random());
  } else {
    c = static_cast<char>(' ' + random() % 95);
  }
}

void change_field(std::string& line, Random& random) {
  std::vector<std::string> fields = fields_of(line);
  const std::size_t i = below(fields.size(), random);
  const std::size_t j = below(fields.size(), random);
  switch (random() % 6) {
    case 0:
      fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    case 1:
      std::swap(fields[i], fields[j]);
      break;
    case 2:
      fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(i), odd_field(random));
      break;
    case 3:
      fields[0] = cards[below(std::size(cards), random)];
      break;
    default:
      fields[i] = odd_field(random);
  }
  line = joined(fields, ' ');
}

/// A card with four whole numbers and up to seven real ones, as most cards have them.
std::string made_card(Random& random) {
  const auto any = [&](const auto& list) {
    return std::string(list[below(std::size(list), random)]);
  };
  std::string card = any(cards);
  const std::size_t fields = 1 + below(11, random);
  for (std::size_t i = 0; i < fields; ++i)
    card += ' ' + (i < 4 ? any(whole_numbers) : any(real_numbers));
  return card;
}

void change_lines(std::vector<std::string>& lines, const std::vector<std::string>& others,
                  Random& random) {
  const auto at = [&](std::size_t i) {
    return lines.begin() + static_cast<std::ptrdiff_t>(i);
  };
  const std::size_t i = below(lines.size(), random);
  const std::size_t j = below(lines.size(), random);
  switch (random() % 6) {
    case 0:
      if (lines.size() > 1) lines.erase(at(i));
      break;
    case 1: {
      const std::string copy = lines[i];
      const std::size_t times = random() % 4 == 0 ? 1 + below(40, random) : 1;
      lines.insert(at(j), times, copy);
      break;
    }
    case 2:
      std::swap(lines[i], lines[j]);
      break;
    case 3: {
      const std::vector<std::string> other =
          lines_of(others[below(others.size(), random)]);
      lines.insert(at(i), other[below(other.size(), random)]);
      break;
    }
    case 4:
      lines.insert(at(i), made_card(random));
      break;
    default:
      lines[i].insert(below(lines[i].size() + 1, random), 1 + below(3, random), ' ');
  }
}

}  // namespace

std::string mutate(const std::string& deck, const std::vector<std::string>& others,
                   Random& random) {
  std::string result = deck;
  const bool binary = deck.find('\0') != deck.npos;
  const std::size_t changes = 1 + below(5, random);
  for (std::size_t n = 0; n < changes; ++n) {
    const std::size_t kind = random() % 10;
    if (kind == 0 || binary) {
      change_bytes(result, random);
      continue;
    }
    std::vector<std::string> lines = lines_of(result);
    if (kind < 7) {
      change_field(lines[below(lines.size(), random)], random);
    } else {
      change_lines(lines, others, random);
    }
    result = joined(lines, '\n');
  }
  return result;
}

}  // namespace thinwire::fuzz
