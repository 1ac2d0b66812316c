#include "io/deck/variation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "io/deck/formula.h"

namespace thinwire {
namespace {

/// Limit of the values of one variation.
constexpr double max_values = 1e6;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

double number(const std::string& name, const std::string& text) {
  try {
    return evaluate(text, Symbols());
  } catch (const Error&) {
    throw Error(ErrorKind::usage,
                fmt::format("--vary {}: a value must be a number or a formula of numbers "
                            "(got '{}').",
                            name, text));
  }
}

void add_values(const std::string& name, const std::string& text,
                std::vector<double>& values) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() == 1) {
    values.push_back(number(name, text));
    return;
  }
  if (parts.size() != 3)
    throw Error(ErrorKind::usage, fmt::format("--vary {}: a range is START:STOP:COUNT "
                                              "(got '{}').",
                                              name, text));
  const double start = number(name, parts[0]), stop = number(name, parts[1]),
               count = number(name, parts[2]);
  if (!(count >= 2 && count <= max_values && count == std::floor(count)))
    throw Error(ErrorKind::usage,
                fmt::format("--vary {}: the COUNT of a range must be a whole number from "
                            "2 to {:.0f} (got '{}').",
                            name, max_values, parts[2]));
  for (double i = 0; i < count; ++i)
    values.push_back(std::lerp(start, stop, i / (count - 1)));
}

}  // namespace

Variation variation_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0)
    throw Error(
        ErrorKind::usage,
        fmt::format("--vary must be NAME=VALUE,.. or NAME=START:STOP:COUNT (got '{}').",
                    text));
  Variation variation;
  variation.name = lower_name(text.substr(0, equals));
  for (const std::string& part : split(text.substr(equals + 1), ','))
    add_values(variation.name, part, variation.values);
  return variation;
}

Variable variable_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::vector<std::string> bounds =
      split(text.substr(equals == text.npos ? text.size() : equals + 1), ':');
  if (equals == text.npos || equals == 0 || bounds.size() != 2)
    throw Error(ErrorKind::usage,
                fmt::format("--vary must be NAME=LOWER:UPPER (got '{}').", text));
  Variable variable;
  variable.name = lower_name(text.substr(0, equals));
  variable.lower = number(variable.name, bounds[0]);
  variable.upper = number(variable.name, bounds[1]);
  if (!(variable.lower < variable.upper))
    throw Error(ErrorKind::usage,
                fmt::format("--vary {}: the lower bound must come first, and be below "
                            "the upper one (got '{}').",
                            variable.name, text.substr(equals + 1)));
  variable.start = std::midpoint(variable.lower, variable.upper);
  return variable;
}

}  // namespace thinwire
