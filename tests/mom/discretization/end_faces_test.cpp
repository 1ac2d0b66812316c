// Thick dipoles fed through thin wires, whose flat faces are close to each other, against
// surfaces of revolution.
#include "mom/discretization/end_faces.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/mom/stepped_feeds_values.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::end_faces_test {
namespace {

constexpr double frequency_hz = 1e3;

/// Half of a dipole from the middle of its feed outwards, in a direction.
void add_half(const SteppedFeed& feed, Vec3 direction, bool inwards, Problem& problem) {
  double at_m = 0;
  for (const auto& part : feed.radius_length) {
    const double start_m = at_m == 0 ? part[1] / 3 : at_m, end_m = at_m + part[1];
    const int segments = at_m == 0 ? 1 : 41;
    const Vec3 first = start_m * direction, last = end_m * direction;
    problem.structure.add_wire(2, segments, inwards ? last : first,
                               inwards ? first : last, part[0]);
    at_m = end_m;
  }
}

double capacitance_f(Problem& problem, const Options& options = {}) {
  problem.runs[0].frequency_hz = {frequency_hz};
  const Complex z = solve(problem, options).frequencies.at(0).ports.at(0).impedance_ohm;
  return -1 / (2 * pi * frequency_hz * z.imag());
}

Problem dipole_of(const SteppedFeed& feed, Vec3 direction = {0, 0, 1},
                  bool inwards = false) {
  Problem problem;
  const auto& thin = feed.radius_length.front();
  problem.structure.add_wire(1, 1, (-thin[1] / 3) * direction, (thin[1] / 3) * direction,
                             thin[0]);
  add_half(feed, direction, inwards, problem);
  add_half(feed, -1.0 * direction, false, problem);
  problem.runs.emplace_back().sources = {test::volt_on(0)};
  return problem;
}

TEST(EndFaces, CapacitanceIsThatOfTheSurface) {
  for (const SteppedFeed& feed : stepped_feeds) {
    Problem problem = dipole_of(feed);
    const double c = capacitance_f(problem);
    EXPECT_NEAR(c / feed.closed_f, 1, 0.005) << feed.name;
    // Far ends are open tubes.
    EXPECT_NEAR(c / feed.open_f, 1, 0.001) << feed.name;
  }
}

/// By 3 and 10 %: the faces are 1/2 and 1/5 radius apart.
TEST(EndFaces, AreLeftOutWithProximity) {
  Options options;
  options.proximity = SwitchChoice::off;
  for (const auto& [feed, missing] : {std::pair(0, 0.0326), std::pair(1, 0.101)}) {
    Problem problem = dipole_of(stepped_feeds[feed]);
    EXPECT_NEAR(capacitance_f(problem, options) / stepped_feeds[feed].open_f, 1 - missing,
                0.002);
  }
}

TEST(EndFaces, FadeInWithTheStep) {
  for (const double ratio : {1.2, 1.5}) {
    const auto c = [&](double by) {
      SteppedFeed feed = stepped_feeds[1];
      feed.radius_length[0][0] = feed.radius_length[1][0] / (ratio * by);
      Problem problem = dipole_of(feed);
      return capacitance_f(problem);
    };
    EXPECT_NEAR(c(1 + 1e-6) / c(1 - 1e-6), 1, 1e-5) << ratio;
  }
}

TEST(EndFaces, DirectionsOfWiresDoNotMatter) {
  const SteppedFeed& feed = stepped_feeds.front();
  Problem upright = dipole_of(feed), turned = dipole_of(feed, {0.6, 0, 0.8}, true);
  EXPECT_NEAR(capacitance_f(turned) / capacitance_f(upright), 1, 1e-6);
}

/// A face opposite to its image in perfect ground: twice the dipole.
TEST(EndFaces, MonopoleOverPerfectGround) {
  for (const SteppedFeed& feed : stepped_feeds) {
    Problem monopole, dipole = dipole_of(feed);
    const auto& thin = feed.radius_length.front();
    monopole.ground_contact = true;
    monopole.structure.add_wire(1, 1, {0, 0, 0}, {0, 0, thin[1] / 3}, thin[0]);
    add_half(feed, {0, 0, 1}, false, monopole);
    monopole.runs.emplace_back().sources = {test::volt_on(0)};
    monopole.runs[0].ground = Ground::perfect;
    EXPECT_NEAR(capacitance_f(monopole) / (2 * capacitance_f(dipole)), 1, 1e-4)
        << feed.name;
  }
}

}  // namespace
}  // namespace thinwire::end_faces_test
