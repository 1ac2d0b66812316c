#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace thinwire {

/// The names that SY cards define. Names do not distinguish upper and lower case.
class Symbols {
 public:
  /// Throws Error{deck} where `name` is no name or is that of a function.
  void define(std::string_view name, double value);
  std::optional<double> find(std::string_view name) const;

 private:
  std::unordered_map<std::string, double> value_;
};

/// Value of a number or formula as 4nec2 and xnec2c write them in decks.
///
/// Numbers: 1, +3, .5, 1.E-3, Fortran's 1.0D+3. Operators: + - * / ^ and parentheses;
/// -2^2 is -4, and a^b^c is refused. Functions: sin cos tan (of degrees), asin acos atan
/// atn (to degrees), sqr sqrt abs sgn exp log ln (natural) log10 int (down) fix (towards
/// zero) min max mod. A number may be followed by a unit, which may also stand as a name
/// of its own: mm cm m in ft, pF nF uF, pH nH uH mH; the constant pi; #12 is the
/// radius of AWG wire 12, in metres. Symbols go before units.
///
/// Throws Error{deck} with a text that quotes the formula; what is not finite is refused.
double evaluate(std::string_view formula, const Symbols& symbols);

/// `text` between single quotes, cut to a readable length, with anything but printable
/// ASCII replaced: deck text may be anything, messages must stay clean UTF-8.
std::string quote_text(std::string_view text);

}  // namespace thinwire
