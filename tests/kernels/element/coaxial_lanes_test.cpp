#include "kernels/element/coaxial_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace thinwire {
namespace {

/// The largest difference of entries, relative to the largest entry.
double difference(const ElementMatrix& got, const ElementMatrix& want) {
  double off = 0, largest = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      off = std::max(off, std::abs(Complex(got.z[i][j]) - Complex(want.z[i][j])));
      largest = std::max(largest, std::abs(Complex(want.z[i][j])));
    }
  return off / largest;
}

double difference(const Element& p, const Element& q, double k, GreensKernel kernel) {
  return difference(near_pair_by_lanes(p, q, {}, k, kernel),
                    near_pair_turned(p, q, {}, k, kernel));
}

Element along_z(double x, double z, double length_m, double radius_m) {
  return {{x, 0, z}, {0, 0, 1}, length_m, radius_m};
}

// Lengths from a hundredth of the radius to a hundred radii, on each other, touching and
// apart; k from static to where the rings' series ends (k a > 0.1) and beyond.
TEST(CoaxialLanes, GiveTheMatricesOfCoaxialPairs) {
  int pairs = 0;
  for (const double k : {1e-6, 1e-3, 0.02, 0.2, 1.0})
    for (const double lp : {0.01, 1.0, 100.0})
      for (const double lq : {0.01, 0.7, 1.0, 100.0})
        for (const double b : {1.0, 1 + 1e-12, 0.6, 0.05})
          for (const double gap : {-1.0, -0.4, 0.0, 1e-9, 0.3, 3.0}) {
            if (k * std::max(lp, lq) > 2) continue;
            const Element p = along_z(0, 0, lp, 1), q = along_z(0, lp + gap * lq, lq, b);
            EXPECT_LT(difference(p, q, k, GreensKernel::exact), 1e-13)
                << k << " " << lp << " " << lq << " " << b << " " << gap;
            ++pairs;
          }
  EXPECT_GT(pairs, 500);
}

TEST(CoaxialLanes, LeaveOverlappingParallelTubesToTheBlend) {
  for (const double x : {1e-9, 0.01, 0.5, 1.9})
    for (const double z : {0.0, 2.0, 10.0})
      EXPECT_LT(
          difference(along_z(0, 0, 4, 1), along_z(x, z, 3, 1), 0.01, GreensKernel::exact),
          1e-13)
          << x << " " << z;
}

TEST(CoaxialLanes, TurnThePairFirst) {
  const Element p = along_z(0, 0, 4, 1), q = along_z(0, 4, 2, 1);
  for (int bits = 0; bits < 8; ++bits) {
    const PairSymmetry turns = PairSymmetry::of(static_cast<std::uint8_t>(bits));
    EXPECT_LT(difference(near_pair_by_lanes(p, q, turns, 0.1, GreensKernel::exact),
                         near_pair_turned(p, q, turns, 0.1, GreensKernel::exact)),
              1e-13)
        << bits;
  }
}

TEST(CoaxialLanes, LeaveAllOtherPairsAsTheyAre) {
  const Element p = along_z(0, 0, 4, 1), beside = along_z(3, 1, 4, 1),
                bent = {{0, 0, 4}, {1, 0, 0}, 3, 1};
  EXPECT_EQ(difference(p, beside, 0.1, GreensKernel::exact), 0);
  EXPECT_EQ(difference(p, bent, 0.1, GreensKernel::exact), 0);
  EXPECT_EQ(difference(p, along_z(0, 4, 4, 1), 0.1, GreensKernel::reduced), 0);
}

}  // namespace
}  // namespace thinwire
