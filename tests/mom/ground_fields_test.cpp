// Near fields in the air over real ground: Maxwell's equations, power, the far field.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "closed_surface.h"
#include "kernels/base/quadrature.h"
#include "mom/postprocess/near_fields.h"
#include "wire_antennas.h"

namespace thinwire::ground_fields_test {
namespace {

using test::one_metre_wave_hz;
using test::options_for;
using test::volt_on;
using Field = NearFieldRequest::Field;

/// An inverted V, bent and tilted, close to a ground, wavelength 1 m.
Problem bent_over(const Ground& ground) {
  Problem problem;
  problem.structure.add_wire(1, 7, {-0.25, 0, 0.02}, {0, 0, 0.2}, 1e-3);
  problem.structure.add_wire(2, 7, {0, 0, 0.2}, {0.2, 0.1, 0.02}, 1e-3);
  test::feed(problem, 6).ground = ground;
  return problem;
}

NearFieldRequest at(Field field, Vec3 r) {
  NearFieldRequest request = {.field = field, .start = {r.x, r.y, r.z}};
  return request;
}

/// One thread: many short loops.
Options as_given() {
  Options options = options_for(MeshChoice::as_given);
  options.threads = 1;
  return options;
}

using ComplexPoint = std::array<Complex, 3>;

/// The fields at one point after another.
std::vector<ComplexPoint> fields_of(Problem problem, Field field,
                                    const std::vector<Vec3>& points) {
  for (const Vec3 r : points) problem.runs[0].near_fields.push_back(at(field, r));
  const auto solved = solve(problem, as_given());
  std::vector<ComplexPoint> fields;
  for (const NearFieldResult& result : solved.frequencies.at(0).near_fields)
    fields.push_back({result.field[0], result.field[1], result.field[2]});
  return fields;
}

double size_of(const ComplexPoint& v) {
  return std::sqrt(std::norm(v[0]) + std::norm(v[1]) + std::norm(v[2]));
}

// H = j / (k eta) curl E in the air, from between wires and ground to far away.
TEST(GroundFields, MagneticIsTheCurlOfElectric) {
  for (const Ground& ground : {Ground::sommerfeld(13, 0.05), Ground::sommerfeld(5, 0),
                               Ground::sommerfeld(81, 5)})
    for (const Vec3 r : {Vec3{-0.1, 0.02, 0.03}, {0.1, 0.3, 0.1}, {0.5, -0.4, 2e-3}}) {
      const double h = 0.1 * r.z;
      std::vector<Vec3> points;
      for (const int axis : {0, 1, 2})
        for (const double step : {-2 * h, -h, h, 2 * h})
          points.push_back(r + step * Vec3{axis == 0 ? 1.0 : 0, axis == 1 ? 1.0 : 0,
                                           axis == 2 ? 1.0 : 0});
      const auto e = fields_of(bent_over(ground), Field::electric, points);
      const auto derivative = [&](int axis, int component) {
        const auto of = [&](int i) { return e[4 * axis + i][component]; };
        return (8.0 * (of(2) - of(1)) - (of(3) - of(0))) / (12 * h);
      };
      const Complex factor(0, 1 / (2 * pi * eta0_ohm));
      const ComplexPoint want = {factor * (derivative(1, 2) - derivative(2, 1)),
                                 factor * (derivative(2, 0) - derivative(0, 2)),
                                 factor * (derivative(0, 1) - derivative(1, 0))};
      const ComplexPoint got = fields_of(bent_over(ground), Field::magnetic, {r}).front();
      EXPECT_LT(size_of({got[0] - want[0], got[1] - want[1], got[2] - want[2]}),
                1e-4 * size_of(got))
          << ground.relative_permittivity << ' ' << r.z;
    }
}

// The power that leaves through a half sphere and through the ground's surface in it is
// the input power.
TEST(GroundFields, PowerLeavesUpAndDown) {
  constexpr double radius = 0.6;
  for (const Ground& ground : {Ground::sommerfeld(13, 0.05), Ground::sommerfeld(5, 0)}) {
    test::SurfaceOfRotation sphere(16), disc(16);
    const GaussRule rule = gauss_rule(16);
    for (int panel = 0; panel < 2; ++panel)
      for (int b = 0; b < rule.points; ++b) {
        const double x = 0.25 * (2 * panel + 1 + rule.node[b]), w = 0.25 * rule.weight[b];
        const double sine = std::sqrt(1 - x * x);
        sphere.add_ring(radius * sine, radius * x, sine, x, w * radius / sine);
        disc.add_ring(radius * x, 0, 0, -1, w * radius);
      }
    FrequencyResult f;
    const double up = sphere.power_through(bent_over(ground), as_given(), f),
                 down = disc.power_through(bent_over(ground), as_given(), f);
    EXPECT_NEAR(up + down, f.input_power_w, 1e-3 * f.input_power_w);
    EXPECT_GT(down, 0.2 * f.input_power_w);
  }
}

// Along each segment the field's integral is minus the voltage applied there, as well as
// in free space (near_field_test.cpp).
TEST(GroundFields, OnAWireTheFieldIsTheAppliedOne) {
  constexpr int segments = 9, per_segment = 40;
  constexpr double low = 0.02, radius = 2e-3, length = 0.4 / segments;
  Problem problem;
  problem.structure.add_wire(1, segments, {-0.2, 0, low}, {0.2, 0, low}, radius);
  thinwire::Run& run =
      test::feed(problem, 4, test::one_metre_wave_hz, Ground::sommerfeld(13, 0.05));
  // Below and above the wire: the method tests the mean around it.
  NearFieldRequest along =
      at(Field::electric, {-0.2 + 0.5 * length / per_segment, 0, low - radius});
  along.count[0] = segments * per_segment;
  along.step[0] = length / per_segment;
  along.count[2] = 2;
  along.step[2] = 2 * radius;
  run.near_fields = {along};
  const auto field = solve(problem, options_for(MeshChoice::graded))
                         .frequencies.at(0)
                         .near_fields.at(0)
                         .field;
  for (int s = 1; s + 1 < segments; ++s) {
    Complex voltage = 0;
    for (int i = s * per_segment; i < (s + 1) * per_segment; ++i)
      voltage += 0.5 * length / per_segment *
                 (field[3 * i] + field[3 * (i + segments * per_segment)]);
    EXPECT_LT(std::abs(voltage + (s == 4 ? 1.0 : 0.0)), 0.02) << s;
  }
}

// r E e^{jkr} goes over into the pattern; what is left falls as 1 / r.
TEST(GroundFields, FarAwayAreThePattern) {
  Problem problem = bent_over(Ground::sommerfeld(13, 0.05));
  PatternRequest pattern = {.theta_start_deg = 50, .phi_start_deg = 30};
  problem.runs[0].patterns = {pattern};
  const double theta = 50 * pi / 180, phi = 30 * pi / 180;
  const Vec3 u = {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                  std::cos(theta)};
  const auto solved = solve(problem, as_given());
  const PatternResult& far = solved.frequencies.at(0).patterns.at(0);
  double error[2];
  for (int i = 0; i < 2; ++i) {
    const double r = i == 0 ? 100 : 1000;
    const ComplexPoint e = fields_of(problem, Field::electric, {r * u}).front();
    const Complex back = std::polar(r, 2 * pi * r);
    const Complex e_phi = back * (std::cos(phi) * e[1] - std::sin(phi) * e[0]);
    const Complex e_theta =
        back * (std::cos(theta) * (std::cos(phi) * e[0] + std::sin(phi) * e[1]) -
                std::sin(theta) * e[2]);
    error[i] = std::hypot(std::abs(e_theta - far.e_theta_v[0]),
                          std::abs(e_phi - far.e_phi_v[0])) /
               std::hypot(std::abs(far.e_theta_v[0]), std::abs(far.e_phi_v[0]));
  }
  EXPECT_LT(error[0], 3e-3);
  EXPECT_NEAR(error[1] / error[0], 0.1, 0.01);
}

}  // namespace
}  // namespace thinwire::ground_fields_test
