// Derivatives of impedances by parameters, against differences of whole solutions.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "kernels/base/error.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using test::options_for;
using test::volt_on;

using Builder = std::function<Problem(double parameter)>;

Problem varied(const Builder& build, double value) {
  const double step = 1e-5 * std::abs(value);
  Problem problem = build(value);
  problem.parameters.push_back({"p", value, step,
                                std::make_shared<Problem>(build(value - step)),
                                std::make_shared<Problem>(build(value + step))});
  return problem;
}

/// Expects the derivatives of all ports to be those that differences show.
void expect_right(const Builder& build, double value,
                  MeshChoice mesh = MeshChoice::graded) {
  const Options options = options_for(mesh);
  const Solution solution = solve(varied(build, value), options);
  const FrequencyResult& result = solution.frequencies.at(0);
  ASSERT_EQ(result.impedance_slope_ohm.size(), result.ports.size());
  const double step = 1e-3 * std::abs(value);
  const auto at = [&](int n) {
    return solve(build(value + n * step), options).frequencies.at(0).ports;
  };
  const auto less2 = at(-2), less = at(-1), more = at(1), more2 = at(2);
  for (std::size_t p = 0; p < result.ports.size(); ++p) {
    const auto z = [p](const std::vector<PortResult>& ports) {
      return ports[p].impedance_ohm;
    };
    const Complex expected =
        (8.0 * (z(more) - z(less)) - (z(more2) - z(less2))) / (12 * step);
    EXPECT_LT(std::abs(result.impedance_slope_ohm[p] - expected),
              1e-6 * std::abs(expected))
        << "port " << p << ": " << result.impedance_slope_ohm[p] << " " << expected;
  }
}

/// A fed dipole along z with another beside it, half a wavelength each.
Problem two_dipoles(double half_length_m, double distance_m, double radius_m = 1e-3) {
  Problem problem;
  problem.structure.add_wire(1, 9, {0, 0, -half_length_m}, {0, 0, half_length_m},
                             radius_m);
  problem.structure.add_wire(2, 9, {0, distance_m, -0.23}, {0, distance_m, 0.23}, 1e-3);
  Run run;
  run.frequency_hz = {test::one_metre_wave_hz};
  run.sources = {volt_on(4)};
  problem.runs = {run};
  return problem;
}

/// A dipole of arms that hang down by an angle, in rad.
Problem drooping(double angle) {
  Problem problem;
  const Vec3 down{0.25 * std::cos(angle), 0, -0.25 * std::sin(angle)};
  problem.structure.add_wire(1, 5, {-down.x, 0, down.z}, {}, 1e-3);
  problem.structure.add_wire(2, 5, {}, down, 1e-3);
  Run run;
  run.frequency_hz = {test::one_metre_wave_hz};
  run.sources = {volt_on(5)};
  problem.runs = {run};
  return problem;
}

/// On perfect ground, a tilted wire beside it.
Problem monopole(double height_m) {
  Problem problem;
  problem.structure.add_wire(1, 7, {0, 0, 0}, {0, 0, height_m}, 1e-3);
  problem.structure.add_wire(2, 7, {0.1, 0, 0.5 * height_m}, {0.3, 0.1, 0.3}, 1e-3);
  problem.ground_contact = true;
  Run run;
  run.frequency_hz = {test::one_metre_wave_hz};
  run.ground = Ground::perfect;
  run.sources = {volt_on(0)};
  problem.runs = {run};
  return problem;
}

TEST(ImpedanceGradient, OfLengthDistanceAndRadius) {
  expect_right([](double h) { return two_dipoles(h, 0.2); }, 0.24);
  expect_right([](double d) { return two_dipoles(0.24, d); }, 0.2);
  expect_right([](double d) { return two_dipoles(0.24, d); }, 0.004);
  expect_right([](double a) { return two_dipoles(0.24, 0.2, a); }, 1.1e-3,
               MeshChoice::as_given);
}

TEST(ImpedanceGradient, OfAnAngle) {
  expect_right(drooping, 0.6);
}

TEST(ImpedanceGradient, OfATiltFromSideBySide) {
  const Builder tilted = [](double tilt) {
    Problem problem = two_dipoles(0.24, 0.2);
    problem.structure.add_wire(3, 9, {0.05, 0, -0.2}, {0.05 + tilt - 1, 0, 0.2}, 1e-3);
    return problem;
  };
  expect_right(tilted, 1, MeshChoice::as_given);
}

TEST(ImpedanceGradient, OfSeveralPorts) {
  for (const bool current : {false, true})
    expect_right(
        [&](double d) {
          Problem problem = two_dipoles(0.24, d);
          problem.runs[0].sources.push_back(volt_on(13, {0.5, 1}));
          if (current) problem.runs[0].sources[1].current_a = Complex(0.01, 0.02);
          return problem;
        },
        0.2);
}

TEST(ImpedanceGradient, OfLoadsAndWhatCarriesThem) {
  const auto loaded = [](double h, double ohm) {
    Problem problem = two_dipoles(h, 0.2);
    problem.runs[0].loads = {{Load::Kind::impedance, 13, 13, {ohm, 30, 0}},
                             {Load::Kind::conductivity, 0, 8, {1e5, 0, 0}},
                             {Load::Kind::insulation, 9, 17, {3, 0, 3e-3}}};
    return problem;
  };
  expect_right([&](double h) { return loaded(h, 50); }, 0.24);
  expect_right([&](double ohm) { return loaded(0.24, ohm); }, 50);
}

TEST(ImpedanceGradient, ThroughNetworks) {
  const auto joined = [](double distance, double line_m) {
    Problem problem = two_dipoles(0.24, distance);
    Network line;
    line.segment[0] = 4;
    line.segment[1] = 13;
    line.impedance_ohm = 75;
    line.length_m = line_m;
    line.y22_s = {0, 0.01};
    problem.runs[0].networks = {line};
    return problem;
  };
  expect_right([&](double d) { return joined(d, 0.2); }, 0.2);
  expect_right([&](double l) { return joined(0.2, l); }, 0.2);
}

TEST(ImpedanceGradient, OverPerfectGround) {
  expect_right(monopole, 0.24);
}

TEST(ImpedanceGradient, IsRefusedWhereItIsNotKnown) {
  const auto over = [](const Ground& ground) {
    return varied(
        [&](double h) {
          Problem problem = two_dipoles(h, 0.2);
          problem.structure.add_wire(3, 3, {0, 0, 1}, {0, 0, 2}, 1e-3);
          problem.runs[0].ground = ground;
          return problem;
        },
        0.24);
  };
  EXPECT_THROW(solve(over(Ground::sommerfeld(13, 0.005)), {}), Error);
  const auto other_frequency = [](double f) {
    Problem problem = two_dipoles(0.24, 0.2);
    problem.runs[0].frequency_hz = {f};
    return problem;
  };
  EXPECT_THROW(solve(varied(other_frequency, 3e8), {}), Error);
}

}  // namespace
}  // namespace thinwire
