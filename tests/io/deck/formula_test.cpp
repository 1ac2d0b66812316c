#include <gtest/gtest.h>

#include <string>

#include "io/deck/formula.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

double value(const char* formula) {
  Symbols symbols;
  symbols.define("freq", "146");
  symbols.define("L_REF", "2.5");
  symbols.define("in", "7");  // a symbol goes before the unit of the same name
  return evaluate(formula, symbols);
}

std::string refusal(const std::string& formula) {
  try {
    evaluate(formula, Symbols());
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Formula, NumbersInAllSpellings) {
  EXPECT_EQ(value("1"), 1);
  EXPECT_EQ(value("+3"), 3);
  EXPECT_EQ(value("-.5"), -0.5);
  EXPECT_EQ(value("1.E-3"), 1e-3);
  EXPECT_EQ(value("1.0D+3"), 1000);
  EXPECT_EQ(value("2d2"), 200);
  EXPECT_EQ(value("3.720E+07"), 3.72e7);
}

TEST(Formula, Operators) {
  EXPECT_EQ(value("1+2*3"), 7);
  EXPECT_EQ(value("(1+2)*3"), 9);
  EXPECT_EQ(value("8-4-2"), 2);
  EXPECT_EQ(value("8/4/2"), 1);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value("--3"), 3);
  // mod binds weaker than products and stronger than sums.
  EXPECT_EQ(value("1 + 2*5 mod 3*2"), 1 + 10 % 6);
  EXPECT_EQ(value("freq MOD 100"), 46);
}

TEST(Formula, SymbolsWhateverTheCase) {
  EXPECT_DOUBLE_EQ(value("299.792458/FREQ"), 299.792458 / 146);
  EXPECT_EQ(value("-l_ref/2"), -1.25);
  EXPECT_EQ(value("2*in"), 14);
}

TEST(Formula, ParenthesesTellFunctionsFromSymbols) {
  Symbols symbols;
  symbols.define("LN", "10.5");
  symbols.define("max", "LN*2");
  EXPECT_DOUBLE_EQ(evaluate("max(ln, ln (exp(12))) - ln/max", symbols), 11.5);
}

TEST(Formula, FunctionsTakeDegrees) {
  EXPECT_DOUBLE_EQ(value("sin(30)"), 0.5);
  EXPECT_DOUBLE_EQ(value("cos(60)"), 0.5);
  EXPECT_EQ(value("cos(90)"), 0);
  EXPECT_EQ(value("sin(180)"), 0);
  EXPECT_DOUBLE_EQ(value("tan(45)"), 1);
  EXPECT_DOUBLE_EQ(value("atn(1)"), 45);
  EXPECT_DOUBLE_EQ(value("asin(1)"), 90);
  EXPECT_EQ(value("SQR(16)"), 4);
  EXPECT_EQ(value("sqrt(2.25)"), 1.5);
  EXPECT_EQ(value("abs(-3)"), 3);
  EXPECT_EQ(value("int(2.7)"), 2);
  EXPECT_EQ(value("int(-2.5)"), -3);
  EXPECT_EQ(value("fix(-2.5)"), -2);
  EXPECT_EQ(value("sgn(-2)"), -1);
  EXPECT_DOUBLE_EQ(value("log(exp(2))"), 2);
  EXPECT_DOUBLE_EQ(value("log10(1000)"), 3);
  EXPECT_EQ(value("max(2, 3) - min(2,3)"), 1);
  EXPECT_EQ(value("mod(7,4)"), 3);
  EXPECT_NEAR(value("pi"), 3.14159265358979, 1e-14);
}

TEST(Formula, UnitsAfterNumbersAndAsNames) {
  EXPECT_DOUBLE_EQ(value("1.5mm"), 0.0015);
  EXPECT_DOUBLE_EQ(value("1.5 * MM"), 0.0015);
  EXPECT_DOUBLE_EQ(value("2 ft"), 0.6096);
  EXPECT_DOUBLE_EQ(value("3in"), 0.0762);
  EXPECT_DOUBLE_EQ(value("10pF"), 1e-11);
  EXPECT_DOUBLE_EQ(value("2nF+1uF"), 1.002e-6);
  EXPECT_DOUBLE_EQ(value("4uH"), 4e-6);
  EXPECT_DOUBLE_EQ(value("12 cm/2"), 0.06);
  // AWG 12 has a diameter of 2.05252 mm, AWG 36 of 0.005 in.
  EXPECT_NEAR(value("#12"), 0.00102626, 1e-8);
  EXPECT_DOUBLE_EQ(value("#36"), 0.0025 * 0.0254);
  // By definition 0.46 in; the others from a wire table with about four digits.
  EXPECT_DOUBLE_EQ(value("#0000"), 0.23 * 0.0254);
  EXPECT_NEAR(value("#0"), 8.2525e-3 / 2, 1e-6);
  EXPECT_NEAR(value("#00"), 9.2659e-3 / 2, 1e-6);
  EXPECT_NEAR(value("#000"), 10.4038e-3 / 2, 1e-6);
}

TEST(Formula, Refusals) {
  EXPECT_EQ(refusal("1x"), "'1x': 'x' is not a unit.");
  EXPECT_EQ(refusal("foo*2"),
            "'foo*2': 'foo' is neither a number nor defined by an SY card.");
  EXPECT_EQ(refusal("nan"),
            "'nan': 'nan' is neither a number nor defined by an SY card.");
  EXPECT_EQ(refusal("inf"),
            "'inf': 'inf' is neither a number nor defined by an SY card.");
  EXPECT_EQ(refusal("1e999"), "'1e999': a number is out of range.");
  EXPECT_EQ(refusal("1e308*10"), "'1e308*10': the result is not a finite number.");
  EXPECT_EQ(refusal("1/0"), "'1/0': division by zero.");
  EXPECT_EQ(refusal("sqrt(-1)"), "'sqrt(-1)': sqrt of -1 is not a finite number.");
  EXPECT_EQ(refusal("tan(90)"), "'tan(90)': tan of 90 is not a finite number.");
  EXPECT_EQ(refusal("(1+2"), "'(1+2': a closing parenthesis is missing.");
  EXPECT_EQ(refusal("1+"), "'1+': a number or name is missing at the end.");
  EXPECT_EQ(refusal("1,2"), "'1,2': unexpected ','. Write decimals with a point.");
  EXPECT_EQ(
      refusal(",25"),
      "',25': a number or name is missing before ','. Write decimals with a point.");
  EXPECT_EQ(refusal("1..2"), "'1..2': '1..2' is not a number.");
  EXPECT_EQ(refusal("2^3^2"), "'2^3^2': a^b^c is ambiguous; put parentheses.");
  EXPECT_EQ(refusal("sin 3"), "'sin 3': sin needs its argument in parentheses.");
  EXPECT_EQ(refusal("max(1)"), "'max(1)': max takes two arguments.");
  for (const std::string gauge : {"#99", "#00000", "#"})
    EXPECT_EQ(refusal(gauge), "'" + gauge +
                                  "': a wire gauge is # and a number from 0 to 50, or 00 "
                                  "to 0000.");
  EXPECT_EQ(refusal("5 mod 0"), "'5 mod 0': division by zero.");
  EXPECT_EQ(refusal(""), "'': a number or name is missing at the end.");
}

TEST(Formula, DeepNestingIsRefusedNotCrashed) {
  const std::string deep = std::string(5000, '(') + "1" + std::string(5000, ')');
  EXPECT_EQ(refusal(deep), "'" + std::string(40, '(') + "...': too deeply nested.");
  EXPECT_EQ(refusal(std::string(9000, '-') + "1"), "accepted");
}

TEST(Formula, MessagesStayPrintable) {
  EXPECT_EQ(quote_text("a\xff\x01z"), "'a??z'");
  EXPECT_EQ(quote_text(std::string(50, 'a')), "'" + std::string(40, 'a') + "...'");
}

TEST(Symbols, RefusesBadNames) {
  Symbols symbols;
  EXPECT_THROW(symbols.define("2x", "1"), Error);
  EXPECT_THROW(symbols.define("", "1"), Error);
  EXPECT_THROW(symbols.define("a b", "1"), Error);
  symbols.define("A_1", "1");
  symbols.define("a_1", "2");
  EXPECT_EQ(symbols.find("A_1"), 2);
}

}  // namespace
}  // namespace thinwire
