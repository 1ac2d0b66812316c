#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/base/error.h"

namespace thinwire {

/// Values for symbols of a deck, given from outside: they hold instead of what SY says.
using SymbolValues = std::map<std::string, double>;

/// The names that SY cards define. Names do not distinguish upper and lower case.
class Symbols {
 public:
  explicit Symbols(const SymbolValues& given = {});

  /// name = formula, or the value given for the name. Throws as evaluate() does, and
  /// Error{deck} where `name` is no name.
  void define(std::string_view name, std::string_view formula);
  std::optional<double> find(std::string_view name) const;
  /// All, with the values in force.
  const SymbolValues& values() const { return value_; }

  /// Throws Error{usage} where a value was given for what was never defined.
  void check_given() const;

 private:
  std::map<std::string, double> value_, given_;
};

/// A name in a formula that is not defined.
class UnknownName : public Error {
 public:
  explicit UnknownName(const std::string& text) : Error(ErrorKind::deck, text) {}
};

/// Value of a number or formula as 4nec2 and xnec2c write them in decks.
///
/// Numbers: 1, +3, .5, 1.E-3, Fortran's 1.0D+3. Operators: + - * / ^ mod and parentheses;
/// -2^2 is -4, and a^b^c is refused. Functions: sin cos tan (of degrees), asin acos atan
/// atn (to degrees), sqr sqrt abs sgn exp log ln (natural) log10 int (down) fix (towards
/// zero) min max mod. A number may be followed by a unit, which may also stand as a name
/// of its own: mm cm m in ft, pF nF uF, pH nH uH mH; the constant pi; #12 is the
/// radius of AWG wire 12, in metres. Symbols go before units; a name before a parenthesis
/// is a function.
///
/// Throws Error{deck} with a text that quotes the formula, UnknownName where a name is
/// not defined; what is not finite is refused.
double evaluate(std::string_view formula, const Symbols& symbols);

/// The value of a text that is a number of digits, a point and an exponent, as most
/// fields are; empty for all others that evaluate() takes.
std::optional<double> plain_number(std::string_view text);

/// Whether a character of a deck is a digit, whatever the locale of the program.
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A name as symbols are compared: in lower case.
std::string lower_name(std::string_view name);

/// Whether a unit is called so: mm, pF, ...
bool is_unit(std::string_view name);

/// `text` between single quotes, cut to a readable length, with anything but printable
/// ASCII replaced: deck text may be anything, messages must stay clean UTF-8.
std::string quote_text(std::string_view text);

}  // namespace thinwire
