#include "mom/polarization.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/constants.h"
#include "kernels/error.h"

namespace thinwire {
namespace {

constexpr Complex j{0, 1};

Complex phasor(double magnitude, double phase_deg) {
  return std::polar(magnitude, phase_deg * pi / 180.0);
}

TEST(Polarization, LinearFieldsKeepTheirTilt) {
  const Polarization vertical = polarization(3.0, 0.0);
  EXPECT_EQ(vertical.sense, Sense::linear);
  EXPECT_DOUBLE_EQ(vertical.tilt_deg, 0);
  EXPECT_DOUBLE_EQ(vertical.major, 3);
  EXPECT_DOUBLE_EQ(vertical.minor, 0);

  const Polarization horizontal = polarization(0.0, 2.0 * j);
  EXPECT_EQ(horizontal.sense, Sense::linear);
  EXPECT_DOUBLE_EQ(std::abs(horizontal.tilt_deg), 90);

  const Polarization slanted = polarization(phasor(1, 33), phasor(std::sqrt(3.0), 33));
  EXPECT_EQ(slanted.sense, Sense::linear);
  EXPECT_NEAR(slanted.tilt_deg, 60, 1e-12);
  EXPECT_NEAR(polarization(1.0, -1.0).tilt_deg, -45, 1e-12);
}

TEST(Polarization, CircularFieldsTurnAsTheirPhaseSays) {
  // E = theta-hat cos wt + phi-hat sin wt (E_phi lags by 90 degrees) turns from theta-hat
  // to phi-hat: clockwise along r, right-handed.
  const Polarization right = polarization(1.0, -j);
  EXPECT_EQ(right.sense, Sense::right);
  EXPECT_NEAR(right.axial_ratio, 1, 1e-15);
  const Polarization left = polarization(1.0, j);
  EXPECT_EQ(left.sense, Sense::left);
  EXPECT_NEAR(left.axial_ratio, 1, 1e-15);
  // A common phase changes nothing.
  EXPECT_EQ(polarization(phasor(1, 170), phasor(1, -100)).sense, Sense::left);
}

TEST(Polarization, EllipseHasTheAxesThatTheFieldReachesInTime) {
  const Complex e_theta = phasor(1.3, 20), e_phi = phasor(0.7, 95);
  double largest = 0, smallest = 1e9;
  for (int i = 0; i < 200000; ++i) {
    const Complex turn = phasor(1, 360.0 * i / 200000);
    const double e = std::hypot((e_theta * turn).real(), (e_phi * turn).real());
    largest = std::max(largest, e);
    smallest = std::min(smallest, e);
  }
  const Polarization p = polarization(e_theta, e_phi);
  EXPECT_NEAR(p.major, largest, 1e-8);
  EXPECT_NEAR(p.minor, smallest, 1e-4);
  EXPECT_NEAR(p.axial_ratio, p.minor / p.major, 1e-15);
  EXPECT_EQ(p.sense, Sense::left);
}

TEST(Polarization, NoFieldHasNoSense) {
  const Polarization p = polarization(1e-11, Complex(0, 1e-11));
  EXPECT_EQ(p.sense, Sense::none);
  EXPECT_EQ(sense_name(p.sense), "");
  EXPECT_EQ(p.axial_ratio, 0);
}

TEST(Gains, IsotropicFieldHasZeroDecibel) {
  // P = 4 pi |r E|^2 / (2 eta0): gain 1.
  const double power_w = 2.0 * pi * 9.0 / eta0_ohm;
  const Gains g = gains(3.0, 0.0, power_w);
  EXPECT_NEAR(g.total, 0, 1e-12);
  EXPECT_NEAR(g.vertical, 0, 1e-12);
  EXPECT_NEAR(g.major, 0, 1e-12);
  EXPECT_EQ(g.horizontal, gain_floor_db);
  EXPECT_EQ(g.minor, gain_floor_db);
}

TEST(Gains, CircularFieldSharesItsPowerEqually) {
  const Gains g = gains(1.0, j, 2.0 * pi / eta0_ohm);
  EXPECT_NEAR(g.total, 10 * std::log10(2.0), 1e-12);
  for (const double part : {g.vertical, g.horizontal, g.major, g.minor})
    EXPECT_NEAR(part, 0, 1e-12);
}

TEST(Gains, WithoutPowerThereIsNoGain) {
  EXPECT_EQ(gains(1.0, 1.0, 0).total, gain_floor_db);
  EXPECT_EQ(gains(1.0, 1.0, std::nan("")).total, gain_floor_db);
}

TEST(Gains, NormalisedChoiceFollowsXnda) {
  const Gains g{.vertical = 3, .horizontal = 4, .major = 1, .minor = 2, .total = 5};
  for (int n = 1; n <= 5; ++n) EXPECT_EQ(normalised_choice(g, n), n);
  EXPECT_THROW(normalised_choice(g, 6), Error);
}

TEST(PatternPeak, FindsPeakAndOppositeDirection) {
  PatternResult pattern;
  pattern.theta_deg = {60, 120};
  pattern.phi_deg = {0, 90, 180, 270};
  pattern.gain_dbi = {1, 7, 2, 3, -1, -2, -3, -4};
  const PatternPeak peak = pattern_peak(pattern);
  EXPECT_EQ(peak.gain_dbi, 7);
  EXPECT_EQ(peak.theta_deg, 60);
  EXPECT_EQ(peak.phi_deg, 90);
  ASSERT_TRUE(peak.front_to_back_db);
  EXPECT_EQ(*peak.front_to_back_db, 11);

  pattern.theta_deg = {60, 80};
  EXPECT_FALSE(pattern_peak(pattern).front_to_back_db);
}

}  // namespace
}  // namespace thinwire
