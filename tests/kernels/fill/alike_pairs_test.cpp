#include "kernels/fill/alike_pairs.h"

#include <gtest/gtest.h>

namespace thinwire {
namespace {

const Vec3 east{1, 0, 0}, west{-1, 0, 0}, up{0, 0, 1}, down{0, 0, -1},
    aslant{0.6, 0, 0.8};

TEST(StraightRuns, EndWhereAnElementDiffers) {
  const std::vector<Element> elements = {
      {{0, 0, 1}, east, 0.1, 1e-3},   {{0.1, 0, 1}, east, 0.1, 1e-3},
      {{0.2, 0, 1}, east, 0.1, 1e-3},  // in line
      {{0.3, 0, 1}, east, 0.1, 2e-3},  // thicker
      {{0.4, 0, 1}, east, 0.2, 2e-3},  // longer
      {{0.7, 0, 1}, east, 0.2, 2e-3},  // beyond a gap
      {{0.9, 0, 1}, up, 0.2, 2e-3},    // round a corner
      {{0.9, 0, 1.2}, up, 0.2, 2e-3},
  };
  EXPECT_EQ(straight_runs(elements),
            (std::vector<std::uint32_t>{0, 0, 0, 3, 4, 5, 6, 6}));
}

/// The reflection between numbers i and j of two runs depends on j - i or on i + j alone:
/// the horizontal step and the sum of heights must stay the same.
TEST(AlikeStep, IsThatByWhichPairsLieAlike) {
  struct Case {
    Vec3 p, q;
    int step;
  };
  for (const Case& c : {Case{east, east, -1},
                        {east, west, 1},
                        {up, up, 1},
                        {up, down, -1},
                        {aslant, aslant, 0},
                        {east, up, 0}}) {
    const Element p{{0, 0, 2}, c.p, 0.1, 1e-3}, q{{0.5, 0.3, 1.5}, c.q, 0.1, 1e-3};
    EXPECT_EQ(alike_step(p, q), c.step);
    if (c.step == 0) continue;
    // Number i of p's run goes one on, that of q's as `step` has it.
    const Vec3 moved_p = p.start_m + 0.1 * p.tangent,
               moved_q = q.start_m - (c.step * 0.1) * q.tangent;
    const Vec3 before = p.start_m - q.start_m, after = moved_p - moved_q;
    EXPECT_NEAR(std::hypot(after.x - before.x, after.y - before.y), 0, 1e-15);
    EXPECT_NEAR(moved_p.z + moved_q.z, p.start_m.z + q.start_m.z, 1e-15);
  }
  EXPECT_EQ(alike_step({{0, 0, 2}, up, 0.1, 1e-3}, {{1, 0, 2}, up, 0.2, 1e-3}), 0);
}

}  // namespace
}  // namespace thinwire
