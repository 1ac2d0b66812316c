// Tables of networks and incident waves, line by line as nec2c 1.3 prints them.
#include <gtest/gtest.h>

#include <cmath>

#include "io/result/write_listing.h"
#include "tests/io/result/sample_solution.h"
#include "tests/messages.h"

namespace thinwire::write_network_listing_test {
namespace {

using test::count;

/// The text from `first` on to the end of the line that holds `last`.
std::string part(const std::string& text, const std::string& first,
                 const std::string& last) {
  const std::size_t begin = text.find(first), end = text.find(last, begin);
  if (begin == std::string::npos || end == std::string::npos) return "not found";
  return text.substr(begin, text.find('\n', end) + 1 - begin);
}

Network line_between(std::size_t one, std::size_t two) {
  Network line;
  line.segment[0] = one;
  line.segment[1] = two;
  line.impedance_ohm = 50;
  line.length_m = 0.3;
  return line;
}

TEST(NetworkListing, RowsOfNec2c) {
  test::Sample sample = test::make_sample();
  Network crossed = line_between(1, 4), two_port = line_between(0, 4);
  crossed.crossed = true;
  crossed.y22_s = 0.01;
  two_port.kind = Network::Kind::admittance;
  two_port.y12_s = {0.01, 0.02};
  sample.problem.runs[0].networks = {crossed, two_port, line_between(4, 5)};
  const std::string listing = solution_listing(sample.problem, sample.solution);
  EXPECT_EQ(
      part(listing, "                                            ---------- NETWORK DATA",
           "1.0000E-02  2.0000E-02"),
      "                                            ---------- NETWORK DATA ----------\n"
      "  -- FROM -  --- TO --      TRANSMISSION LINE        --------- SHUNT ADMITTANCES "
      "(MHOS) ---------   LINE\n"
      "  TAG   SEG  TAG   SEG    IMPEDANCE      LENGTH     ----- END ONE -----      "
      "----- "
      "END TWO -----   TYPE\n"
      "  No:   No:  No:   No:         OHMS      METERS      REAL      IMAGINARY      "
      "REAL  "
      "    IMAGINARY\n"
      "    1     2    7     5   5.0000E+01  3.0000E-01   0.0000E+00  0.0000E+00   "
      "1.0000E-02  0.0000E+00  CROSSED\n"
      "    7     5    7     6   5.0000E+01  3.0000E-01   0.0000E+00  0.0000E+00   "
      "0.0000E+00  0.0000E+00 STRAIGHT\n"
      "  -- FROM -  --- TO --            -------- ADMITTANCE MATRIX ELEMENTS (MHOS) "
      "---------\n"
      "  TAG   SEG  TAG   SEG   ----- (ONE,ONE) ------   ----- (ONE,TWO) -----   ----- "
      "(TWO,TWO) -------\n"
      "  No:   No:  No:   No:      REAL      IMAGINARY      REAL     IMAGINARY       "
      "REAL  "
      "    IMAGINARY\n"
      "    1     1    7     5   0.0000E+00  0.0000E+00   1.0000E-02  2.0000E-02   "
      "0.0000E+00  0.0000E+00         \n");
}

TEST(NetworkListing, ConnectionsAndLoss) {
  test::Sample sample = test::make_sample();
  sample.problem.runs[0].networks = {line_between(1, 4)};
  FrequencyResult& result = sample.solution.frequencies[0];
  result.network_ports = {test::sample_port(7, 2, 4, {1, 0}, {0.02, 0})};
  result.input_power_w = 0.02;
  result.loss_power_w = 0.005;
  result.network_loss_w = 0.003;
  const std::string listing = solution_listing(sample.problem, sample.solution);
  EXPECT_EQ(part(listing, "                          --------- STRUCTURE EXCITATION",
                 "5.0000E+01"),
            "                          --------- STRUCTURE EXCITATION DATA AT NETWORK "
            "CONNECTION POINTS --------\n"
            "  TAG   SEG       VOLTAGE (VOLTS)          CURRENT (AMPS)         IMPEDANCE "
            "(OHMS)       ADMITTANCE (MHOS)     POWER\n"
            "  No:   No:     REAL      IMAGINARY     REAL      IMAGINARY     REAL      "
            "IMAGINARY     REAL      IMAGINARY   (WATTS)\n"
            "    7     5  1.0000E+00  0.0000E+00  2.0000E-02  0.0000E+00  5.0000E+01  "
            "0.0000E+00  2.0000E-02  0.0000E+00  1.0000E-02\n");
  EXPECT_TRUE(contains(listing, "RADIATED POWER=  1.2000E-02 Watts"));
  EXPECT_TRUE(contains(listing, "NETWORK LOSS  =  3.0000E-03 Watts"));
  EXPECT_TRUE(contains(listing, "EFFICIENCY    =   60.00 Percent"));
}

/// A run of four waves at each of two frequencies.
test::Sample four_waves(int current_mode) {
  test::Sample sample = test::make_sample();
  thinwire::Run& run = sample.problem.runs[0];
  IncidentWaves waves;
  waves.first = {IncidentWave::Kind::right_elliptic, 60, 30, 20, 0.5};
  waves.theta_count = waves.phi_count = 2;
  waves.theta_step_deg = 30;
  waves.phi_step_deg = 10;
  run.waves = waves;
  run.sources.clear();
  run.listing.current.mode = current_mode;
  run.listing.current.all = false;
  run.listing.current.first = run.listing.current.last = 4;
  std::vector<FrequencyResult> results;
  for (std::size_t f = 0; f < 2; ++f)
    for (std::size_t w = 0; w < 4; ++w) {
      FrequencyResult result = sample.solution.frequencies[f];
      result.ports.clear();
      result.patterns.clear();
      result.wave = waves.at(w);
      result.segment_current_a[4] = std::polar(1e-3 * static_cast<double>(w + 1), 0.5);
      results.push_back(result);
    }
  results.push_back(sample.solution.frequencies.back());
  sample.solution.frequencies = results;
  return sample;
}

TEST(WaveListing, EachWaveHasItsCurrents) {
  const test::Sample sample = four_waves(-2);
  const std::string listing = solution_listing(sample.problem, sample.solution);
  EXPECT_EQ(count(listing, "FREQUENCY : "), 2u);
  EXPECT_EQ(count(listing, "- EXCITATION -"), 8u);
  EXPECT_EQ(count(listing, "CURRENTS AND LOCATION"), 9u);
  EXPECT_EQ(count(listing, "POWER BUDGET"), 1u);
  EXPECT_TRUE(
      contains(listing,
               "\n  PLANE WAVE - THETA:   90.00 deg, PHI:   40.00 deg, ETA=  20.00 DEG, "
               "TYPE - RIGHT  AXIAL RATIO:  0.500\n"));
}

TEST(WaveListing, ReceivingPatterns) {
  const test::Sample sample = four_waves(2);
  const std::string listing = solution_listing(sample.problem, sample.solution);
  EXPECT_EQ(count(listing, "- EXCITATION -"), 0u);
  EXPECT_EQ(part(listing, "                        -------- RECEIVING", "60.00    40.00"),
            "                        -------- RECEIVING PATTERN PARAMETERS --------\n"
            "                                 ETA:   20.00 DEGREES\n"
            "                                 TYPE: RIGHT\n"
            "                                 AXIAL RATIO:  0.500\n\n"
            "                        THETA     PHI      ----- CURRENT ----    SEG\n"
            "                        (DEG)    (DEG)     MAGNITUDE    PHASE    No:\n"
            "                        60.00    30.00    1.0000E-03    28.65      5\n"
            "                        90.00    30.00    2.0000E-03    28.65      5\n"
            "                        60.00    40.00    3.0000E-03    28.65      5\n");
  EXPECT_EQ(part(listing, "                     ---- NORMALIZED", "90.00    40.00"),
            "                     ---- NORMALIZED RECEIVING PATTERN ----\n"
            "                      NORMALIZATION FACTOR:  4.0000E-03\n"
            "                      ETA:   20.00 DEGREES\n"
            "                      TYPE: RIGHT\n"
            "                      AXIAL RATIO:  0.500\n"
            "                      SEGMENT No: 5\n\n"
            "                      THETA     PHI       ---- PATTERN ----\n"
            "                      (DEG)    (DEG)       DB     MAGNITUDE\n"
            "                      60.00    30.00    -12.04   2.5000E-01\n"
            "                      90.00    30.00     -6.02   5.0000E-01\n"
            "                      60.00    40.00     -2.50   7.5000E-01\n"
            "                      90.00    40.00      0.00   1.0000E+00\n");
  EXPECT_EQ(count(listing, "RECEIVING PATTERN PARAMETERS"), 2u);  // for each frequency
  const test::Sample normalised = four_waves(3);
  const std::string only = solution_listing(normalised.problem, normalised.solution);
  EXPECT_EQ(count(only, "RECEIVING PATTERN PARAMETERS"), 0u);
  EXPECT_EQ(count(only, "NORMALIZED RECEIVING PATTERN"), 2u);
}

}  // namespace
}  // namespace thinwire::write_network_listing_test
