// Checks the program's messages about wires in the ground before it solves them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using nlohmann::json;
using test::Program;

/// A rod of 3 m under a vertical of 10 m.
constexpr const char* rod =
    "GW 1 10 0 0 0 0 0 10 .005\nGW 2 2 0 0 0 0 0 -3 .005\nGE -1\nGN 2 0 0 0 13 .005\n"
    "FR 0 2 0 0 7 7\nEX 0 1 1 0 1\nXQ\nEN\n";

TEST(WiresInGround, AreToldWithTheWavesThere) {
  const Program thinwire;
  thinwire.write("rod.nec", rod);
  // At 14 MHz |sqrt(13 - j 6.42)| = 3.808.
  const std::string figures =
      "wavelengths there at 14 MHz (|k2| = 1.12 rad/m, wavelength 5.62 m)";
  const auto check = thinwire.succeeds("check rod.nec");
  EXPECT_TRUE(contains(check.out, "in the ground: "));
  EXPECT_TRUE(contains(check.out, figures));
  const auto dry = thinwire("solve rod.nec --dry-run --mesh as-given");
  EXPECT_TRUE(contains(dry.out, "in the ground   2 elements, up to 0.27 " + figures));
  const json plan = json::parse(thinwire("solve rod.nec --dry-run --json").out);
  EXPECT_LE(plan.at("in_ground").at("longest_wavelengths"), 1 / 30.0);
  EXPECT_EQ(plan.at("in_ground").at("frequency_hz"), 14e6);
  const json above = json::parse(thinwire("solve dipole.nec --dry-run --json").out);
  EXPECT_FALSE(above.contains("in_ground"));
}

TEST(WiresInGround, AreSolvedInDoubleWithTheWholeMatrix) {
  const Program thinwire;
  thinwire.write("rod.nec", rod);
  const auto refusal = [&](const std::string& option) {
    const auto run = thinwire("solve rod.nec " + option);
    EXPECT_EQ(run.code, 2) << option;
    return run.err;
  };
  EXPECT_TRUE(contains(refusal("--operator fft"), "Use --operator dense."));
  EXPECT_TRUE(contains(refusal("--precision single"), "Use --precision double,"));
}

}  // namespace
}  // namespace thinwire
