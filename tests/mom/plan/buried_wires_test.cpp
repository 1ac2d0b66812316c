// Meshes and checks of wires in the ground.
#include "mom/plan/frequency_checks.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"

namespace thinwire::buried_wires_test {
namespace {

/// A rod from 1 m above the ground to 4 m below it, in segments of 1 m.
Problem rod(double frequency_hz, double radius_m = 0.005,
            const Ground& ground = Ground::sommerfeld(13, 0.005)) {
  Problem problem;
  problem.structure.add_wire(1, 5, {0, 0, -4}, {0, 0, 1}, radius_m);
  Run run;
  run.ground = ground;
  run.frequency_hz = {0.1e6, frequency_hz, 0.2e6};
  problem.runs.push_back(run);
  return problem;
}

Options as_given() {
  Options options;
  options.mesh = MeshChoice::as_given;
  return options;
}

TEST(BuriedWires, AreTheElementsBelowAndTheirWaves) {
  const Problem problem = rod(10e6);
  const RunMeshes meshes(problem, as_given());
  const BuriedWires buried = max_buried_wires(problem, meshes);
  EXPECT_EQ(buried.elements, 4u);
  EXPECT_EQ(buried.frequency_hz, 10e6);
  // |sqrt(13 - j 8.988)| = 3.976.
  EXPECT_NEAR(buried.k_rad_per_m, 3.976 * 2 * pi / 29.979, 1e-3);
  EXPECT_NEAR(buried.longest_wavelengths, buried.k_rad_per_m / (2 * pi), 1e-12);
  EXPECT_NEAR(buried.thickest_ka, 0.005 * buried.k_rad_per_m, 1e-12);
  // Wires above do not count, nor those without such a ground.
  EXPECT_EQ(buried_wires(thinwire::Run(), meshes.of(0)).elements, 0u);
}

TEST(BuriedWires, HaveThirtyElementsAWavelengthAtTheHighestFrequency) {
  for (const double mhz : {1.0, 10.0, 30.0}) {
    const Problem problem = rod(mhz * 1e6);
    const BuriedWires buried = max_buried_wires(problem, RunMeshes(problem, Options()));
    EXPECT_LE(buried.longest_wavelengths, 1 / 30.0);
    EXPECT_GT(buried.longest_wavelengths, mhz > 5 ? 1 / 60.0 : 0);
  }
}

TEST(BuriedWires, RunsWithoutWiresBelowShareTheirMeshAtAllFrequencies) {
  Problem problem = rod(10e6);
  problem.structure = Structure();
  problem.structure.add_wire(1, 5, {0, 0, 1}, {0, 0, 4}, 0.001);
  problem.runs.push_back(problem.runs[0]);
  problem.runs[1].frequency_hz = {30e6};
  EXPECT_TRUE(RunMeshes(problem, Options()).same(0, 1));
}

TEST(BuriedWires, LongElementsAreWarnedOfOrRefused) {
  const auto check = [](const Problem& problem) {
    return check_buried_wires(problem, RunMeshes(problem, as_given()));
  };
  EXPECT_EQ(check(rod(5e6)).size(), 0u);
  const auto warnings = check(rod(30e6));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "geometry: tag 1 segment 1 is 0.366 wavelengths in the ground long at 30 "
            "MHz: give it "
            "more segments, or take --mesh graded");
  try {
    (void)check(rod(100e6));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "geometry: tag 1 segment 1 is 1.2 wavelengths in the ground long at 100 MHz "
        "(limit 1). Give it more segments, or take --mesh graded.");
  }
}

TEST(BuriedWires, ThickOnesAreWarnedOfOrRefused) {
  const auto check = [](double radius_m) {
    const Problem problem = rod(1e6, radius_m, Ground::sommerfeld(81, 5));
    return check_buried_wires(problem, RunMeshes(problem, Options()));
  };
  EXPECT_EQ(check(0.05).size(), 0u);
  ASSERT_EQ(check(0.1).size(), 1u);
  EXPECT_EQ(check(0.1)[0],
            "geometry: tag 1 segment 1 is 0.628 wavelengths in the ground around at 1 "
            "MHz: give it "
            "a smaller radius: thin-wire methods end there");
  EXPECT_THROW((void)check(0.4), Error);
}

TEST(BuriedWires, SheathsThroughTheSurfaceAreRefused) {
  Problem problem = rod(10e6);
  problem.structure = Structure();
  problem.structure.add_wire(1, 5, {0, 0, -0.03}, {5, 0, -0.03}, 0.001);
  const auto check = [&](double radius_m) {
    problem.runs[0].loads = {{Load::Kind::insulation, 0, 4, {2.3, 0, radius_m}}};
    check_buried_wires(problem, RunMeshes(problem, as_given()));
  };
  EXPECT_NO_THROW(check(0.02));
  EXPECT_THROW(check(0.05), Error);
}

}  // namespace
}  // namespace thinwire::buried_wires_test
