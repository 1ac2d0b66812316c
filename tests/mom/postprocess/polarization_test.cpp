#include "mom/postprocess/polarization.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"

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

TEST(Polarization, AgreesWithNec2cOnCrossedDipoles) {
  // nec2c 1.3, pattern rows of two crossed dipoles in quadrature and a slanted wire (GW 1
  // 11 0 -.25 0 0 .25 0 .001; GW 2 11 -.22 0 .3 .22 0 .3 .001; GW 3 11 0 0 1 .1 .1 1.4
  // .001; EX 0 1 6 0 1 0; EX 0 2 6 0 .3 1.2; 299.79 MHz; RP 0 4 5 0000 and 1000 10 5 40
  // 33).
  constexpr double input_power_w = 4.5426e-3 + 5.8318e-3;
  struct Row {
    double theta_magnitude, theta_phase_deg, phi_magnitude, phi_phase_deg;
    double vertical, horizontal, major, minor, total, axial_ratio, tilt_deg;
    Sense sense;
  };
  const Row rows[] = {
      {7.2723E-01, 142.94, 6.7959E-01, -117.80, -0.70, -1.29, -0.29, -1.82, 2.02, 0.8386,
       -33.57, Sense::left},
      {4.0595E-01, 106.88, 7.0723E-01, -119.32, -5.77, -0.95, -0.21, -9.34, 0.29, 0.3497,
       -65.08, Sense::left},
      {1.9374E-02, -86.95, 7.1213E-01, -124.92, -32.19, -0.89, -0.88, -36.41, -0.88,
       0.0167, 88.77, Sense::right},
      {4.1979E-01, 136.61, 6.6696E-01, -128.26, -5.48, -1.46, -1.43, -5.53, -0.01, 0.6236,
       -84.72, Sense::left},
      {2.7652E-01, -147.31, 8.4891E-01, -87.67, -9.10, 0.64, 0.76, -10.51, 1.08, 0.2731,
       79.89, Sense::left},
      {5.6200E-01, -99.80, 3.4888E-01, -14.41, -2.94, -7.08, -2.93, -7.13, -1.53, 0.6163,
       4.61, Sense::left},
      {1.9434E-02, -107.42, 1.9453E-01, 144.41, -32.17, -12.16, -12.15, -32.62, -12.12,
       0.0948, -88.20, Sense::right},
  };
  for (const Row& row : rows) {
    const Complex e_theta = phasor(row.theta_magnitude, row.theta_phase_deg);
    const Complex e_phi = phasor(row.phi_magnitude, row.phi_phase_deg);
    const Polarization p = polarization(e_theta, e_phi);
    EXPECT_NEAR(p.axial_ratio, row.axial_ratio, 2e-4);
    EXPECT_NEAR(p.tilt_deg, row.tilt_deg, 0.02);
    EXPECT_EQ(p.sense, row.sense);
    const Gains g = gains(e_theta, e_phi, input_power_w);
    EXPECT_NEAR(g.vertical, row.vertical, 0.011);
    EXPECT_NEAR(g.horizontal, row.horizontal, 0.011);
    EXPECT_NEAR(g.major, row.major, 0.011);
    // The phases are printed to 0.01 degrees, which a thin ellipse feels.
    EXPECT_NEAR(g.minor, row.minor, 0.1);
    EXPECT_NEAR(g.total, row.total, 0.011);
  }
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
