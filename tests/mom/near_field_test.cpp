#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kernels/base/error.h"
#include "kernels/base/quadrature.h"
#include "mom/postprocess/near_fields.h"
#include "tests/mom/closed_surface.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using test::dipole;
using test::options_for;
using Field = NearFieldRequest::Field;
using Grid = NearFieldRequest::Grid;

NearFieldRequest request(Field field, Grid grid, std::array<std::int64_t, 3> count,
                         std::array<double, 3> start, std::array<double, 3> step) {
  NearFieldRequest r = {.field = field, .grid = grid};
  for (int i = 0; i < 3; ++i) {
    r.count[i] = count[i];
    r.start[i] = start[i];
    r.step[i] = step[i];
  }
  return r;
}

/// E or H on a grid with one count in every direction but the last.
NearFieldRequest along_z(Field field, Vec3 start, double step, std::int64_t count) {
  return request(field, Grid::rectangular, {1, 1, count}, {start.x, start.y, start.z},
                 {0, 0, step});
}

TEST(NearFieldPoints, RunAlongTheFirstAxisFirst) {
  const auto grid = near_field_points(
      request(Field::electric, Grid::rectangular, {2, 3, 2}, {1, 2, 3}, {0.1, 0.2, 0.3}));
  ASSERT_EQ(grid.size(), 12u);
  EXPECT_NEAR(norm(grid[1] - Vec3{1.1, 2, 3}), 0, 1e-15);
  EXPECT_NEAR(norm(grid[2] - Vec3{1, 2.2, 3}), 0, 1e-15);
  EXPECT_NEAR(norm(grid[6] - Vec3{1, 2, 3.3}), 0, 1e-15);
}

/// Rows of nec2c 1.3 for NE 1 2 2 3 3 10 20 1 30 40.
TEST(NearFieldPoints, SphericalAsNec2c) {
  const auto points = near_field_points(
      request(Field::electric, Grid::spherical, {2, 2, 3}, {3, 10, 20}, {1, 30, 40}));
  ASSERT_EQ(points.size(), 12u);
  EXPECT_NEAR(norm(points[0] - Vec3{1.0105, 0.1782, 2.8191}), 0, 1e-4);
  EXPECT_NEAR(norm(points[3] - Vec3{1.0480, 0.8794, 3.7588}), 0, 1e-4);
  EXPECT_NEAR(norm(points[10] - Vec3{2.2632, 1.8991, -0.5209}), 0, 1e-4);
}

/// Power through a sphere of the given radius over the input power, by Gauss and
/// trapezoid rules.
double power_through_sphere(const Problem& problem, const Options& options,
                            double radius_m, bool upper_half) {
  const GaussRule rule = gauss_rule(16);
  constexpr int around = 24, panels = 3;
  test::SurfaceOfRotation sphere(around);
  for (int p = 0; p < panels; ++p)
    for (int b = 0; b < rule.points; ++b) {
      const double low = upper_half ? 0 : -1, half = (1 - low) / (2 * panels);
      const double cosine = low + half * (2 * p + 1 + rule.node[b]),
                   sine = std::sqrt(1 - cosine * cosine);
      sphere.add_ring(radius_m * sine, radius_m * cosine, sine, cosine,
                      rule.weight[b] * half * radius_m / sine);
    }
  FrequencyResult f;
  const double power = sphere.power_through(problem, options, f);
  return power / f.input_power_w;
}

TEST(NearFields, PowerThroughAClosedSurfaceIsInputPower) {
  const Problem straight = dipole(0.25, 0.005, 21);
  for (const MeshChoice mesh : {MeshChoice::as_given, MeshChoice::graded})
    for (const double radius_m : {0.4, 1.0, 30.0})
      EXPECT_NEAR(power_through_sphere(straight, options_for(mesh), radius_m, false), 1,
                  1e-6)
          << radius_m;
}

TEST(NearFields, PowerThroughAHalfSphereOverGroundIsInputPower) {
  Problem problem;
  problem.structure.add_wire(1, 11, {-0.2, 0, 0.2}, {0.25, 0, 0.2}, 0.004);
  test::feed(problem, 5).ground = Ground::perfect;
  EXPECT_NEAR(power_through_sphere(problem, options_for(MeshChoice::graded), 0.7, true),
              1, 1e-6);
}

/// The method makes the tangential field vanish in the mean: its integral along each
/// segment is minus the voltage applied there.
TEST(NearFields, TangentialFieldOnTheWireIsTheAppliedOne) {
  const int segments = 11, per_segment = 100;
  Problem problem = dipole(0.25, 0.005, segments);
  const double step = 0.5 / (segments * per_segment);
  for (const double rho : {0.005, 0.05})
    problem.runs[0].near_fields.push_back(along_z(
        Field::electric, {rho, 0, -0.25 + 0.5 * step}, step, segments * per_segment));
  const FrequencyResult f =
      solve(problem, options_for(MeshChoice::graded)).frequencies.at(0);
  const auto& surface = f.near_fields[0].field;
  const auto& beside = f.near_fields[1].field;
  for (int s = 1; s + 1 < segments; ++s) {
    Complex voltage = 0;
    double normal = 0;
    for (int i = s * per_segment; i < (s + 1) * per_segment; ++i) {
      voltage += step * surface[3 * i + 2];
      normal += step * std::abs(surface[3 * i]);
    }
    const double length = 0.5 / segments;
    const double aside =
        length * std::abs(beside[3 * (s * per_segment + per_segment / 2) + 2]);
    const Complex applied = s == segments / 2 ? 1.0 : 0.0;
    EXPECT_LT(std::abs(voltage + applied), 0.015) << s;
    EXPECT_LT(std::abs(voltage + applied), 0.15 * aside) << s;
    EXPECT_GT(normal, 60 * std::abs(voltage + applied)) << s;
  }
}

TEST(NearFields, ProgressIsToldAndStopHeard) {
  Problem problem = dipole(0.25, 0.005, 11);
  problem.runs[0].near_fields = {along_z(Field::electric, {1, 0, 0}, 0.1, 10)};
  Options options;
  std::atomic<bool> stop = false;
  int told = 0;
  options.monitor = Monitor(
      [&](const Progress& progress) { told += progress.step == "near field"; }, &stop);
  EXPECT_EQ(solve(problem, options).frequencies.at(0).near_fields.at(0).field.size(),
            30u);
  EXPECT_EQ(told, 1);
  options.monitor = Monitor(
      [&](const Progress& progress) { stop = stop || progress.step == "near field"; },
      &stop);
  EXPECT_THROW(solve(problem, options), Error);
}

}  // namespace
}  // namespace thinwire
