#include "mom/postprocess/cavity.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "tests/mom/wire_antennas.h"
#include "tests/mom/wire_grids.h"

namespace thinwire::cavity_test {
namespace {

/// A closed box of 0.7 x 0.6 x 0.5 m, a whip on its top; `finer` cells in 0.1 m.
Structure box(int finer, bool with_floor = true) {
  test::WireGrid grid(0.1 / finer);
  grid.add_whip({3 * finer, 3 * finer, 5 * finer}, 0.25, 6, 0.003);
  grid.add_box({0, 0, 0}, {7 * finer, 6 * finer, 5 * finer}, with_floor);
  return std::move(grid.structure);
}

TEST(Cavity, IsTheInsideOfClosedGrids) {
  for (const int finer : {1, 2, 4}) {
    const std::optional<Cavity> cavity = find_cavity(box(finer), 1);
    ASSERT_TRUE(cavity) << finer;
    EXPECT_NEAR(cavity->volume_m3, 0.21, 0.08 / finer) << finer;
    ASSERT_FALSE(cavity->samples_m.empty());
    for (const Vec3 p : cavity->samples_m) {
      EXPECT_TRUE(p.x > 0 && p.x < 0.7 && p.y > 0 && p.y < 0.6 && p.z > 0 && p.z < 0.5);
    }
  }
}

// Segments half as long as the cells of the grid.
TEST(Cavity, IsFoundWhereCellsHaveSeveralSegments) {
  Structure fine;
  const Structure coarse = box(1);
  for (const Segment& s : coarse.segments())
    fine.add_wire(s.tag, 2, s.start_m, s.end_m, s.radius_m);
  EXPECT_TRUE(find_cavity(fine, 1));
}

TEST(Cavity, IsNotFoundInOpenStructures) {
  EXPECT_FALSE(find_cavity(box(2, false), 1));
  EXPECT_FALSE(find_cavity(test::plate(20, 0.1), 1));
  Structure array;
  for (int i = 0; i < 64; ++i) {
    const Vec3 foot{0.5 * (i % 8), 0.5 * (i / 8), 0};
    array.add_wire(i + 1, 11, foot, foot + Vec3{0, 0, 0.5}, 0.001);
  }
  EXPECT_FALSE(find_cavity(array, 1));
  EXPECT_FALSE(find_cavity(box(2), 2));  // too small to resonate
}

TEST(Cavity, StoresWhatItsFieldSays) {
  const Cavity cavity{2, {{}, {}}};
  const std::vector<Complex> field = {1, 0, {0, 2}, 0, 3, 0};
  // omega eps0 E^2 V / 2 with the mean of E^2, 7.
  EXPECT_NEAR(stored_radians(cavity, field, 0.1, 1.5),
              2 * pi / 1.5 / eta0_ohm * 7 * 2 / 2 / 0.1, 1e-12);
}

/// The port, the pattern and the field inside of the box, and whether solve() warns.
struct Result {
  Complex impedance_ohm;
  double gain_dbi = 0, inside_v_per_m = 0;
  bool warned = false;
};

Result solved(int finer, double frequency) {
  Problem problem;
  problem.structure = box(finer);
  Run& run = test::feed(problem, 0, frequency * test::one_metre_wave_hz);
  PatternRequest& pattern = run.patterns.emplace_back();
  pattern.theta_start_deg = 60;
  pattern.phi_start_deg = 30;
  NearFieldRequest& inside = run.near_fields.emplace_back();
  inside.start[0] = 0.35;
  inside.start[1] = 0.3;
  inside.start[2] = 0.25;
  Options options = test::options_for(MeshChoice::as_given);
  options.solver = SolverChoice::direct;
  options.device.kind = DeviceRequest::Kind::cpu;
  const Solution solution = solve(problem, options);
  const FrequencyResult& got = solution.frequencies.at(0);
  Result result;
  result.impedance_ohm = got.ports[0].impedance_ohm;
  result.gain_dbi = got.patterns[0].gain_dbi[0];
  double sum = 0;
  for (const Complex value : got.near_fields[0].field) sum += std::norm(value);
  result.inside_v_per_m = std::sqrt(sum);
  result.warned = std::ranges::any_of(solution.warnings, [](const std::string& warning) {
    return warning.find("near a resonance of the space") == 0;
  });
  return result;
}

TEST(Cavity, IsNotWarnedOfBesideItsResonances) {
  const Result coarse = solved(1, 1), fine = solved(2, 1);
  EXPECT_FALSE(coarse.warned);
  EXPECT_FALSE(fine.warned);
  EXPECT_LT(test::relative_error(coarse.impedance_ohm, fine.impedance_ohm), 0.04);
  EXPECT_NEAR(coarse.gain_dbi, fine.gain_dbi, 0.05);
  EXPECT_NEAR(coarse.inside_v_per_m / fine.inside_v_per_m, 2.3, 0.2);
}

// The lowest mode of the box is at 1.0976; cells of 0.1 m lower it to 1.087.
TEST(Cavity, IsWarnedOfWhereItsFieldIsFarOff) {
  const Result coarse = solved(1, 1.0875), fine = solved(2, 1.0875);
  EXPECT_TRUE(coarse.warned);
  EXPECT_FALSE(fine.warned);
  EXPECT_GT(test::relative_error(coarse.impedance_ohm, fine.impedance_ohm), 0.06);
  EXPECT_NEAR(coarse.gain_dbi, fine.gain_dbi, 0.05);
  EXPECT_GT(coarse.inside_v_per_m, 10 * fine.inside_v_per_m);
}

}  // namespace
}  // namespace thinwire::cavity_test
