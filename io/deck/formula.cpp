#include "io/deck/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"

namespace thinwire {

namespace {

using std::string_view;

struct Function {
  string_view name;
  int arguments;
  double (*call)(double a, double b);
};

double degrees(double radians) {
  return radians * 180 / pi;
}

/// Sine of an angle in degrees, exact at multiples of 90 degrees.
double sin_deg(double a, double = 0) {
  const double r = std::remainder(a, 360.0);
  if (r == 0 || std::abs(r) == 180) return 0;
  if (std::abs(r) == 90) return r > 0 ? 1 : -1;
  return std::sin(r * pi / 180);
}
double cos_deg(double a, double = 0) {
  return sin_deg(std::remainder(a, 360.0) + 90);
}

constexpr Function functions[] = {
    {"sin", 1, sin_deg},
    {"cos", 1, cos_deg},
    {"tan", 1, [](double a, double) { return sin_deg(a) / cos_deg(a); }},
    {"asin", 1, [](double a, double) { return degrees(std::asin(a)); }},
    {"acos", 1, [](double a, double) { return degrees(std::acos(a)); }},
    {"atan", 1, [](double a, double) { return degrees(std::atan(a)); }},
    {"atn", 1, [](double a, double) { return degrees(std::atan(a)); }},
    {"sqr", 1, [](double a, double) { return std::sqrt(a); }},
    {"sqrt", 1, [](double a, double) { return std::sqrt(a); }},
    {"abs", 1, [](double a, double) { return std::abs(a); }},
    {"sgn", 1, [](double a, double) { return a > 0   ? 1.0
                                             : a < 0 ? -1.0
                                                     : 0.0; }},
    {"exp", 1, [](double a, double) { return std::exp(a); }},
    {"log", 1, [](double a, double) { return std::log(a); }},
    {"ln", 1, [](double a, double) { return std::log(a); }},
    {"log10", 1, [](double a, double) { return std::log10(a); }},
    {"int", 1, [](double a, double) { return std::floor(a); }},
    {"fix", 1, [](double a, double) { return std::trunc(a); }},
    {"min", 2, [](double a, double b) { return std::min(a, b); }},
    {"max", 2, [](double a, double b) { return std::max(a, b); }},
    {"mod", 2, [](double a, double b) { return std::fmod(a, b); }},
};

struct Unit {
  string_view name;
  double value;
};

constexpr Unit units[] = {
    {"mm", 1e-3},  {"cm", 1e-2}, {"m", 1},     {"in", 0.0254}, {"ft", 0.3048},
    {"pf", 1e-12}, {"nf", 1e-9}, {"uf", 1e-6}, {"ph", 1e-12},  {"nh", 1e-9},
    {"uh", 1e-6},  {"mh", 1e-3}, {"pi", pi},
};

// Whatever the locale of the program.
bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

const Function* find_function(string_view lower_name) {
  const auto at = std::find_if(std::begin(functions), std::end(functions),
                               [&](const Function& f) { return f.name == lower_name; });
  return at == std::end(functions) ? nullptr : at;
}

std::optional<double> find_unit(string_view lower_name) {
  for (const Unit& unit : units) {
    if (unit.name == lower_name) return unit.value;
  }
  return std::nullopt;
}

/// Recursive descent over one formula.
class Parser {
 public:
  Parser(string_view text, const Symbols& symbols) : text_(text), symbols_(symbols) {}

  double whole() {
    const double value = sum();
    if (skip_blanks() != '\0') {
      fail(fmt::format("unexpected {}", quote_text(text_.substr(at_, 1))));
    }
    if (!std::isfinite(value)) fail("the result is not a finite number");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    const bool stops_at_comma = text_.substr(at_, 1) == ",";
    throw Error(ErrorKind::deck,
                fmt::format("{}: {}.{}", quote_text(text_), why,
                            stops_at_comma ? " Write decimals with a point." : ""));
  }

  /// The next character that is not blank; NUL at the end.
  char skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (skip_blanks() != c) return false;
    ++at_;
    return true;
  }

  double sum() {
    // Bounds the recursion, so that no deck can exhaust the stack.
    if (++depth_ > 100) fail("too deeply nested");
    double value = remainder();
    for (;;) {
      if (accept('+')) {
        value += remainder();
      } else if (accept('-')) {
        value -= remainder();
      } else {
        --depth_;
        return value;
      }
    }
  }

  /// a mod b, which binds weaker than products, as in Visual Basic (of 4nec2).
  double remainder() {
    double value = product();
    while (next_name() == "mod") {
      name();
      const double divisor = product();
      if (divisor == 0) fail("division by zero");
      value = std::fmod(value, divisor);
    }
    return value;
  }

  double product() {
    double value = signed_factor();
    for (;;) {
      if (accept('*')) {
        value *= signed_factor();
      } else if (accept('/')) {
        const double divisor = signed_factor();
        if (divisor == 0) fail("division by zero");
        value /= divisor;
      } else {
        return value;
      }
    }
  }

  double signed_factor() {
    bool negative = false;
    for (;;) {
      if (accept('-')) {
        negative = !negative;
      } else if (!accept('+')) {
        break;
      }
    }
    const double value = power();
    return negative ? -value : value;
  }

  double power() {
    const double base = primary();
    if (!accept('^')) return base;
    bool negative = false;
    if (accept('-')) {
      negative = true;
    } else {
      accept('+');
    }
    const double exponent = primary();
    if (skip_blanks() == '^') fail("a^b^c is ambiguous; put parentheses");
    return std::pow(base, negative ? -exponent : exponent);
  }

  double primary() {
    const char c = skip_blanks();
    if (is_digit(c) || c == '.') return number();
    if (is_name_letter(c)) return named();
    if (c == '#') return wire_gauge();
    if (accept('(')) {
      const double value = sum();
      if (!accept(')')) fail("a closing parenthesis is missing");
      return value;
    }
    fail(c == '\0' ? "a number or name is missing at the end"
                   : fmt::format("a number or name is missing before {}",
                                 quote_text(text_.substr(at_, 1))));
  }

  /// A number, and a unit after it.
  double number() {
    std::size_t end = at_;
    while (end < text_.size() && (is_digit(text_[end]) || text_[end] == '.')) ++end;
    std::string digits(text_.substr(at_, end - at_));
    std::size_t exponent = end;
    if (exponent < text_.size() &&
        string_view("eEdD").find(text_[exponent]) != string_view::npos) {
      ++exponent;
      if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) {
        ++exponent;
      }
      if (exponent < text_.size() && is_digit(text_[exponent])) {
        while (exponent < text_.size() && is_digit(text_[exponent])) ++exponent;
        digits += 'e';
        digits += text_.substr(end + 1, exponent - end - 1);
        end = exponent;
      }
    }
    double value = 0;
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range) fail("a number is out of range");
    if (error != std::errc() || stop != digits.data() + digits.size()) {
      fail(fmt::format("{} is not a number", quote_text(digits)));
    }
    at_ = end;
    if (const std::string unit = next_name(); !unit.empty() && unit != "mod") {
      const auto scale = find_unit(unit);
      if (!scale) fail(fmt::format("{} is not a unit", quote_text(unit)));
      value *= *scale;
      name();
    }
    return value;
  }

  /// The name that comes next, in lower case; empty where something else does.
  std::string next_name() {
    if (!is_name_letter(skip_blanks())) return {};
    const std::size_t first = at_;
    const string_view next = name();
    at_ = first;
    return lower_name(next);
  }

  string_view name() {
    const std::size_t first = at_;
    while (at_ < text_.size() && (is_name_letter(text_[at_]) || is_digit(text_[at_])))
      ++at_;
    return text_.substr(first, at_ - first);
  }

  double named() {
    const string_view original = name();
    const std::string key = lower_name(original);
    const Function* const function = find_function(key);
    if (function != nullptr && accept('(')) return call(*function);
    if (const auto value = symbols_.find(key)) return *value;
    if (const auto value = find_unit(key)) return *value;
    if (function != nullptr) fail(key + " needs its argument in parentheses");
    throw UnknownName(fmt::format("{}: {} is neither a number nor defined by an SY card.",
                                  quote_text(text_), quote_text(original)));
  }

  double call(const Function& function) {
    const double a = sum();
    double b = 0;
    if (function.arguments == 2) {
      if (!accept(',')) fail(fmt::format("{} takes two arguments", function.name));
      b = sum();
    }
    if (!accept(')')) fail("a closing parenthesis is missing");
    const double value = function.call(a, b);
    if (!std::isfinite(value)) {
      fail(fmt::format("{} of {} is not a finite number", function.name, a));
    }
    return value;
  }

  /// #12: radius of American wire gauge 12, whose diameter is 0.005 in * 92^((36 -
  /// n)/39). #00 is gauge -1, and so on to #0000.
  double wire_gauge() {
    ++at_;
    const std::size_t first = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    const string_view digits = text_.substr(first, at_ - first);
    const auto zeros =
        static_cast<int>(std::min(digits.find_first_not_of('0'), digits.size()));
    int gauge = 51;
    std::from_chars(digits.data(), digits.data() + digits.size(), gauge);
    if (gauge == 0) gauge = 1 - zeros;
    if (gauge < -3 || gauge > 50)
      fail("a wire gauge is # and a number from 0 to 50, or 00 to 0000");
    return 0.5 * 0.005 * 0.0254 * std::pow(92.0, (36 - gauge) / 39.0);
  }

  string_view text_;
  const Symbols& symbols_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Symbols::Symbols(const SymbolValues& given) {
  for (const auto& [name, value] : given) given_[lower_name(name)] = value;
}

void Symbols::define(string_view name, string_view formula) {
  const bool word = !name.empty() && is_name_letter(name[0]) &&
                    std::all_of(name.begin(), name.end(),
                                [](char c) { return is_name_letter(c) || is_digit(c); });
  if (!word) {
    throw Error(
        ErrorKind::deck,
        fmt::format("{} is not a name (letters, digits and _ only).", quote_text(name)));
  }
  std::string key = lower_name(name);
  const auto given = given_.find(key);
  const double value = given != given_.end() ? given->second : evaluate(formula, *this);
  value_[std::move(key)] = value;
}

void Symbols::check_given() const {
  std::string known;
  for (const auto& [name, value] : value_) known += (known.empty() ? "" : ", ") + name;
  for (const auto& [name, value] : given_) {
    if (value_.count(name) > 0) continue;
    throw Error(ErrorKind::usage,
                fmt::format("--set {}: no SY card defines that symbol ({}).", name,
                            known.empty() ? "the deck defines none"
                                          : "the deck defines " + known));
  }
}

std::optional<double> Symbols::find(string_view name) const {
  const auto at = value_.find(lower_name(name));
  if (at == value_.end()) return std::nullopt;
  return at->second;
}

std::optional<double> plain_number(string_view text) {
  const std::size_t digit = text.substr(0, 1) == "-" ? 1 : 0;
  if (digit >= text.size() || (!is_digit(text[digit]) && text[digit] != '.'))
    return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

double evaluate(string_view formula, const Symbols& symbols) {
  if (const auto number = plain_number(formula)) return *number;
  return Parser(formula, symbols).whole();
}

std::string lower_name(string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool is_unit(string_view name) {
  return find_unit(lower_name(name)).has_value();
}

std::string quote_text(string_view text) {
  constexpr std::size_t longest = 40;
  std::string result = "'";
  for (const char c : text.substr(0, longest)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > longest ? "...'" : "'");
}

}  // namespace thinwire
