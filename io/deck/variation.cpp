#include "io/deck/variation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "io/deck/formula.h"
#include "mom/plan/frequency_checks.h"

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

/// option: as messages name it, "--vary h".
double number(const std::string& option, const std::string& text) {
  try {
    return evaluate(text, Symbols());
  } catch (const Error&) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: a value must be a number or a formula of numbers "
                            "(got '{}').",
                            option, text));
  }
}

/// Hz; MHz where no unit is given.
double hertz(const std::string& option, const std::string& text) {
  constexpr std::pair<std::string_view, double> units[] = {
      {"khz", 1e3}, {"mhz", 1e6}, {"ghz", 1e9}, {"hz", 1}};
  const std::string lower = lower_name(text);
  const auto* const unit = std::ranges::find_if(
      units, [&](const auto& each) { return lower.ends_with(each.first); });
  const bool has_unit = unit != std::end(units);
  const double value =
      (has_unit ? unit->second : 1e6) *
      number(option, text.substr(0, text.size() - (has_unit ? unit->first.size() : 0)));
  if (!(value >= lowest_frequency_hz && value <= highest_frequency_hz))
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "{}: frequencies must be between {:g} and {:g} MHz (got '{}').{}", option,
            1e-6 * lowest_frequency_hz, 1e-6 * highest_frequency_hz, text,
            text.find('-', 1) == text.npos ? "" : " A range is START:STOP:COUNT."));
  return value;
}

/// The range that has the third part as its step, for users who take COUNT for one.
std::string with_step(const std::vector<std::string>& parts, double steps) {
  if (!(steps >= 1 && steps < max_values)) return "";
  return fmt::format(" For steps of {} write {}:{}:{:.0f}.", parts[2], parts[0], parts[1],
                     std::floor(steps + 1e-6) + 1);
}

/// Values of a list of VALUE and START:STOP:COUNT. value_of: number() or hertz().
std::vector<double> values_of(const std::string& option, std::string_view list,
                              double (*value_of)(const std::string&,
                                                 const std::string&)) {
  std::vector<double> values;
  for (const std::string& text : split(list, ',')) {
    const std::vector<std::string> parts = split(text, ':');
    if (parts.size() == 1) {
      values.push_back(value_of(option, text));
      continue;
    }
    if (parts.size() != 3)
      throw Error(
          ErrorKind::usage,
          fmt::format(
              "{}: a range is START:STOP:COUNT (got '{}').{}", option, text,
              parts.size() == 2 ? fmt::format(" Write {}:21 for 21 values.", text) : ""));
    const double start = value_of(option, parts[0]), stop = value_of(option, parts[1]),
                 count = number(option, parts[2]);
    if (!(count >= 2 && count <= max_values && count == std::floor(count)))
      throw Error(
          ErrorKind::usage,
          fmt::format("{}: the COUNT of a range must be a whole number from "
                      "2 to {:.0f} (got '{}').{}",
                      option, max_values, parts[2],
                      count > 0 && count != std::floor(count)
                          ? with_step(parts, (stop - start) / value_of(option, parts[2]))
                          : ""));
    for (double i = 0; i < count; ++i)
      values.push_back(std::lerp(start, stop, i / (count - 1)));
  }
  return values;
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
  variation.values =
      values_of("--vary " + variation.name, text.substr(equals + 1), number);
  return variation;
}

std::vector<double> frequencies_of(const std::string& option, std::string_view list) {
  return values_of(option, list, hertz);
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
  variable.lower = number("--vary " + variable.name, bounds[0]);
  variable.upper = number("--vary " + variable.name, bounds[1]);
  if (!(variable.lower < variable.upper))
    throw Error(ErrorKind::usage,
                fmt::format("--vary {}: the lower bound must come first, and be below "
                            "the upper one (got '{}').",
                            variable.name, text.substr(equals + 1)));
  variable.start = std::midpoint(variable.lower, variable.upper);
  return variable;
}

}  // namespace thinwire
