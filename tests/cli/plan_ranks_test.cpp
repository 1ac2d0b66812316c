#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using nlohmann::json;
using test::Program;

TEST(PlanRanks, SaysWhatEachNeeds) {
  const Program thinwire;
  // 64 dipoles, 1,280 unknowns.
  thinwire.write("array.nec",
                 "CE\nGW 1 21 0 0 -.25 0 0 .25 .001\nGM 0 63 0 0 0 .5 0 0 0\nGE\n"
                 "EX 0 1 11 0 1\nFR 0 1 0 0 300\nXQ\nEN\n");
  const std::string dry_run =
      "solve array.nec --dry-run --operator dense --solver direct --mesh as-given --json";
  const json one = json::parse(thinwire(dry_run + " --device cpu").out),
             four = json::parse(thinwire(dry_run + " --ranks 4").out);
  EXPECT_EQ(one["ranks"], 1);
  EXPECT_EQ(four["ranks"], 4);
  EXPECT_NEAR(four["matrix_bytes"].get<double>(), one["matrix_bytes"].get<double>() / 4,
              1);
  EXPECT_LT(four["total_bytes"], one["total_bytes"]);
  const auto table =
      thinwire("solve array.nec --dry-run --operator dense --mesh as-given --ranks 4");
  EXPECT_TRUE(contains(table.out, "ranks           4, memory is that of each\n"));
}

TEST(PlanRanks, OnlyPlans) {
  const Program thinwire;
  auto run = thinwire("solve dipole.nec --ranks 2");
  EXPECT_EQ(run.code, 2);
  EXPECT_TRUE(contains(run.err,
                       "--ranks has no effect without --dry-run. To solve on "
                       "several ranks, start them with mpirun."));
  for (const char* wrong : {"0", "-1", "2000000", "two"})
    EXPECT_EQ(thinwire(std::string("solve dipole.nec --dry-run --ranks ") + wrong).code,
              2)
        << wrong;
}

}  // namespace
}  // namespace thinwire
