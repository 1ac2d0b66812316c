#include <atomic>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "mom/plan/planner.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

/// Two parallel dipoles, one of them with a resistor, in waves from a grid of directions.
Problem two_dipoles_in_waves(std::int64_t theta_count, std::int64_t phi_count) {
  Problem problem;
  problem.structure.add_wire(1, 11, {0, 0, 0.5}, {0, 0, 1}, 0.001);
  problem.structure.add_wire(2, 11, {0.2, 0, 0.5}, {0.2, 0.1, 1}, 0.001);
  thinwire::Run run;
  run.frequency_hz = {test::one_metre_wave_hz};
  Load load = {.first = 5, .last = 5, .value = {50}};
  run.loads = {load};
  run.waves = IncidentWaves{};
  run.waves->theta_count = theta_count;
  run.waves->phi_count = phi_count;
  run.waves->first.theta_deg = 10;
  run.waves->theta_step_deg = 1;
  run.waves->phi_step_deg = 3;
  problem.runs = {run};
  return problem;
}

TEST(Waves, AreSolvedTogetherAsEachAlone) {
  for (const Ground ground : {Ground::none, Ground::sommerfeld(13, 0.005)}) {
    Problem problem = two_dipoles_in_waves(40, 15);
    problem.runs[0].ground = ground;
    PatternRequest request = {.theta_count = 3, .theta_step_deg = 20};
    problem.runs[0].patterns = {request};
    const Solution all = solve(problem, {});
    ASSERT_EQ(all.frequencies.size(), 600u);
    for (const std::size_t i : {0, 41, 599}) {
      Problem single = problem;
      single.runs[0].waves = IncidentWaves{};
      single.runs[0].waves->first = problem.runs[0].waves->at(i);
      const FrequencyResult alone = solve(single, {}).frequencies.at(0),
                            &got = all.frequencies[i];
      ASSERT_TRUE(got.wave);
      EXPECT_EQ(got.wave->theta_deg, alone.wave->theta_deg);
      double size = 0;
      for (const Complex& current : alone.segment_current_a)
        size = std::max(size, std::abs(current));
      for (std::size_t s = 0; s < alone.segment_current_a.size(); ++s)
        EXPECT_LT(std::abs(got.segment_current_a[s] - alone.segment_current_a[s]),
                  1e-12 * size);
      EXPECT_NEAR(got.loss_power_w, alone.loss_power_w, 1e-12 * alone.loss_power_w);
      for (std::size_t d = 0; d < 3; ++d)
        EXPECT_NEAR(got.patterns.at(0).gain_dbi[d], alone.patterns.at(0).gain_dbi[d],
                    1e-9);
    }
  }
}

/// Compares fields and ports of some waves of a grid with those of each by itself: a
/// load, a line between the dipoles, two patterns and a near field.
void expect_results_of_each_alone(std::int64_t theta_count, std::int64_t phi_count,
                                  std::initializer_list<std::size_t> compared) {
  for (const Ground ground :
       {Ground::none, Ground::perfect, Ground::sommerfeld(13, 0.005),
        Ground::mininec(13, 0.005)}) {
    Problem problem = two_dipoles_in_waves(theta_count, phi_count);
    thinwire::Run& run = problem.runs[0];
    run.ground = ground;
    Network line = {.segment = {3, 16}, .impedance_ohm = 75, .length_m = 0.4};
    run.networks = {line};
    PatternRequest plain, parts;
    plain.theta_count = 3;
    plain.theta_step_deg = 40;
    plain.phi_count = 2;
    plain.phi_step_deg = 90;
    run.patterns = {plain};
    if (ground != Ground::none) {
      parts = plain;
      parts.mode = PatternRequest::Mode::circle;
      parts.second = SecondMedium{};
      parts.second->ground = Ground::sommerfeld(4, 0.001);
      parts.second->edge_m = 5;
      if (ground != Ground::perfect) run.patterns.push_back(parts);
    }
    NearFieldRequest near = {
        .count = {1, 2, 1}, .start = {0.6, 0, 0.3}, .step = {0, 0.5}};
    run.near_fields = {near};
    const Solution all = solve(problem, {});
    ASSERT_EQ(all.frequencies.size(), static_cast<std::size_t>(theta_count * phi_count));
    for (const std::size_t i : compared) {
      Problem single = problem;
      single.runs[0].waves = IncidentWaves{};
      single.runs[0].waves->first = problem.runs[0].waves->at(i);
      const FrequencyResult alone = solve(single, {}).frequencies.at(0),
                            &got = all.frequencies[i];
      ASSERT_EQ(got.network_ports.size(), 2u);
      for (std::size_t p = 0; p < 2; ++p)
        EXPECT_LT(test::relative_error(got.network_ports[p].voltage_v,
                                       alone.network_ports[p].voltage_v),
                  1e-10);
      ASSERT_EQ(got.patterns.size(), alone.patterns.size());
      for (std::size_t p = 0; p < got.patterns.size(); ++p) {
        EXPECT_EQ(got.patterns[p].theta_deg, alone.patterns[p].theta_deg);
        EXPECT_EQ(got.patterns[p].phi_deg, alone.patterns[p].phi_deg);
        EXPECT_EQ(got.patterns[p].reference_power_w, alone.patterns[p].reference_power_w);
        for (std::size_t d = 0; d < 6; ++d) {
          EXPECT_NEAR(got.patterns[p].gain_dbi[d], alone.patterns[p].gain_dbi[d], 1e-8);
          EXPECT_LT(
              std::abs(got.patterns[p].e_theta_v[d] - alone.patterns[p].e_theta_v[d]),
              1e-10);
        }
      }
      ASSERT_EQ(got.near_fields.at(0).field.size(), 6u);
      for (std::size_t c = 0; c < 6; ++c)
        EXPECT_LT(std::abs(got.near_fields[0].field[c] - alone.near_fields[0].field[c]),
                  1e-9);
      EXPECT_NEAR(got.loss_power_w, alone.loss_power_w, 1e-10 * alone.loss_power_w);
      for (std::size_t s = 0; s < got.segment_current_a.size(); ++s) {
        EXPECT_LT(std::abs(got.segment_current_a[s] - alone.segment_current_a[s]), 1e-13);
        EXPECT_LT(
            std::abs(got.segment_charge_c_per_m[s] - alone.segment_charge_c_per_m[s]),
            1e-21);
      }
    }
  }
}

TEST(Waves, HaveTheFieldsAndPortsOfEachAlone) {
  expect_results_of_each_alone(15, 8, {3, 77});
}

TEST(Waves, OfRingsHaveTheFieldsAndPortsOfEachAlone) {
  // By interpolation between waves of the same theta.
  expect_results_of_each_alone(2, 120, {0, 77, 239});
}

TEST(Waves, WeakBesideOthersOfTheirRingAreComputedByThemselves) {
  // A wire along x receives nothing of E_phi from phi = 0 and 180 degrees.
  Problem problem = two_dipoles_in_waves(1, 120);
  problem.structure = Structure();
  problem.structure.add_wire(1, 11, {0, 0, 0.5}, {0.5, 0, 0.5}, 0.001);
  problem.runs[0].waves->first.eta_deg = 90;
  const Solution solution = solve(problem, {});
  const auto current_a = [&](std::size_t i) {
    return std::abs(solution.frequencies.at(i).segment_current_a[5]);
  };
  for (const std::size_t i : {0, 60}) {
    EXPECT_LT(current_a(i), 1e-15 * current_a(30));
    EXPECT_LT(solution.frequencies[i].solver.relative_residual, 1e-9);
  }
}

TEST(Waves, AreSolvedOneByOneInAFastSweep) {
  // Currents of a frequency in between are modelled wave by wave.
  Problem problem = two_dipoles_in_waves(12, 6);
  problem.runs[0].frequency_hz.clear();
  for (int f = 0; f < 40; ++f)
    problem.runs[0].frequency_hz.push_back(test::one_metre_wave_hz * (0.9 + 0.005 * f));
  Options fast;
  fast.sweep = SweepChoice::fast;
  const Solution modelled = solve(problem, fast), full = solve(problem, {});
  ASSERT_EQ(modelled.frequencies.size(), full.frequencies.size());
  std::size_t models = 0;
  for (std::size_t i = 0; i < full.frequencies.size(); ++i) {
    models += modelled.frequencies[i].solver.model_error ? 1 : 0;
    const Complex got = modelled.frequencies[i].segment_current_a[5],
                  right = full.frequencies[i].segment_current_a[5];
    EXPECT_LT(std::abs(got - right), 1e-6 * std::abs(right) + 1e-9);
  }
  EXPECT_GT(models, 0u);
}

TEST(Waves, TellProgressThatNeverFalls) {
  const Problem problem = two_dipoles_in_waves(90, 15);
  Options options;
  double last = 0;
  int told = 0;
  options.monitor = Monitor([&](const Progress& progress) {
    EXPECT_GE(progress.fraction, last) << progress.step;
    last = progress.fraction;
    told += progress.step == "waves" ? 1 : 0;
  });
  (void)solve(problem, options);
  EXPECT_GE(told, 3);
}

TEST(Waves, StopWhereAStopIsAskedFor) {
  const Problem problem = two_dipoles_in_waves(90, 15);
  std::atomic<bool> stop = false;
  int told = 0;
  Options options;
  options.monitor = Monitor(
      [&](const Progress& progress) {
        if (progress.step == "waves") {
          ++told;
          stop = true;
        }
      },
      &stop);
  EXPECT_THROW((void)solve(problem, options), Error);
  EXPECT_EQ(told, 1);
}

TEST(Waves, CountInThePredictedTime) {
  Options options;
  options.device = {DeviceRequest::Kind::cpu};
  const auto seconds = [&](std::int64_t theta_count, std::int64_t phi_count,
                           bool fields) {
    Problem problem = two_dipoles_in_waves(theta_count, phi_count);
    NearFieldRequest request;
    request.count[0] = 200;
    if (fields) problem.runs[0].near_fields = {request};
    return plan(problem, options).predicted_seconds;
  };
  EXPECT_GT(seconds(10000, 2, false), 20 * seconds(100, 2, false));
  EXPECT_GT(seconds(100, 100, true), 1.2 * seconds(100, 100, false));
  // Rings of many waves are interpolated.
  const FieldPlaces rings = workload(two_dipoles_in_waves(100, 200), options).fields;
  EXPECT_EQ(rings.waves, 20000u);
  EXPECT_LT(rings.formed_waves, 8000u);
}

}  // namespace
}  // namespace thinwire
