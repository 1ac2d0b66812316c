// Wires that stand where no ground connects them. NEC-2's impedances there depend on its
// segments; the references are where they tend to, by nec2c 1.3 with 11, 21, 41, 81 and
// 161 segments (`nec2c -i DECK -o OUT`).
#include <complex>
#include <string>

#include <gtest/gtest.h>

#include "io/deck/deck.h"
#include "mom/solve.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

/// A wire of 20 m from z = 0 up at 7 MHz, fed in the middle.
Complex impedance(const std::string& ground, std::vector<std::string>& warnings) {
  const Problem problem = read_deck(
      "CE\nGW 1 11 0 0 0 0 0 20 .02\n" + ground + "FR 0 1 0 0 7\nEX 0 1 6 0 1\nXQ\nEN\n",
      "t.nec", warnings);
  return solve(problem, {}).frequencies.at(0).ports.at(0).impedance_ohm;
}

TEST(Contact, WithReflectionCoefficientsIsNoConnection) {
  // 363+313j, 236+152j, 163+65j, 127+23j, 110.5+5.6j.
  std::vector<std::string> warnings;
  const Complex z = impedance("GE 1\nGN 0 0 0 0 13 .005\n", warnings);
  EXPECT_LT(std::abs(z - Complex(95, -11)), 10);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(
      contains(warnings[0], "GN 0 with GE 1: segment 1 (tag 1) stands on the ground"));
}

TEST(Contact, WithoutGroundIsAnOpenEnd) {
  // 92.6+98.2j, 77.4+26.3j, 70.7-5.3j, 68.0-17.9j, 67.0-22.2j.
  std::vector<std::string> warnings;
  const Complex z = impedance("GE 1\n", warnings);
  EXPECT_LT(std::abs(z - Complex(66.7, -24)), 2);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(contains(warnings[0], "GE 1 without GN: there is no ground"));
}

}  // namespace
}  // namespace thinwire
