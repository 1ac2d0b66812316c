// Where the power goes over and in a ground with loss: up, into wires, into the ground.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "closed_surface.h"
#include "wire_antennas.h"

namespace thinwire {
namespace {

using test::options_for;
using test::SurfaceOfRotation;
using test::volt_on;

constexpr double frequency_hz = 10e6;
constexpr double wavelength_m = speed_of_light_m_per_s / frequency_hz;

constexpr int order = 12;

/// Around a wire this thin the power per logarithm of the distance is constant from its
/// surface out to the second radius; on the first, the four points that stand for its
/// circumference are as good as all.
constexpr double thin_m = 1e-6, near_m[] = {2e-5, 1e-4};

double on_the_wire(double on_first, double on_second) {
  return on_first + (on_first - on_second) * std::log(near_m[0] / thin_m) /
                        std::log(near_m[1] / near_m[0]);
}

/// z = 0 from rho_m on to infinity; power counts downward.
SurfaceOfRotation plane_from(double rho_m, int around, bool symmetric = false) {
  SurfaceOfRotation plane(around, symmetric);
  double inner = rho_m;
  for (double outer = rho_m > 0 ? 5 * rho_m : 0.5; inner < 5 * wavelength_m;) {
    plane.add_line(rho_m > 0 && outer < 1 ? 8 : order, inner, 0, outer, 0);
    inner = outer;
    outer *= rho_m > 0 && outer < 1 ? 5 : 2.5;
  }
  // Fields fall as 1 / rho^2 there: rho = inner / t.
  const GaussRule rule = gauss_rule(order);
  for (int i = 0; i < rule.points; ++i) {
    const double t = 0.5 * (1 + rule.node[i]);
    plane.add_ring(inner / t, 0, 0, -1, 0.5 * rule.weight[i] * inner / (t * t));
  }
  return plane;
}

/// A tube around a wire along z with nodes at these heights, next to which the field is
/// steep: distances from them are rho sinh u.
SurfaceOfRotation tube_around(double rho_m, const std::vector<double>& node_z_m) {
  SurfaceOfRotation tube(1);
  const GaussRule rule = gauss_rule(order);
  for (std::size_t n = 0; n + 1 < node_z_m.size(); ++n) {
    const double half = 0.5 * (node_z_m[n + 1] - node_z_m[n]);
    const double last = std::asinh(half / rho_m);
    for (int i = 0; i < rule.points; ++i) {
      const double u = 0.5 * last * (1 + rule.node[i]), from_node = rho_m * std::sinh(u);
      const double band = 0.5 * last * rule.weight[i] * rho_m * std::cosh(u);
      tube.add_ring(rho_m, node_z_m[n] + from_node, 1, 0, band);
      tube.add_ring(rho_m, node_z_m[n + 1] - from_node, 1, 0, band);
    }
  }
  return tube;
}

/// Fed on a segment in average soil, with 20 ohm there.
Problem fed_at(const Structure& structure, std::size_t fed) {
  Problem problem =
      test::fed(structure, fed, Ground::sommerfeld(13, 0.005), frequency_hz);
  Run& run = problem.runs[0];
  run.loads = {{Load::Kind::impedance, fed, fed, {20, 0, 0}}};
  run.patterns = {test::broadside()};
  return problem;
}

double power(const SurfaceOfRotation& surface, const Problem& problem,
             FrequencyResult& f) {
  return surface.power_through(problem, options_for(MeshChoice::as_given), f);
}

TEST(GroundPower, OfAWireAbove) {
  Structure bent;
  bent.add_wire(1, 7, {-5, 0, 2}, {0, 0, 4}, 2e-3);
  bent.add_wire(2, 7, {0, 0, 4}, {4, 3, 1.5}, 2e-3);
  FrequencyResult f;
  const double down = power(plane_from(0, 24), fed_at(bent, 6), f);
  EXPECT_NEAR(f.radiated_power_w.value() + down + f.loss_power_w, f.input_power_w,
              1e-4 * f.input_power_w);
  EXPECT_GT(down, 0.2 * f.input_power_w);
  EXPECT_GT(f.loss_power_w, 0.02 * f.input_power_w);
}

/// The power that comes up through the surface is radiated; a wire sends out its input
/// power, and the rest stays in the ground.
TEST(GroundPower, OfBuriedDipoles) {
  Structure flat;
  flat.add_wire(1, 5, {-0.6, 0, -0.8}, {0.6, 0, -0.8}, 2e-3);
  FrequencyResult f;
  const double up = -power(plane_from(0, 24, true), fed_at(flat, 2), f);
  EXPECT_NEAR(up, f.radiated_power_w.value(), 1e-3 * up);
  EXPECT_GT(up, 5e-5 * f.input_power_w);

  Structure upright;
  upright.add_wire(1, 5, {0, 0, -2.5}, {0, 0, -0.5}, thin_m);
  const Problem problem = fed_at(upright, 2);
  const double through = -power(plane_from(0, 1), problem, f);
  EXPECT_NEAR(through, f.radiated_power_w.value(), 1e-3 * through);
  const std::vector<double> nodes = {-2.5, -2.1, -1.7, -1.3, -0.9, -0.5};
  double out[2];
  for (int n = 0; n < 2; ++n) out[n] = power(tube_around(near_m[n], nodes), problem, f);
  EXPECT_NEAR(on_the_wire(out[0], out[1]) + f.loss_power_w, f.input_power_w,
              1e-3 * f.input_power_w);
  EXPECT_GT(out[0] - out[1], 0.05 * f.input_power_w);
}

/// Into the ground through its surface around the rod, and out of the rod: the function
/// that goes through the surface is tested on both sides together.
TEST(GroundPower, OfAMonopoleOnARod) {
  Structure monopole;
  monopole.add_wire(1, 9, {0, 0, 0}, {0, 0, 7}, thin_m);
  monopole.add_wire(2, 4, {0, 0, -1}, {0, 0, 0}, thin_m);
  const Problem problem = fed_at(monopole, 0);
  FrequencyResult f;
  double down[2];
  for (int n = 0; n < 2; ++n)
    down[n] = power(plane_from(near_m[n], 1), problem, f) +
              power(tube_around(near_m[n], {-1, -0.75, -0.5, -0.25, 0}), problem, f);
  const double into_ground = on_the_wire(down[0], down[1]);
  EXPECT_NEAR(f.radiated_power_w.value() + into_ground + f.loss_power_w, f.input_power_w,
              1e-3 * f.input_power_w);
  EXPECT_GT(into_ground, 0.2 * f.input_power_w);
  EXPECT_GT(f.loss_power_w, 0.02 * f.input_power_w);
}

}  // namespace
}  // namespace thinwire
