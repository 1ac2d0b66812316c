#include "kernels/element/medium.h"

#include <gtest/gtest.h>

namespace thinwire {
namespace {

TEST(Medium, InFreeSpaceAnElementActsAlone) {
  const Medium medium;
  EXPECT_EQ(medium.sources(), 1);
  const Element e = {{1, 2, 3}, {0.6, 0, 0.8}, 0.1, 0.01};
  EXPECT_EQ(medium.source(e, 0).start_m, e.start_m);
  EXPECT_EQ(medium.source(e, 0).tangent, e.tangent);
  EXPECT_EQ(medium.factor(0), 1);
}

/// A point charge at the end of an element and its images leave no potential on the
/// ground: what they are there for.
TEST(Medium, PerfectGroundIsAtZeroPotential) {
  const Medium medium = Medium::perfect_ground();
  ASSERT_LE(medium.sources(), Medium::max_sources);
  const Element e = {{0.3, -0.2, 0.5}, {0.48, 0.6, 0.64}, 0.7, 0.01};
  for (const Vec3 at : {Vec3{0, 0, 0}, Vec3{1, 2, 0}, Vec3{-3, 0.1, 0}}) {
    double start = 0, end = 0, alone = 0;
    for (int s = 0; s < medium.sources(); ++s) {
      const Element source = medium.source(e, s);
      start += medium.factor(s) / norm(at - source.start_m);
      end += medium.factor(s) /
             norm(at - (source.start_m + source.length_m * source.tangent));
      if (s == 0) alone = start;
    }
    EXPECT_NEAR(start, 0, 1e-15 * alone);
    EXPECT_NEAR(end, 0, 1e-15 * alone);
  }
}

/// Currents along the ground cancel with their images, upright ones double: tangential E
/// vanishes there and H does not.
TEST(Medium, ImagesOfCurrentsAreThoseOfTheCharges) {
  const Medium medium = Medium::perfect_ground();
  const Element e = {{0, 0, 1}, {0.36, 0.48, 0.8}, 1, 0.01};
  Vec3 sum;
  for (int s = 0; s < medium.sources(); ++s)
    sum = sum + medium.factor(s) * medium.source(e, s).tangent;
  EXPECT_EQ(sum, (Vec3{0, 0, 1.6}));
}

}  // namespace
}  // namespace thinwire
