// GN 2: what it means, and what is refused over real ground.
#include <gtest/gtest.h>

#include "tests/io/deck/deck_testing.h"

namespace thinwire {
namespace {

using testing::read;

/// A dipole 2 m above the ground; cards from line 4 on.
auto over_ground(const std::string& cards, const std::string& wire = "-2 0 2 2 0 2") {
  return read("CE\nGW 1 9 " + wire + " .001\nGE -1\n" + cards + "\nEN\n");
}

TEST(DeckGround, Gn2IsRealGround) {
  const auto r =
      over_ground("GN 2 0 0 0 13 .005\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nXQ\nGN 1\nXQ");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.warnings.size(), 0u);
  ASSERT_EQ(r.problem.runs.size(), 2u);
  EXPECT_EQ(r.problem.runs[0].ground, Ground::sommerfeld(13, 0.005));
  EXPECT_EQ(r.problem.runs[1].ground, Ground::perfect);
  // eps_r - j sigma / (2 pi f eps0), at a wavelength of 1 m.
  const Complex eps = r.problem.runs[0].ground.permittivity(2 * pi);
  EXPECT_NEAR(eps.real(), 13, 1e-12);
  EXPECT_NEAR(eps.imag(), -0.005 / (2 * pi * speed_of_light_m_per_s * eps0_f_per_m),
              1e-9);
}

TEST(DeckGround, NegativeConductivityIsTheImaginaryPart) {
  const auto r = over_ground("GN 2 0 0 0 13 -4\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nXQ");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.problem.runs.at(0).ground.permittivity(0.3), Complex(13, -4));
}

TEST(DeckGround, RefusesWhatIsNotBuiltOverRealGround) {
  const std::string gn = "GN 2 0 0 0 13 .005\nFR 0 1 0 0 30\nEX 0 1 5 0 1\n";
  EXPECT_EQ(over_ground(gn + "NE 0 1 1 3 0 0 1 0 0 -1").error,
            "t.nec:7: asks for a field in real ground (z = -1 m). Keep the points of NE "
            "and NH at z = 0 or above.");
  EXPECT_EQ(
      over_ground("FR 0 2 0 0 30 1\nEX 0 1 5 0 1\nNH 1 1 1 13 5 0 0 0 0 10\n"
                  "GN 2 0 0 0 13 .005\nXQ")
          .error,
      "t.nec:6: asks for a field in real ground (z = -2.5 m). Keep the points of NE "
      "and NH at z = 0 or above.");
  EXPECT_EQ(over_ground(gn + "NH 1 1 1 10 5 0 0 0 0 10").error, "");
  // Once, not again for a run at the deck's end.
  EXPECT_EQ(over_ground("GN 2 0 0 0 10 1e9\nFR 0 1 0 0 0.1\nEX 0 1 5 0 1\nXQ").error,
            "t.nec:7: GN 2: the ground's refractive index at 0.1 MHz is 1.3e+07 "
            "(limit 100000): it is a perfect conductor. Use GN 1.");
}

TEST(DeckGround, RefusesWiresBelowAndIn) {
  const std::string cards = "GN 2 0 0 0 13 .005\nFR 0 1 0 0 30\nEX 0 1 5 0 1\nXQ";
  EXPECT_NE(
      over_ground(cards, "0 0 -1 0 0 1").error.find("extends below the real ground"),
      std::string::npos);
  EXPECT_NE(over_ground(cards, "-1 0 0 1 0 0").error.find("lies in the real ground"),
            std::string::npos);
}

}  // namespace
}  // namespace thinwire
