// Wire grids in the place of surface patches, against NEC-2's patches.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "io/deck/deck.h"
#include "mom/solve.h"

namespace thinwire {
namespace {

std::vector<FrequencyResult> solved(const std::string& deck) {
  std::vector<std::string> warnings;
  DeckReading reading;
  reading.patch_grids = true;
  return solve(read_deck(deck, "t.nec", warnings, {}, {}, reading), {}).frequencies;
}

// NEC-2 user's guide, examples 4 and 6. Gains by nec2c 1.3: `nec2c -i DECK -o OUT`.

TEST(PatchGrids, TAntennaOnABoxHasNec2sGain) {
  const auto results = solved(
      "CE\nSP 0 0 .1 .05 .05 0. 0. .01\nSP 0 0 .05 .1 .05 0. 90. .01\nGX 0 110\n"
      "SP 0 0 0. 0. .1 90. 0. .04\nGW 1 4 0. 0. .1 0. 0. .3 .001\n"
      "GW 2 2 0. 0. .3 .15 0. .3 .001\nGW 3 2 0. 0. .3 -.15 0. .3 .001\nGE 1\nGN 1\n"
      "EX 0 1 1 0 1.\nRP 0 9 2 1001 10. 0. 10. 90.\nEN\n");
  const double nec2_dbi[9][2] = {{-13.76, -14.81}, {-7.53, -8.54}, {-3.71, -4.62},
                                 {-0.90, -1.65},   {1.28, 0.72},   {2.94, 2.60},
                                 {4.12, 3.96},     {4.83, 4.80},   {5.07, 5.08}};
  const auto& gain = results.at(0).patterns.at(0).gain_dbi;
  for (std::size_t t = 0; t < 9; ++t)
    for (std::size_t p = 0; p < 2; ++p)
      EXPECT_NEAR(gain[2 * t + p], nec2_dbi[t][p], 1) << t << ' ' << p;
}

// In all directions where the gain is within 3 dB of its maximum.
TEST(PatchGrids, WiresOnACylinderHaveNec2sGain) {
  const auto results = solved(
      "CE\nSP 0 0 10 0 7.3333 0. 0. 38.4\nSP 0 0 10 0 0. 0. 0. 38.4\n"
      "SP 0 0 10 0 -7.3333 0. 0. 38.4\nGM 0 1 0. 0. 30.\n"
      "SP 0 0 6.89 0. 11. 90. 0. 44.88\nSP 0 0 6.89 0. -11. -90. 0. 44.88\nGR 0 6\n"
      "SP 0 0 0. 0. 11. 90. 0. 44.89\nSP 0 0 0. 0. -11. -90. 0. 44.89\n"
      "GW 1 4 0. 0. 11. 0. 0. 23. .1\nGW 2 5 10. 0. 0. 27.6 0. 0. .2\nGS 0 0 .01\nGE\n"
      "FR 0 1 0 0 465.84\nEX 0 1 1 0 1.\nRP 0 19 1 1000 0. 0. 20. 0.\nEN\n");
  const double nec2_dbi[19] = {-8.11, -11.01, -19.97, -7.40, -1.67, 1.41, 2.20,
                               0.21,  -6.02,  -8.13,  -2.43, -0.21, 0.85, 0.80,
                               -1.02, -4.62,  -8.25,  -8.71, -8.11};
  const auto& gain = results.at(0).patterns.at(0).gain_dbi;
  for (std::size_t t = 0; t < 19; ++t)
    if (nec2_dbi[t] > -1) {
      EXPECT_NEAR(gain[t], nec2_dbi[t], 1) << 20 * t;
    }
}

}  // namespace
}  // namespace thinwire
