#include "mom/postprocess/coupling.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

/// Results of a group of two runs, as if the ports had this admittance matrix.
std::vector<FrequencyResult> results_of(Complex y11, Complex y12, Complex y22) {
  std::vector<FrequencyResult> results(2);
  const Complex y[2][2] = {{y11, y12}, {y12, y22}};
  for (std::size_t i = 0; i < 2; ++i) {
    results[i].run = i;
    results[i].frequency_hz = test::one_metre_wave_hz;
    results[i].ports.resize(1);
    results[i].ports[0].voltage_v = 1;
    results[i].ports[0].current_a = y[i][i];
    results[i].segment_current_a = {y[i][0], y[i][1]};
  }
  return results;
}

Problem two_ports() {
  Problem problem;
  problem.runs.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    problem.runs[i].sources = {test::volt_on(i)};
    problem.runs[i].coupling_segments = {0, 1};
  }
  return problem;
}

/// Two half-wave filaments a wavelength / 2 apart, by induced EMF. The power that gets
/// through at given loads, searched for its maximum.
TEST(Coupling, IsTheMostThatAnyLoadGets) {
  const Complex z11(73.079, 42.515), z12(-12.523, -29.908);
  const Complex det = z11 * z11 - z12 * z12;
  const auto results = results_of(z11 / det, -z12 / det, z11 / det);
  const auto found = couplings(two_ports(), std::span(results).first(1), results.back());
  ASSERT_EQ(found.size(), 1u);
  double best = 0;
  Complex best_load;
  for (double r = 40; r < 120; r += 0.05)
    for (double x = -80; x < 0; x += 0.05) {
      const Complex load(r, x);
      const Complex ratio = -z12 / (z11 + load);  // I2 / I1
      const Complex input = z11 + z12 * ratio;
      const double gain = std::norm(ratio) * r / input.real();
      if (gain > best) best = gain, best_load = load;
    }
  EXPECT_NEAR(found[0].coupling_db, 10 * std::log10(best), 1e-4);
  EXPECT_NEAR(std::abs(found[0].load_ohm - best_load), 0, 0.1);
  const Complex input = z11 - z12 * z12 / (z11 + found[0].load_ohm);
  EXPECT_LT(test::relative_error(found[0].input_ohm, input), 1e-12);
}

TEST(Coupling, TakesASourceOnEachSegmentInOrder) {
  Problem problem = two_ports();
  EXPECT_EQ(coupling_runs(problem, 1), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(coupling_runs(problem, 0).empty());
  problem.runs[0].sources.push_back(test::volt_on(1));
  EXPECT_TRUE(coupling_runs(problem, 1).empty());
  problem = two_ports();
  std::swap(problem.runs[0].sources, problem.runs[1].sources);
  EXPECT_TRUE(coupling_runs(problem, 1).empty());
}

/// nec2c 1.3 on the same segments: -18.722 and -19.142 dB, 78.3 + 10.7j ohm.
TEST(Coupling, OfThreeDipolesIsNec2cs) {
  Problem problem;
  const Vec3 centre[] = {{-1, 0, 0}, {0, 0, 0}, {0, 1, 0}};
  for (int i = 0; i < 3; ++i) {
    problem.structure.add_wire(i + 1, 11, centre[i] - Vec3{0, 0, 0.24},
                               centre[i] + Vec3{0, 0, 0.24}, 0.001);
    test::feed(problem, 11 * static_cast<std::size_t>(i) + 5, 300e6).coupling_segments = {
        5, 16, 27};
  }
  const Solution solution = solve(problem, test::options_for(MeshChoice::as_given));
  EXPECT_TRUE(solution.frequencies[1].couplings.empty());
  const auto& found = solution.frequencies.at(2).couplings;
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[0].coupling_db, -18.722, 0.1);
  EXPECT_NEAR(found[1].coupling_db, -19.142, 0.1);
  EXPECT_NEAR(found[2].coupling_db, found[0].coupling_db, 1e-6);
  EXPECT_LT(test::relative_error(found[0].input_ohm, {78.3177, 10.6861}), 0.05);
}

}  // namespace
}  // namespace thinwire
