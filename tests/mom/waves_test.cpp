#include <atomic>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "mom/plan/problem_plan.h"
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
  Load load;
  load.first = load.last = 5;
  load.value[0] = 50;
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
    PatternRequest request;
    request.theta_count = 3;
    request.theta_step_deg = 20;
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
  const auto seconds = [&](std::int64_t phi_count, bool fields) {
    Problem problem = two_dipoles_in_waves(100, phi_count);
    NearFieldRequest request;
    request.count[0] = 10;
    if (fields) problem.runs[0].near_fields = {request};
    return plan(problem, options).predicted_seconds;
  };
  EXPECT_GT(seconds(100, false), 20 * seconds(2, false));
  EXPECT_GT(seconds(100, true), 1.2 * seconds(100, false));
}

}  // namespace
}  // namespace thinwire
