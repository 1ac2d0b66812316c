#include "io/deck/parameters.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/deck/deck.h"
#include "mom/solve.h"

namespace thinwire {
namespace {

/// A deck's symbol and what it moves.
struct Case {
  const char* name;
  std::string deck, symbol;
  double value, step;  ///< of the differences
};

std::vector<Problem> read(const std::string& deck, const SymbolValues& values) {
  std::vector<std::string> warnings;
  return read_structures(deck, "t.nec", warnings, {}, values);
}

class Derivatives : public ::testing::TestWithParam<Case> {
 protected:
  FrequencyResult at(double value) const {
    return solve(read(GetParam().deck, {{GetParam().symbol, value}})[0], {})
        .frequencies[0];
  }
  /// Returns the difference quotient of fourth order.
  template <class Number>
  Number difference(Number (*number)(const FrequencyResult&)) const {
    const auto [name, deck, symbol, value, h] = GetParam();
    return (8.0 * (number(at(value + h)) - number(at(value - h))) -
            (number(at(value + 2 * h)) - number(at(value - 2 * h)))) /
           (12 * h);
  }
};

TEST_P(Derivatives, AreThoseOfDifferences) {
  std::vector<Problem> problem = read(GetParam().deck, {});
  const std::vector<std::string> symbols = {GetParam().symbol};
  add_parameters(problem, symbols, [&](const SymbolValues& values) {
    return read(GetParam().deck, values);
  });
  const FrequencyResult result = solve(problem[0], {}).frequencies[0];
  const auto impedance = [](const FrequencyResult& r) {
    return r.ports[0].impedance_ohm;
  };
  const auto gain = [](const FrequencyResult& r) { return r.patterns[0].gain_dbi[0]; };
  const Complex derivative = difference<Complex>(impedance);
  EXPECT_LT(std::abs(result.impedance_derivative_ohm.at(0) - derivative),
            1e-6 * std::abs(derivative));
  const double gain_derivative = difference<double>(gain);
  EXPECT_NEAR(result.gain_derivatives.at(0).gain_derivative_db.at(0), gain_derivative,
              1e-6 * std::abs(gain_derivative));
}

// Fields that turn by many radians along the symbol's own length, and a symbol of zero in
// degrees: neither is served by a step in proportion to the value.
INSTANTIATE_TEST_SUITE_P(
    Steps, Derivatives,
    testing::Values(Case{"HighAboveGround",
                         "CE\nSY h=300\nGW 1 11 0 -0.055 h 0 0.055 h 0.0005\nGE 1\nGN 1\n"
                         "EX 0 1 6 0 1\nFR 0 1 0 0 1296\nRP 0 1 1 1000 45 90 0 0\nEN\n",
                         "h", 300, 1e-4},
                    Case{"AngleOfZero",
                         "CE\nSY a=0\nGW 1 9 0.13 0 -.24 0.13 0.02 .24 0.001\n"
                         "GM 0 0 a 0 0 0 0 0\nGW 2 9 0 0 -.22 0 0 .22 0.001\nGE\n"
                         "EX 0 1 5 0 1\nFR 0 1 0 0 300\nRP 0 1 1 1000 60 30 0 0\nEN\n",
                         "a", 0, 0.05}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace thinwire
