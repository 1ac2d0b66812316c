#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

TEST(NearFieldCommand, SolveWritesAndInfoTells) {
  const test::Program thinwire;
  const auto run = thinwire.shell(
      "printf 'CE\\nGW 1 11 0 0 -.25 0 0 .25 .001\\nGE\\nFR 0 1 0 0 300\\nEX 0 1 6 0 1\\n"
      "NE 0 3 1 2 .5 0 0 .1 0 .1\\nNH 1 4 1 1 1 0 90 .5\\nEN\\n' > near.nec && '" +
      std::string(THINWIRE_PROGRAM) +
      "' solve near.nec --listing near.out --quiet && grep -c 'NEAR [EM]' near.out");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "\n2\n"));
  const auto info = thinwire("info near.h5");
  EXPECT_TRUE(
      contains(info.out, "near field 0  1 frequency x 3 x 1 x 2 points, largest |E| "));
  EXPECT_TRUE(
      contains(info.out, "near field 1  1 frequency x 4 x 1 x 1 points, largest |H| "));
}

}  // namespace
}  // namespace thinwire
