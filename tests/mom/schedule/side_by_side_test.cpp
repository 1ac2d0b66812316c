#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "kernels/base/error.h"
#include "tests/messages.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::test {
namespace {

std::vector<double> band_hz(std::size_t count) {
  std::vector<double> hz;
  for (std::size_t i = 0; i < count; ++i)
    hz.push_back(one_metre_wave_hz *
                 (0.8 + 0.4 * static_cast<double>(i) / static_cast<double>(count - 1)));
  return hz;
}

/// Two dipoles upright above z = 0, one of them fed, at 40 frequencies.
Problem sweep(int frequencies = 40) {
  Problem problem;
  problem.structure.add_wire(1, 9, {0, 0, 0.3}, {0, 0, 0.78}, 1e-3);
  problem.structure.add_wire(2, 9, {0.2, 0, 0.3}, {0.2, 0, 0.76}, 2e-3);
  feed(problem, 4).frequency_hz = band_hz(frequencies);
  return problem;
}

Solution solved(const Problem& problem, int threads) {
  Options options = options_for(MeshChoice::graded);
  options.threads = threads;
  return solve(problem, options);
}

/// All numbers of a result that sweeps compute.
std::vector<Complex> numbers_of(const FrequencyResult& result) {
  std::vector<Complex> numbers = {result.input_power_w, result.loss_power_w,
                                  result.network_loss_w,
                                  result.radiated_power_w.value_or(-1)};
  const auto add = [&](const std::vector<Complex>& more) {
    numbers.insert(numbers.end(), more.begin(), more.end());
  };
  for (const PortResult& port : result.ports) add({port.current_a, port.impedance_ohm});
  for (const PortResult& port : result.network_ports) add({port.current_a});
  add(result.segment_current_a);
  for (const PatternResult& pattern : result.patterns) add(pattern.e_theta_v);
  for (const NearFieldResult& field : result.near_fields) add(field.field);
  for (const CouplingResult& coupling : result.couplings) add({coupling.coupling_db});
  return numbers;
}

/// Same bits on 1, 2 and 3 threads; and what each frequency gives in a deck of its own,
/// to the accuracy of the integrals, which are chosen by the highest frequency.
void expect_same_as_alone(const Problem& problem) {
  const Solution one = solved(problem, 1);
  for (const int threads : {2, 3}) {
    const Solution more = solved(problem, threads);
    ASSERT_EQ(more.frequencies.size(), one.frequencies.size());
    EXPECT_EQ(more.warnings, one.warnings);
    for (std::size_t i = 0; i < one.frequencies.size(); ++i) {
      EXPECT_EQ(more.frequencies[i].run, one.frequencies[i].run);
      EXPECT_EQ(more.frequencies[i].frequency_hz, one.frequencies[i].frequency_hz);
      EXPECT_EQ(numbers_of(more.frequencies[i]), numbers_of(one.frequencies[i]))
          << threads << " threads, frequency " << i;
    }
  }
  for (const double hz :
       {problem.runs[0].frequency_hz.front(), problem.runs[0].frequency_hz[17],
        problem.runs[0].frequency_hz.back()}) {
    Problem alone = problem;
    for (Run& run : alone.runs) run.frequency_hz = {hz};
    const Solution right = solved(alone, 1);
    std::size_t next = 0;
    for (const FrequencyResult& result : one.frequencies) {
      if (result.frequency_hz != hz) continue;
      const std::vector<Complex> got = numbers_of(result),
                                 want = numbers_of(right.frequencies.at(next++));
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_LE(std::abs(got[i] - want[i]), 1e-6 * std::abs(want[i]) + 1e-12)
            << hz << " Hz, number " << i;
    }
    EXPECT_EQ(next, right.frequencies.size());
  }
}

TEST(SideBySide, PlainSweep) {
  expect_same_as_alone(sweep());
}

TEST(SideBySide, LoadsAndNetworks) {
  Problem problem = sweep();
  problem.runs[0].loads = {{Load::Kind::conductivity, 0, 17, {3.7e7, 0, 0}},
                           {Load::Kind::series_rlc, 13, 13, {5, 1e-9, 0}}};
  problem.runs[0].networks = {
      {Network::Kind::line, {4, 13}, 75, 0.3, false, 0.0, 0.0, 0.0}};
  expect_same_as_alone(problem);
}

TEST(SideBySide, RunsOverOtherGroundsAndOneOfAnotherFeed) {
  Problem problem = sweep();
  problem.runs.push_back(problem.runs[0]);
  problem.runs[1].ground = Ground::perfect;
  problem.runs.push_back(problem.runs[0]);
  problem.runs[2].sources = {volt_on(13)};
  expect_same_as_alone(problem);
}

TEST(SideBySide, RealGround) {
  Problem problem = sweep();
  problem.runs[0].ground = Ground::sommerfeld(13, 0.005);
  expect_same_as_alone(problem);
}

TEST(SideBySide, ReflectionCoefficients) {
  Problem problem = sweep();
  problem.runs[0].ground = Ground::coefficients(13, 0.005);
  expect_same_as_alone(problem);
}

TEST(SideBySide, WavesPatternsAndNearFields) {
  Problem problem = sweep();
  PatternRequest pattern = {.theta_count = 7, .theta_step_deg = 15};
  NearFieldRequest field;
  field.start[0] = 2;
  problem.runs[0].patterns = {pattern};
  problem.runs[0].near_fields = {field};
  IncidentWaves waves;
  waves.theta_count = 3;
  waves.theta_step_deg = 30;
  problem.runs.push_back(problem.runs[0]);
  problem.runs[1].sources.clear();
  problem.runs[1].waves = waves;
  expect_same_as_alone(problem);
}

TEST(SideBySide, CouplingTakesThePartnersOfTheSameFrequency) {
  Problem problem = sweep();
  problem.runs[0].coupling_segments = {4, 13};
  problem.runs.push_back(problem.runs[0]);
  problem.runs[1].sources = {volt_on(13)};
  EXPECT_EQ(solved(problem, 2).frequencies.at(57).couplings.size(), 1u);
  expect_same_as_alone(problem);
}

TEST(SideBySide, TheMatrixKeptIsThatOfTheLastFrequency) {
  Problem problem = sweep();
  Options options = options_for(MeshChoice::graded);
  options.save_matrix = true;
  options.threads = 3;
  const Solution swept = solve(problem, options);
  options.threads = 1;
  EXPECT_EQ(swept.impedance_matrix_ohm, solve(problem, options).impedance_matrix_ohm);
  // The matrix of another frequency differs.
  problem.runs[0].frequency_hz.pop_back();
  EXPECT_NE(swept.impedance_matrix_ohm, solve(problem, options).impedance_matrix_ohm);
}

TEST(SideBySide, WarningsComeOnceAndInTheDecksOrder) {
  Problem problem = sweep();
  // One for each run, of its first frequency.
  problem.runs[0].loads = {{Load::Kind::impedance, 13, 13, {1e13, 0, 0}}};
  problem.runs.push_back(problem.runs[0]);
  problem.runs[1].loads[0].value[0] = 1e14;
  const Solution one = solved(problem, 1), three = solved(problem, 3);
  ASSERT_EQ(one.warnings.size(), 2U);
  const std::string first = fmt::format("{:g} MHz", 1e-6 * band_hz(40)[0]);
  EXPECT_NE(one.warnings[0].find("1e+13 ohm at " + first), std::string::npos);
  EXPECT_NE(one.warnings[1].find("1e+14 ohm at " + first), std::string::npos);
  EXPECT_EQ(one.warnings, three.warnings);
}

/// So many that the thread that tells of them has its turn on a busy machine, too.
constexpr int many = 400;

TEST(SideBySide, ProgressNeverGoesBackAndEndsAtOne) {
  double last = 0;
  int told = 0;
  Options options = options_for(MeshChoice::graded);
  options.threads = 3;
  options.monitor = Monitor([&](const Progress& progress) {
    EXPECT_GE(progress.fraction, last * (1 - 1e-12)) << progress.step;  // rounding
    last = progress.fraction;
    ++told;
  });
  (void)solve(sweep(many), options);
  EXPECT_EQ(last, 1);
  EXPECT_GT(told, 5);
}

TEST(SideBySide, StopsWithinTheSweep) {
  std::atomic<bool> stop = false;
  Options options = options_for(MeshChoice::graded);
  options.threads = 3;
  options.monitor =
      Monitor([&](const Progress& progress) { stop = progress.fraction > 0.2; }, &stop);
  EXPECT_EQ(test::error_kind([&] { (void)solve(sweep(many), options); }),
            ErrorKind::interrupted);
}

/// A coil with the capacitor that cancels it to the last bit at that frequency.
Load lossless_trap(double frequency_hz) {
  const double omega = 2 * pi * frequency_hz, henry = 1e-9,
               wanted_s = -(1.0 / Complex(0, omega * henry)).imag();
  double farad = wanted_s / omega;
  while (omega * farad < wanted_s) farad = std::nextafter(farad, 1.0);
  while (omega * farad > wanted_s) farad = std::nextafter(farad, 0.0);
  EXPECT_EQ(omega * farad, wanted_s);
  return {Load::Kind::parallel_rlc, 13, 13, {0, henry, farad}};
}

TEST(SideBySide, ThrowsWhatTheFirstBadFrequencyThrows) {
  Problem problem = sweep();
  const std::vector<double>& hz = problem.runs[0].frequency_hz;
  problem.runs[0].loads = {lossless_trap(hz[13]), lossless_trap(hz[12])};
  for (const int threads : {1, 3}) {
    EXPECT_TRUE(contains(test::error_message([&] { (void)solved(problem, threads); }),
                         fmt::format("{:g} MHz", hz[12] * 1e-6)));
  }
}

}  // namespace
}  // namespace thinwire::test
