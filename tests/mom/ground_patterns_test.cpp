// Patterns over grounds that are not the same everywhere, and below real ground.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels/base/quadrature.h"
#include "wire_antennas.h"

namespace thinwire::ground_patterns_test {
namespace {

using test::one_metre_wave_hz;
using test::options_for;
using test::volt_on;
using Mode = PatternRequest::Mode;

Options as_given() {
  Options options = options_for(MeshChoice::as_given);
  options.threads = 1;
  return options;
}

/// A tilted dipole over a ground, 30 MHz.
Problem tilted_over(const Ground& ground) {
  Problem problem;
  problem.structure.add_wire(1, 9, {-2, 0, 4}, {1, 0, 5}, 1e-3);
  test::feed(problem, 4, 30e6, ground);
  return problem;
}

/// At theta 40, 60 and 80 degrees, phi 0 and 90.
PatternRequest six_directions(Mode mode = Mode::plain) {
  PatternRequest request;
  request.mode = mode;
  request.theta_start_deg = 40;
  request.theta_step_deg = 20;
  request.theta_count = 3;
  request.phi_step_deg = 90;
  request.phi_count = 2;
  return request;
}

std::vector<PatternResult> patterns_of(Problem problem,
                                       std::vector<PatternRequest> requests) {
  problem.runs[0].patterns = std::move(requests);
  return solve(problem, as_given()).frequencies.at(0).patterns;
}

double difference(const PatternResult& a, const PatternResult& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.e_theta_v.size(); ++i)
    largest = std::max({largest, std::abs(a.e_theta_v[i] - b.e_theta_v[i]),
                        std::abs(a.e_phi_v[i] - b.e_phi_v[i])});
  return largest;
}

TEST(GroundPatterns, AreThoseOfOneGroundWhereBothMediaAreEqual) {
  for (const Ground& ground : {Ground::sommerfeld(13, 0.005), Ground::perfect}) {
    std::vector<PatternRequest> requests = {six_directions()};
    for (const Mode mode : {Mode::line, Mode::circle}) {
      requests.push_back(six_directions(mode));
      requests.back().second = SecondMedium{ground, 6, 0};
      // Nothing of another medium that is out of reach.
      requests.push_back(six_directions(mode));
      requests.back().second = SecondMedium{Ground::sommerfeld(81, 4), 1e5, 3};
    }
    const auto patterns = patterns_of(tilted_over(ground), requests);
    // The pieces of wire that are summed are shorter where places reflect differently.
    constexpr double of_pieces = 1e-10;
    for (std::size_t i = 1; i < patterns.size(); ++i) {
      EXPECT_LT(difference(patterns[i], patterns[0]), of_pieces) << i;
      EXPECT_LT(difference(patterns[i], patterns[1]), 1e-12) << i;
    }
  }
}

// The reflected wave alone takes the phase of the longer way.
TEST(GroundPatterns, LowerGroundShiftsTheReflectedWave) {
  const Ground ground = Ground::sommerfeld(13, 0.005);
  std::vector<PatternRequest> requests;
  for (const double drop_m : {0.0, 1.0, 2.5}) {
    requests.push_back(six_directions(Mode::line));
    requests.back().second = SecondMedium{ground, -1e5, drop_m};
  }
  const auto patterns = patterns_of(tilted_over(ground), requests);
  const double k = wavenumber_rad_per_m(30e6);
  for (int t = 0; t < 3; ++t) {
    const double way = 2 * k * std::cos((40 + 20 * t) * pi / 180);
    const Complex one = std::polar(1.0, -way) - 1.0,
                  two = std::polar(1.0, -2.5 * way) - 1.0;
    const auto at = static_cast<std::size_t>(2 * t);
    const Complex changes[] = {patterns[1].e_theta_v[at] - patterns[0].e_theta_v[at],
                               patterns[2].e_theta_v[at] - patterns[0].e_theta_v[at]};
    EXPECT_LT(std::abs(changes[1] * one - changes[0] * two), 1e-12);
    EXPECT_GT(std::abs(changes[0]), 1e-6);
  }
}

// As an edge moves on below an antenna, its rays pass it one after another: a hundredth
// of the way changes a few hundredths of the reflected wave, however few elements there
// are.
TEST(GroundPatterns, ChangeGraduallyAsAnEdgePassesBelow) {
  constexpr int steps = 100;
  std::vector<PatternRequest> requests;
  for (int i = 0; i <= steps; ++i) {
    PatternRequest request = {
        .mode = Mode::line, .theta_count = 1, .phi_count = 1, .theta_start_deg = 60};
    // Where the rays of the wire's ends meet the ground, and a little beyond.
    const double first = 4 * std::sqrt(3.0) - 2.1, last = 5 * std::sqrt(3.0) + 1.1;
    request.second =
        SecondMedium{Ground::sommerfeld(81, 4), first + (last - first) * i / steps, 0};
    requests.push_back(request);
  }
  const auto patterns = patterns_of(tilted_over(Ground::sommerfeld(13, 0.005)), requests);
  const double all = difference(patterns.front(), patterns.back());
  EXPECT_GT(all, 0.01 * std::abs(patterns[0].e_phi_v[0]) +
                     0.01 * std::abs(patterns[0].e_theta_v[0]));
  for (std::size_t i = 1; i < patterns.size(); ++i)
    EXPECT_LT(difference(patterns[i], patterns[i - 1]), 0.05 * all) << i;
}

// nec2c 1.3, GN 0 with 12 radials of 6 m, GD 81 4 at 20 m, 3 m lower: total gain of the
// deck that six_directions and tilted_over describe. Its screen is NEC-2's per segment.
TEST(GroundPatterns, AgreeWithNec2c) {
  const Ground ground = Ground::coefficients(13, 0.005, {12, 6, 2e-3});
  const std::pair<Mode, std::array<double, 6>> cases[] = {
      {Mode::screen, {-1.02, 3.82, -6.16, 6.06, -19.12, 0.82}},
      {Mode::screen_line, {-1.02, 3.82, -6.16, 6.06, -6.99, 0.82}},
      {Mode::screen_circle, {-1.02, 3.82, -6.16, 6.06, -6.99, 4.79}},
      {Mode::line, {-0.83, 3.93, -6.16, 6.06, -6.99, 0.82}},
      {Mode::circle, {-0.83, 3.93, -6.16, 6.06, -6.99, 4.79}},
  };
  std::vector<PatternRequest> requests;
  for (const auto& [mode, gains] : cases) {
    requests.push_back(six_directions(mode));
    requests.back().second = SecondMedium{Ground::sommerfeld(81, 4), 20, 3};
  }
  const auto patterns = patterns_of(tilted_over(ground), requests);
  for (std::size_t p = 0; p < patterns.size(); ++p)
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(patterns[p].gain_dbi[i], cases[p].second[i], 0.1) << p << ' ' << i;
}

// GN 3: currents as over a perfect conductor, waves reflected by Fresnel's coefficients.
TEST(GroundPatterns, OfMininecsGroundHaveTheCurrentsOfAPerfectOne) {
  const auto of = [](const Ground& ground) {
    Problem problem = tilted_over(ground);
    problem.runs[0].patterns = {six_directions()};
    return solve(problem, as_given()).frequencies.at(0);
  };
  const FrequencyResult perfect = of(Ground::perfect), real = of(Ground::mininec(13, 0)),
                        direct = of(Ground::mininec(1, 0));
  EXPECT_EQ(real.segment_current_a, perfect.segment_current_a);
  for (std::size_t i = 0; i < 6; ++i) {
    const double c = std::cos((40 + 20 * static_cast<double>(i / 2)) * pi / 180);
    const double below = std::sqrt(13 - 1 + c * c);
    const auto reflected = [&](const std::vector<Complex> PatternResult::*e,
                               const FrequencyResult& f) {
      return (f.patterns[0].*e)[i] - (direct.patterns[0].*e)[i];
    };
    EXPECT_LT(std::abs(reflected(&PatternResult::e_theta_v, real) -
                       (13 * c - below) / (13 * c + below) *
                           reflected(&PatternResult::e_theta_v, perfect)),
              1e-12);
    EXPECT_LT(
        std::abs(reflected(&PatternResult::e_phi_v, real) +
                 (c - below) / (c + below) * reflected(&PatternResult::e_phi_v, perfect)),
        1e-12);
  }
}

/// Power down over the power that is fed less that sent up, over ground without loss. The
/// pattern below has a root at the critical angle, towards which the nodes are spread
/// from both sides.
struct PowerShares {
  double up = 0, down = 0;  ///< over the input power
};

PowerShares power_shares(Problem problem, double eps) {
  constexpr int around = 16;
  const GaussRule rule = gauss_rule(16);
  const double critical = std::asin(1 / std::sqrt(eps));
  std::vector<double> weights;
  std::vector<PatternRequest> requests;
  for (const double width : {-critical, 0.5 * pi - critical})
    for (int b = 0; b < rule.points; ++b) {
      const double t = 0.5 * (1 + rule.node[b]), angle = critical + width * t * t;
      PatternRequest ring;
      ring.theta_start_deg = 180 - angle * 180 / pi;
      ring.phi_count = around;
      ring.phi_step_deg = 360.0 / around;
      requests.push_back(ring);
      weights.push_back(0.5 * rule.weight[b] * 2 * t * std::abs(width) * std::sin(angle) *
                        2 * pi / around);
    }
  problem.runs[0].patterns = requests;
  const FrequencyResult f = solve(problem, as_given()).frequencies.at(0);
  double down = 0;
  for (std::size_t r = 0; r < weights.size(); ++r)
    for (int i = 0; i < around; ++i)
      down +=
          weights[r] *
          (std::norm(f.patterns[r].e_theta_v[i]) + std::norm(f.patterns[r].e_phi_v[i])) /
          (2 * eta0_ohm);
  return {f.radiated_power_w.value() / f.input_power_w, down / f.input_power_w};
}

TEST(GroundPatterns, UpAndDownAreTheInputPower) {
  for (const double eps : {3.0, 13.0}) {
    Structure bent;
    bent.add_wire(1, 7, {-0.2, 0, 0.06}, {0, 0, 0.2}, 1e-3);
    bent.add_wire(2, 7, {0, 0, 0.2}, {0.2, 0.1, 0.06}, 1e-3);
    const auto [up, down] =
        power_shares(test::fed(bent, 6, Ground::sommerfeld(eps, 0)), eps);
    EXPECT_NEAR(up + down, 1, 1e-4) << eps;
    EXPECT_GT(down, 0.3);
  }
}

// Wires in the ground and through its surface.
TEST(GroundPatterns, UpAndDownAreTheInputPowerOfBuriedWires) {
  for (const double eps : {3.0, 13.0}) {
    const double shorter = 1 / std::sqrt(eps);
    Structure buried, through;
    buried.add_wire(1, 15, {-0.2 * shorter, 0, -0.05},
                    {0.25 * shorter, 0.1 * shorter, -0.09}, 1e-3);
    through.add_wire(1, 8, {0.05, 0, 0.23}, {0, 0, 0}, 1e-3);
    through.add_wire(2, 5, {0, 0, 0}, {0.05 * shorter, 0, -0.15 * shorter}, 1e-3);
    for (const Structure& structure : {buried, through}) {
      const auto [up, down] =
          power_shares(test::fed(structure, 7, Ground::sommerfeld(eps, 0)), eps);
      EXPECT_NEAR(up + down, 1, 1e-4) << eps << " " << up;
      EXPECT_GT(down, 0.3);
      EXPECT_GT(up, 0.01);
    }
  }
}

}  // namespace
}  // namespace thinwire::ground_patterns_test
