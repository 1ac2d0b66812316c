// Derivatives of impedances and gains by parameters, against differences of whole
// solutions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "kernels/base/error.h"
#include "tests/messages.h"
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

/// With a pattern of two directions, which no symmetry distinguishes, and those opposite.
Problem with_pattern(Problem problem) {
  PatternRequest request = {.theta_count = 2,
                            .phi_count = 2,
                            .theta_start_deg = 65,
                            .phi_start_deg = 25,
                            .theta_step_deg = 50,
                            .phi_step_deg = 180};
  for (Run& run : problem.runs) run.patterns = {request};
  return problem;
}

/// Gain and front-to-back ratio as GainDerivatives has them, in one of the directions.
struct Gain {
  double gain_db, front_to_back_db;
};
Gain gain_of(const FrequencyResult& result, const Ground& ground,
             const GainDerivatives& where) {
  const std::vector<double>& gains = result.patterns.at(0).gain_dbi;
  const std::size_t t = where.theta_deg < 90 ? 0 : 1, p = where.phi_deg < 180 ? 0 : 1,
                    back = ground == Ground::none ? 1 - t : t;
  return {gains.at(2 * t + p), gains.at(2 * t + p) - gains.at(2 * back + 1 - p)};
}

/// Expects the derivatives of all ports, gains and front-to-back ratios to be those that
/// differences show, by steps of different lengths.
void expect_right(const Builder& bare, double value,
                  MeshChoice mesh = MeshChoice::graded) {
  const Builder build = [&](double p) { return with_pattern(bare(p)); };
  Options options = options_for(mesh);
  options.finer_tables = true;  // whose steps from cell to cell differences magnify
  const Solution solution = solve(varied(build, value), options);
  // Long steps where the errors of a ground's table are to average out.
  const double factor =
      bare(value).runs[0].ground.kind == Ground::Kind::sommerfeld ? 10 : 1;
  for (const double relative_step : {1e-3, 6e-4}) {
    const double step = factor * relative_step * std::abs(value);
    const auto at = [&](int n) { return solve(build(value + n * step), options); };
    const Solution less2 = at(-2), less = at(-1), more = at(1), more2 = at(2);
    for (std::size_t f = 0; f < solution.frequencies.size(); ++f) {
      const FrequencyResult& result = solution.frequencies[f];
      const auto derivative = [&](const auto& number) {
        const auto of = [&](const Solution& s) { return number(s.frequencies.at(f)); };
        return (8.0 * (of(more) - of(less)) - (of(more2) - of(less2))) / (12 * step);
      };
      ASSERT_EQ(result.impedance_derivative_ohm.size(), result.ports.size());
      for (std::size_t p = 0; p < result.ports.size(); ++p) {
        const Complex expected = derivative(
            [p](const FrequencyResult& r) { return r.ports[p].impedance_ohm; });
        EXPECT_LT(std::abs(result.impedance_derivative_ohm[p] - expected),
                  1e-6 * std::abs(expected))
            << "port " << p << ": " << result.impedance_derivative_ohm[p] << " "
            << expected;
      }
      ASSERT_EQ(result.gain_derivatives.size(), 1u);
      const GainDerivatives& got = result.gain_derivatives[0];
      const Ground ground = bare(value).runs[0].ground;
      const Gain now = gain_of(result, ground, got);
      EXPECT_NEAR(got.gain_dbi, now.gain_db, 1e-12);
      EXPECT_NEAR(got.front_to_back_db, now.front_to_back_db, 1e-12);
      const double gain = derivative(
          [&](const FrequencyResult& r) { return gain_of(r, ground, got).gain_db; });
      const double ratio = derivative([&](const FrequencyResult& r) {
        return gain_of(r, ground, got).front_to_back_db;
      });
      EXPECT_NEAR(got.gain_derivative_db.at(0), gain, 1e-6 * std::abs(gain));
      // The difference of two gains, of which each is right to 1e-6.
      EXPECT_NEAR(got.front_to_back_derivative_db.at(0), ratio,
                  1e-6 * std::max(std::abs(ratio), std::abs(gain)));
    }
  }
}

/// A fed dipole along z with another beside it, half a wavelength each.
Problem two_dipoles(double half_length_m, double distance_m, double radius_m = 1e-3) {
  Problem problem;
  problem.structure.add_wire(1, 9, {0, 0, -half_length_m}, {0, 0, half_length_m},
                             radius_m);
  problem.structure.add_wire(2, 9, {0, distance_m, -0.23}, {0, distance_m, 0.23}, 1e-3);
  test::feed(problem, 4);
  return problem;
}

/// A dipole of arms that hang down by an angle, in rad.
Problem drooping(double angle) {
  Problem problem;
  const Vec3 down{0.25 * std::cos(angle), 0, -0.25 * std::sin(angle)};
  problem.structure.add_wire(1, 5, {-down.x, 0, down.z}, {}, 1e-3);
  problem.structure.add_wire(2, 5, {}, down, 1e-3);
  test::feed(problem, 5);
  return problem;
}

/// On perfect ground, a tilted wire beside it.
Problem monopole(double height_m) {
  Problem problem;
  problem.structure.add_wire(1, 7, {0, 0, 0}, {0, 0, height_m}, 1e-3);
  problem.structure.add_wire(2, 7, {0.1, 0, 0.5 * height_m}, {0.3, 0.1, 0.3}, 1e-3);
  problem.ground_contact = true;
  test::feed(problem, 0).ground = Ground::perfect;
  return problem;
}

/// A level dipole over a ground, and a tilted wire beside it.
Problem level(double height_m, double turned, const Ground& ground) {
  Problem problem;
  problem.structure.add_wire(1, 7, {-0.23, 0, height_m}, {0.23, 0, height_m}, 1e-3);
  const Vec3 half{0.22 * std::cos(turned), 0.06, 0.22 * std::sin(turned)};
  const Vec3 centre{0.1, 0.2, 0.3};
  problem.structure.add_wire(2, 5, centre - half, centre + half, 1e-3);
  test::feed(problem, 3).ground = ground;
  return problem;
}

/// Alone, a thousandth of a wavelength long.
Problem short_dipole(double half_length_m) {
  Problem problem;
  problem.structure.add_wire(1, 5, {0, 0, -half_length_m}, {0, 0, half_length_m}, 1e-6);
  test::feed(problem, 2, 1e6);
  return with_pattern(problem);
}

TEST(RunGradients, OfLengthDistanceAndRadius) {
  expect_right([](double h) { return two_dipoles(h, 0.2); }, 0.24);
  expect_right([](double d) { return two_dipoles(0.24, d); }, 0.2);
  expect_right([](double d) { return two_dipoles(0.24, d); }, 0.004);
  expect_right([](double a) { return two_dipoles(0.24, 0.2, a); }, 1.1e-3,
               MeshChoice::as_given);
}

/// There the integral's logarithmic part ends where the element does.
TEST(RunGradients, OfElementsAsLongAsTheirRadius) {
  expect_right(
      [](double radius_m) {
        Problem problem;
        problem.structure.add_wire(1, 16, {0, 0, -0.25}, {0, 0, 0.25}, radius_m);
        problem.structure.add_wire(2, 9, {0, 0.2, -0.23}, {0, 0.2, 0.23}, 1e-3);
        test::feed(problem, 7);
        return problem;
      },
      0.03125, MeshChoice::as_given);
}

TEST(RunGradients, OfAnAngle) {
  expect_right(drooping, 0.6);
}

TEST(RunGradients, OfATiltFromSideBySide) {
  const Builder tilted = [](double tilt) {
    Problem problem = two_dipoles(0.24, 0.2);
    problem.structure.add_wire(3, 9, {0.05, 0, -0.2}, {0.05 + tilt - 1, 0, 0.2}, 1e-3);
    return problem;
  };
  expect_right(tilted, 1, MeshChoice::as_given);
}

TEST(RunGradients, OfSeveralPorts) {
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

TEST(RunGradients, OfLoadsAndWhatCarriesThem) {
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

Network line_between(double line_m, double impedance_ohm = 75) {
  Network line = {.segment = {4, 13},
                  .impedance_ohm = impedance_ohm,
                  .length_m = line_m,
                  .y22_s = {0, 0.01}};
  return line;
}

Problem joined_dipoles(double distance_m, std::vector<Network> networks) {
  Problem problem = two_dipoles(0.24, distance_m);
  problem.runs[0].networks = std::move(networks);
  return problem;
}

TEST(RunGradients, ThroughNetworks) {
  expect_right([](double d) { return joined_dipoles(d, {line_between(0.2)}); }, 0.2);
  expect_right([](double l) { return joined_dipoles(0.2, {line_between(l)}); }, 0.2);
  expect_right([](double z) { return joined_dipoles(0.2, {line_between(0.2, z)}); }, 75);
  expect_right(
      [](double y) {
        Network network = line_between(0);
        network.kind = Network::Kind::admittance;
        network.y11_s = {0.002, -y};
        network.y12_s = {0, 2 * y};
        return joined_dipoles(0.2, {network});
      },
      0.01);
}

TEST(RunGradients, ThroughLossyLinesAndLadders) {
  expect_right(
      [](double l) {
        Network network = line_between(l);
        network.loss_np_per_m[0] = 0.02;
        network.loss_np_per_m[1] = 0.001;
        return joined_dipoles(0.2, {network});
      },
      0.7);
  expect_right(
      [](double loss) {
        Network network = line_between(0.7, 75 + loss);
        network.loss_np_per_m[0] = loss;
        network.loss_np_per_m[1] = 0.1 * loss;
        return joined_dipoles(0.2, {network});
      },
      0.02);
  const auto ladder = [](double ratio, double henry) {
    Network network = line_between(0);
    network.kind = Network::Kind::ladder;
    network.branches.resize(3);
    network.branches[0].part.kind = Load::Kind::series_rlc;
    network.branches[0].part.value[1] = henry;
    network.branches[1].place = LadderBranch::Place::shunt;
    network.branches[1].part.value[1] = -200;
    network.branches[2].place = LadderBranch::Place::transformer;
    network.branches[2].part.value[0] = ratio;
    return joined_dipoles(0.2, {network});
  };
  expect_right([&](double ratio) { return ladder(ratio, 2e-8); }, 2);
  expect_right([&](double henry) { return ladder(2, henry); }, 2e-8);
  expect_right(
      [&](double d) { return joined_dipoles(d, ladder(2, 2e-8).runs[0].networks); }, 0.2);
}

/// There a line has no admittances.
TEST(RunGradients, ThroughLinesOfHalfWaves) {
  for (const double length_m : {0.5, 0.50005, 1.0})
    for (const bool crossed : {false, true}) {
      SCOPED_TRACE(length_m);
      const auto line = [&](double l) {
        Network network = line_between(l);
        network.crossed = crossed;
        return network;
      };
      expect_right([&](double l) { return joined_dipoles(0.2, {line(l)}); }, length_m);
      expect_right([&](double d) { return joined_dipoles(d, {line(length_m)}); }, 0.2);
    }
}

/// Side by side at half a wave, they share their currents in any way; a little longer,
/// in one, so that the equations' derivative there is not that of the solution.
TEST(RunGradients, RefusesLinesBetweenWhichCurrentsCircle) {
  const auto by_length = [](double l) {
    return joined_dipoles(0.2, {line_between(l), line_between(l, 50)});
  };
  EXPECT_TRUE(contains(
      test::error_message(ErrorKind::usage, [&] { solve(varied(by_length, 0.5), {}); }),
      "can circulate"));
  expect_right(by_length, 0.5005);
  // Where they rest, voltages and what enters both together change as they should.
  expect_right(
      [](double h) {
        Problem problem = two_dipoles(h, 0.2);
        problem.runs[0].networks = {line_between(0.5), line_between(0.5, 50)};
        return problem;
      },
      0.24);
}

TEST(RunGradients, OverPerfectGround) {
  expect_right(monopole, 0.24);
}

TEST(RunGradients, OverPerfectGroundThatWavesMeetAsSoil) {
  expect_right(
      [](double height_m) {
        Problem problem = monopole(height_m);
        problem.runs[0].ground = Ground::mininec(13, 0.005);
        return problem;
      },
      0.24);
}

TEST(RunGradients, OverRealGround) {
  const Ground soil = Ground::sommerfeld(13, 0.05), dry = Ground::sommerfeld(4, 0);
  expect_right([&](double height_m) { return level(height_m, 0.7, soil); }, 0.15);
  expect_right([&](double turned) { return level(0.1, turned, soil); }, 0.7);
  expect_right([&](double height_m) { return level(height_m, 0.7, dry); }, 0.15);
  expect_right(
      [&](double height_m) {
        Problem problem = monopole(height_m);
        problem.runs[0].ground = soil;
        return problem;
      },
      0.24);
}

TEST(RunGradients, OverGroundByReflectionCoefficients) {
  const Ground soil = Ground::coefficients(13, 0.05), dry = Ground::coefficients(4, 0),
               screen = Ground::coefficients(13, 0.005, {12, 6, 2e-3});
  for (const Ground& ground : {soil, dry, screen}) {
    SCOPED_TRACE(ground.relative_permittivity);
    SCOPED_TRACE(ground.screen.radials);
    expect_right([&](double height_m) { return level(height_m, 0.7, ground); }, 0.15);
    expect_right([&](double turned) { return level(0.1, turned, ground); }, 0.7);
    expect_right(
        [&](double height_m) {
          Problem problem = monopole(height_m);
          problem.runs[0].ground = ground;
          return problem;
        },
        0.24);
  }
}

TEST(RunGradients, OfScaleAndOfRotatedWires) {
  expect_right(
      [](double scale) {
        Problem problem = two_dipoles(0.24 * scale, 0.2 * scale, 1e-3 * scale);
        problem.runs[0].frequency_hz = {0.9 * test::one_metre_wave_hz,
                                        test::one_metre_wave_hz};
        return problem;
      },
      1.05);
  expect_right(
      [](double angle) {
        Problem problem = two_dipoles(0.24, 0.2);
        const Vec3 half{0, 0.2 * std::sin(angle), 0.2 * std::cos(angle)};
        const Vec3 centre{0.1, -0.15, 0.02};
        problem.structure.add_wire(3, 7, centre - half, centre + half, 1e-3);
        return problem;
      },
      0.7);
}

TEST(RunGradients, OfPortsLoadsAndLinesAtNodes) {
  expect_right(
      [](double h) {
        Problem problem = two_dipoles(h, 0.2);
        auto& run = problem.runs[0];
        run.sources[0].gap = Gap::end;
        Load load = {.first = 2, .last = 2, .value = {20}, .gap = Gap::start};
        load.value[1] = 100 * h;
        run.loads = {load};
        Network line = {
            .segment = {4, 13}, .impedance_ohm = 75, .gap = {Gap::end, Gap::start}};
        line.length_m = h;
        run.networks = {line};
        return problem;
      },
      0.24);
}

TEST(RunGradients, AShortDipolesGainStaysAsItGrows) {
  const Solution solution =
      solve(varied(short_dipole, 0.1), options_for(MeshChoice::as_given));
  const GainDerivatives& derivatives = solution.frequencies.at(0).gain_derivatives.at(0);
  const double sine = std::sin(65 * (pi / 180));
  EXPECT_NEAR(derivatives.gain_dbi, 10 * std::log10(1.5 * sine * sine), 1e-4);
  EXPECT_NEAR(derivatives.gain_derivative_db.at(0), 0, 1e-3);
}

TEST(RunGradients, IsRefusedWhereItIsNotKnown) {
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
  EXPECT_THROW(solve(over(Ground::sommerfeld(13, 0.005)), {}), Error);  // buried
  const auto over_screen = [](double screen_radius_m) {
    return varied(
        [&](double height_m) {
          return level(height_m, 0.7,
                       Ground::coefficients(13, 0.005, {12, screen_radius_m, 2e-3}));
        },
        0.15);
  };
  EXPECT_THROW(solve(over_screen(0.3), {}), Error);  // its edge lies between the wires
  EXPECT_NO_THROW(solve(over_screen(0.5), {}));
  const auto other_frequency = [](double f) {
    Problem problem = two_dipoles(0.24, 0.2);
    problem.runs[0].frequency_hz = {f};
    return problem;
  };
  EXPECT_THROW(solve(varied(other_frequency, 3e8), {}), Error);
}

}  // namespace
}  // namespace thinwire
