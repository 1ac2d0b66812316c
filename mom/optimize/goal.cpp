#include "mom/optimize/goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

using std::string_view;

struct Function {
  string_view name;
  Goal::Quantity quantity;
  string_view unit;
};
constexpr Function functions[] = {
    {"vswr", Goal::Quantity::vswr, ""},
    {"r", Goal::Quantity::resistance, "ohm"},
    {"x", Goal::Quantity::reactance, "ohm"},
    {"|z|", Goal::Quantity::magnitude, "ohm"},
    {"gain", Goal::Quantity::gain, "dBi"},
    {"fb", Goal::Quantity::front_to_back, "dB"},
    {"efficiency", Goal::Quantity::efficiency, ""},
    {"swr", Goal::Quantity::vswr, ""},
};
constexpr string_view known =
    "vswr, r, x, |z|, gain, fb, efficiency, each also with min_, max_ or mean_ before it";

struct Prefix {
  string_view name;
  Goal::Over over;
};
constexpr Prefix prefixes[] = {{"max_", Goal::Over::largest},
                               {"min_", Goal::Over::smallest},
                               {"mean_", Goal::Over::mean}};

/// Frequencies of a band F1:F2 without a COUNT, and the most that one may have.
constexpr double default_count = 5, max_frequencies = 10000;
/// Limit of bounds and weights: beyond it, the differences that a search relies on are
/// rounding errors.
constexpr double largest_number = 1e12;

/// In lower-case letters.
std::string lowered(string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

class Parser {
 public:
  explicit Parser(string_view text) : text_(text) {}

  Goal goal() {
    Goal goal;
    goal.text = std::string(text_);
    if (const char c = next(); (c >= '0' && c <= '9') || c == '.') {
      goal.weight = number("a weight");
      if (!(goal.weight > 0)) fail("a weight must be positive");
      if (goal.weight < 1 / largest_number || goal.weight > largest_number)
        fail(fmt::format("a weight must be {:g} to {:g}", 1 / largest_number,
                         largest_number));
      if (!accept('*')) fail("expected * between a weight and its function");
    }
    const bool has_over = read_function(goal);
    if (accept('@')) read_source(goal);
    if (accept('(')) read_arguments(goal);
    if (goal.quantity == Goal::Quantity::front_to_back && !goal.direction)
      fail("fb needs a direction: fb(THETA, PHI)");
    read_aim(goal);
    if (next() != '\0') fail("expected nothing more");
    if (!has_over) goal.over = worst_for(goal.aim);
    return goal;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(
        ErrorKind::usage,
        fmt::format("--goal '{}': {} (at character {}). Goals are like \"vswr(144:146) < "
                    "1.5\" or \"gain(90,0) max\".",
                    text_, why, at_ + 1));
  }

  char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }

  double number(const char* meaning) {
    (void)next();
    const char* const first = text_.data() + at_ + (next() == '+' ? 1 : 0);
    double value = 0;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value))
      fail(fmt::format("expected {}, a number", meaning));
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  string_view word() {
    (void)next();
    const std::size_t first = at_;
    const auto is_part = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '|';
    };
    while (at_ < text_.size() && is_part(text_[at_])) ++at_;
    return text_.substr(first, at_ - first);
  }

  /// Whether the goal says what several frequencies come to.
  bool read_function(Goal& goal) {
    (void)next();
    const std::size_t first = at_;
    const string_view whole = word();
    const std::string lower = lowered(whole);
    string_view name = lower;
    bool has_over = false;
    for (const Prefix& prefix : prefixes)
      if (name.starts_with(prefix.name)) {
        goal.over = prefix.over;
        has_over = true;
        name.remove_prefix(prefix.name.size());
        break;
      }
    for (const Function& function : functions)
      if (name == function.name) {
        goal.quantity = function.quantity;
        return has_over;
      }
    at_ = first;
    fail(whole.empty() ? fmt::format("expected a function: {}", known)
                       : fmt::format("'{}' is no function. There are {}", whole, known));
  }

  void read_source(Goal& goal) {
    const double source = number("the number of a source");
    if (!goal.at_source()) fail("only vswr, r, x and |z| are of a source");
    if (!(source >= 1 && source <= 1e6 && source == std::floor(source)))
      fail("sources are numbered from 1");
    goal.source = static_cast<std::size_t>(source) - 1;
  }

  /// Behind the opening parenthesis: a direction, a band, or both.
  void read_arguments(Goal& goal) {
    std::vector<double> values;
    bool has_band = false;
    do {
      if (has_band) fail("the frequencies must come last");
      values.push_back(number("a frequency or an angle"));
      if (next() != ':') continue;
      has_band = true;
      goal.frequency_hz = band(values.back());
      values.pop_back();
    } while (accept(','));
    if (!accept(')')) fail("a closing parenthesis is missing");
    const bool takes_direction = goal.is_of_gain();
    if (values.size() % 2 == 1 && !has_band) {
      goal.frequency_hz = {frequency_hz(values.back())};
      values.pop_back();
    }
    if (values.size() == 2 && takes_direction)
      goal.direction = {values[0], values[1]};
    else if (!values.empty())
      fail(takes_direction ? "expected (THETA, PHI), (FREQUENCIES) or (THETA, PHI, "
                             "FREQUENCIES)"
                           : "expected one frequency F or a band F1:F2 or F1:F2:COUNT");
  }

  double frequency_hz(double mhz) const {
    if (!(mhz > 0)) fail("a frequency must be positive");
    return mhz * 1e6;
  }

  std::vector<double> band(double first_mhz) {
    ++at_;
    const double low = frequency_hz(first_mhz),
                 high = frequency_hz(number("the end of a band"));
    const double count =
        accept(':') ? number("how many frequencies a band has") : default_count;
    if (!(high > low)) fail("a band must go from the lower to the higher frequency");
    if (!(count >= 2 && count <= max_frequencies && count == std::floor(count)))
      fail(fmt::format("a band has 2 to {:g} frequencies", max_frequencies));
    std::vector<double> all;
    for (double i = 0; i < count; ++i)
      all.push_back(std::lerp(low, high, i / (count - 1)));
    return all;
  }

  void read_aim(Goal& goal) {
    if (accept('<')) {
      goal.aim = Goal::Aim::below;
    } else if (accept('>')) {
      goal.aim = Goal::Aim::above;
    } else if (accept('=')) {
      goal.aim = Goal::Aim::equal;
    } else {
      const std::string aim = lowered(word());
      if (aim != "min" && aim != "max") fail("expected <, >, = or one of min, max");
      goal.aim = aim == "min" ? Goal::Aim::smallest : Goal::Aim::largest;
      return;
    }
    // <= and >= mean the same.
    if (goal.aim != Goal::Aim::equal) (void)accept('=');
    goal.bound = number("a bound");
    if (std::abs(goal.bound) > largest_number)
      fail(fmt::format("a bound must be {:g} to {:g}", -largest_number, largest_number));
    if (goal.quantity == Goal::Quantity::vswr && goal.bound < 1)
      fail("a VSWR is 1 or more");
  }

  static Goal::Over worst_for(Goal::Aim aim) {
    switch (aim) {
      case Goal::Aim::below:
      case Goal::Aim::smallest:
        return Goal::Over::largest;
      case Goal::Aim::above:
      case Goal::Aim::largest:
        return Goal::Over::smallest;
      case Goal::Aim::equal:
        break;
    }
    return Goal::Over::each;
  }

  string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Goal goal_of(std::string_view text) {
  return Parser(text).goal();
}

std::string_view unit_of(Goal::Quantity quantity) {
  for (const Function& function : functions)
    if (function.quantity == quantity) return function.unit;
  return "";
}

}  // namespace thinwire
