#include "kernels/ground/plane_wave.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/constants.h"

namespace thinwire {
namespace {

TEST(PlaneWave, ReflectsAsFresnelSays) {
  // Straight up, n = 3: (n - 1) / (n + 1) of H, minus that of E.
  const PlaneWaveReflection up = plane_wave_reflection(9.0, 1);
  EXPECT_NEAR(up.theta.real(), 0.5, 1e-15);
  EXPECT_NEAR(up.phi.real(), -0.5, 1e-15);
  // Brewster's angle: tan theta = n.
  EXPECT_LT(std::abs(plane_wave_reflection(9.0, 1 / std::sqrt(10.0)).theta), 1e-15);
  // Along the surface all is reflected with the opposite sign.
  EXPECT_NEAR(plane_wave_reflection({9, -2}, 0).theta.real(), -1, 1e-15);
  EXPECT_NEAR(plane_wave_reflection({9, -2}, 0).phi.real(), -1, 1e-14);
  // A conductor, and nothing.
  EXPECT_LT(std::abs(plane_wave_reflection({1, -1e16}, 0.5).theta - 1.0), 1e-7);
  EXPECT_LT(std::abs(plane_wave_reflection({1, -1e16}, 0.5).phi + 1.0), 1e-7);
  EXPECT_EQ(plane_wave_reflection(1.0, 0.5).phi, 0.0);
}

TEST(PlaneWave, IsNotReflectedByAirAlongTheHorizonEither) {
  const PlaneWaveReflection none = plane_wave_reflection(1.0, std::cos(pi / 2));
  EXPECT_EQ(none.theta, 0.0);
  EXPECT_EQ(none.phi, 0.0);
}

}  // namespace
}  // namespace thinwire
