#include "mom/schedule/outcome_bytes.h"

#include <gtest/gtest.h>

#include <limits>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// Something in every member that a list, a text or an option can be in.
FrequencyOutcome sample() {
  FrequencyResult result;
  result.run = 3;
  result.frequency_hz = 14.2e6;
  result.wave = IncidentWave{IncidentWave::Kind::left_elliptic, 10, 20, 30, 0.5};
  result.ports = {{1, 6, 5, Gap::end, {1, 0}, {0.01, -0.02}, {50, 25}, 0.5},
                  {2, 1, 11, {}, {}, {}, {}}};
  result.network_ports = {{7, 7, 7, {}, {}, {}, {}}};
  result.port_impedance_ohm = {{1, 2}, {3, 4}};
  result.impedance_derivative_ohm = {{5, 6}};
  result.gain_derivatives = {{1, 2, 3, 4, 5, {6, 7}, {8}}};
  result.coefficients_a = {{1, 1}};
  result.segment_current_a = {{2, 2}, {std::numeric_limits<double>::infinity(), 0}};
  result.segment_charge_c_per_m = {{3, 3}};
  PatternResult pattern;
  pattern.request.second = SecondMedium{Ground::none, 4, 5};
  pattern.theta_deg = {0, 90};
  pattern.e_theta_v = {{1, 0}, {0, 1}};
  pattern.gain_dbi = {2.15, -999.99};
  pattern.average_gain = 1.0;
  result.patterns = {pattern, {}};
  result.near_fields = {{{}, {{1, 2}, {3, 4}, {5, 6}}}};
  result.couplings = {{{1, 2}, 0.5, -3, {50, 0}, {60, 1}}};
  result.radiated_power_w = 0.25;
  result.solver.name = "gmres";
  result.solver.boxes = BoxSize{48, 4};
  result.solver.coarse_functions = 321;
  result.solver.why = "predicted fastest";
  result.solver.residual_history = {1, 0.1, 0.01};
  result.solver.converged = false;
  FrequencyOutcome outcome;
  outcome.results = {result, {}};
  outcome.warnings = {{"a line", "what it is about"}};
  outcome.timings_s.fill = 1.5;
  return outcome;
}

TEST(OutcomeBytes, ComeBackAsTheOutcome) {
  const std::string bytes = outcome_bytes(sample());
  const FrequencyOutcome back = outcome_of(bytes);
  EXPECT_EQ(outcome_bytes(back), bytes);
  ASSERT_EQ(back.results.size(), 2U);
  const FrequencyResult& result = back.results[0];
  EXPECT_EQ(result.frequency_hz, 14.2e6);
  EXPECT_EQ(result.wave->axial_ratio, 0.5);
  EXPECT_EQ(result.ports[0].impedance_ohm, Complex(50, 25));
  EXPECT_EQ(result.gain_derivatives[0].gain_derivative_db, (std::vector<double>{6, 7}));
  EXPECT_EQ(result.segment_current_a[1].real(), std::numeric_limits<double>::infinity());
  ASSERT_EQ(result.patterns.size(), 2U);
  EXPECT_EQ(result.patterns[0].request.second->drop_m, 5);
  EXPECT_EQ(result.patterns[0].gain_dbi, (std::vector<double>{2.15, -999.99}));
  EXPECT_FALSE(result.patterns[1].average_gain);
  EXPECT_EQ(result.near_fields[0].field[2], Complex(5, 6));
  EXPECT_EQ(result.couplings[0].input_ohm, Complex(60, 1));
  EXPECT_EQ(result.solver.boxes, (BoxSize{48, 4}));
  EXPECT_EQ(result.solver.coarse_functions, 321u);
  EXPECT_EQ(result.solver.residual_history.size(), 3U);
  EXPECT_FALSE(result.solver.converged);
  EXPECT_EQ(back.warnings[0].about, "what it is about");
  EXPECT_EQ(back.timings_s.fill, 1.5);
}

TEST(OutcomeBytes, ThatAreCutShortAreRefused) {
  const std::string bytes = outcome_bytes(sample());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW((void)outcome_of(bytes.substr(0, length)), Error) << length;
}

}  // namespace
}  // namespace thinwire
