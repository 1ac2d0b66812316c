#include "kernels/ground/ground_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace thinwire {
namespace {

/// Near pairs are searched for by ground_reach: beyond it none may be near.
TEST(GroundOrder, IsNever0BeyondTheReachOfBoth) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> exponent(-3, 0.3), share(0.1, 1);
  int finite = 0;
  for (const Complex eps :
       {Complex(1.5), Complex(13, -0.5), Complex(80, -2), Complex(81, -900)}) {
    for (int i = 0; i < 4000; ++i) {
      const GroundWaves waves = GroundWaves::of(
          2 * 3.14159, eps, i % 2 == 0 ? GroundSide::above : GroundSide::below);
      const double longer = 0.5 * std::pow(10, exponent(random)),
                   shorter = longer * share(random);
      const double reach = ground_reach(longer, waves) + ground_reach(shorter, waves);
      if (!std::isfinite(reach)) continue;
      ++finite;
      for (const double farther : {1.0, 1.3, 10.0})
        EXPECT_GT(ground_order(farther * reach, longer, waves), 0)
            << longer << ' ' << shorter << ' ' << eps;
    }
  }
  EXPECT_GT(finite, 1000);
}

TEST(GroundOrder, OfElementsAtTheImageIs0) {
  EXPECT_EQ(ground_order(0.01, 0.01, GroundWaves::of(6.28, {13, -0.5})), 0);
}

// Below, all goes with the wave in the ground, so that the orders follow it.
TEST(GroundOrder, BelowFollowsTheWaveInTheGround) {
  const Complex eps = {80, -0.6};
  const double wavelength = 2 * 3.14159 / std::abs(std::sqrt(eps));
  const GroundWaves above = GroundWaves::of(1, eps),
                    below = GroundWaves::of(1, eps, GroundSide::below);
  const double length = 0.1 * wavelength;
  EXPECT_EQ(ground_order(30 * length, length, above), 2);
  EXPECT_EQ(ground_order(30 * length, length, below), 3);
  EXPECT_EQ(ground_order(30 * length, 0.3 * length, below), 2);
}

TEST(GroundWaves, InTheGroundDieOut) {
  const GroundWaves waves = GroundWaves::of(1, {0, -8});  // k2 = 2 - 2j
  EXPECT_NEAR(waves.decay, 2, 1e-12);
  EXPECT_NEAR(waves.fastest(7.9), std::sqrt(8.0), 1e-12);
  EXPECT_EQ(waves.fastest(8.1), 1);
}

}  // namespace
}  // namespace thinwire
