#include "io/result/write_listing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "io/result/output_file.h"
#include "mom/postprocess/polarization.h"
#include "tests/io/result/sample_solution.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using test::count;
using test::lines_of;

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> list;
  for (std::string word; in >> word;) list.push_back(word);
  return list;
}

bool is_number(const std::string& word) {
  std::size_t used = 0;
  try {
    std::stod(word, &used);
  } catch (const std::exception&) {
    return false;
  }
  return used == word.size();
}

/// The rows of the n-th table under `heading`, as programs find them: from the first line
/// that starts with a number to the next blank line.
std::vector<std::vector<std::string>> table(const std::string& text,
                                            const std::string& heading, int n = 0) {
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    const std::vector<std::string> cells = words(line);
    if (line.find(heading) != std::string::npos)
      inside = n-- == 0;
    else if (inside && !cells.empty() && is_number(cells[0]))
      rows.push_back(cells);
    else if (!rows.empty())
      break;
  }
  return rows;
}

class Listing : public ::testing::Test {
 protected:
  std::string text() const { return solution_listing(sample_.problem, sample_.solution); }
  PatternRequest& request(std::size_t frequency, std::size_t pattern) {
    return sample_.solution.frequencies[frequency].patterns[pattern].request;
  }
  test::Sample sample_ = test::make_sample();
};

TEST_F(Listing, ImpedanceRowsHaveElevenNumbers) {
  const auto rows = table(text(), "ANTENNA INPUT PARAMETERS", 2);
  ASSERT_EQ(rows.size(), 2u);
  for (const auto& row : rows) EXPECT_EQ(row.size(), 11u);
  const PortResult& port = sample_.solution.frequencies[2].ports[1];
  EXPECT_EQ(rows[1][0], "7");
  EXPECT_EQ(rows[1][1], "5");  // counted over the whole structure, as nec2c does
  EXPECT_NEAR(std::stod(rows[1][6]), port.impedance_ohm.real(), 1e-3);
  EXPECT_NEAR(std::stod(rows[1][7]), port.impedance_ohm.imag(), 1e-3);
  EXPECT_NEAR(std::stod(rows[1][8]), (1.0 / port.impedance_ohm).real(), 1e-5);
  EXPECT_NEAR(std::stod(rows[1][10]), port.power_w, 1e-5);
}

TEST_F(Listing, CurrentRowsHaveTenNumbersInWavelengths) {
  const auto rows = table(text(), "CURRENTS AND LOCATION");
  ASSERT_EQ(rows.size(), 6u);
  for (const auto& row : rows) EXPECT_EQ(row.size(), 10u);
  const double wavelength_m = 299792458.0 / 299.8e6;
  EXPECT_EQ(rows[3][0], "4");
  EXPECT_EQ(rows[3][1], "7");
  EXPECT_NEAR(std::stod(rows[3][2]), 0.5 / wavelength_m, 1e-4);
  EXPECT_NEAR(std::stod(rows[3][5]), 0.5 / 3 / wavelength_m, 1e-5);
  const Complex current = sample_.solution.frequencies[0].segment_current_a[3];
  EXPECT_NEAR(std::stod(rows[3][6]), current.real(), 1e-7);
  EXPECT_NEAR(std::stod(rows[3][9]), std::arg(current) * 57.29577951, 1e-3);
}

TEST_F(Listing, PatternRowsHaveTwelveTokensOrElevenWithoutSense) {
  PatternResult& pattern = sample_.solution.frequencies[0].patterns[0];
  pattern.e_theta_v[1] = pattern.e_phi_v[1] = 0;  // theta 0, phi 120
  const auto rows = table(text(), "RADIATION PATTERNS");
  ASSERT_EQ(rows.size(), 6u);
  // Theta runs fastest.
  EXPECT_EQ(rows[1][0], "90.00");
  EXPECT_EQ(rows[2][1], "120.00");
  EXPECT_EQ(rows[2].size(), 11u);
  EXPECT_EQ(rows[2][4], "-999.99");
  EXPECT_EQ(rows[0].size(), 12u);
  const std::size_t at = 1;
  const Gains expected = gains(pattern.e_theta_v[3 + at], pattern.e_phi_v[3 + at],
                               pattern.reference_power_w);
  EXPECT_NEAR(std::stod(rows[3][2]), expected.vertical, 0.006);
  EXPECT_NEAR(std::stod(rows[3][3]), expected.horizontal, 0.006);
  EXPECT_NEAR(std::stod(rows[3][4]), expected.total, 0.006);
}

// Where programs that start nec2dxs look: lines below a heading, columns within them.
TEST_F(Listing, Nec2HasItsColumns) {
  const std::vector<std::string> lines =
      lines_of(solution_listing(sample_.problem, sample_.solution, ListingLayout::nec2));
  const auto below = [&](const std::string& heading, std::size_t rows) {
    for (std::size_t i = 0; i + rows < lines.size(); ++i)
      if (contains(lines[i], heading)) return lines[i + rows];
    return std::string();
  };
  const auto number = [](const std::string& line, std::size_t begin, std::size_t end) {
    return std::stod(line.substr(begin, end - begin));
  };
  const FrequencyResult& first = sample_.solution.frequencies[0];
  const std::string frequency = below("- - - - - - FREQUENCY - - - - - -", 2);
  EXPECT_EQ(frequency.substr(36), "FREQUENCY= 2.9980E+02 MHZ");
  const std::string port = below("- - - ANTENNA INPUT PARAMETERS - - -", 4);
  EXPECT_EQ(port.size(), 120u);
  EXPECT_NEAR(number(port, 60, 72), first.ports[0].impedance_ohm.real(), 1e-3);
  EXPECT_NEAR(number(port, 72, 84), first.ports[0].impedance_ohm.imag(), 1e-3);
  const std::string current = below("- - - CURRENTS AND LOCATION - - -", 7);
  EXPECT_EQ(number(current, 1, 6), 1);
  EXPECT_NEAR(number(current, 48, 60), first.segment_current_a[0].real(), 1e-7);
  EXPECT_NEAR(number(below("- - - POWER BUDGET - - -", 2), 58, 69), first.input_power_w,
              1e-4 * first.input_power_w);
  const PatternResult& pattern = first.patterns[0];
  const std::string row = below("- - - RADIATION PATTERNS - - -", 6);
  EXPECT_EQ(number(row, 0, 8), 90);
  EXPECT_EQ(number(row, 8, 17), 0);
  EXPECT_NEAR(
      number(row, 36, 44),
      gains(pattern.e_theta_v[3], pattern.e_phi_v[3], pattern.reference_power_w).total,
      0.006);
}

TEST_F(Listing, MajorAndMinorAxisGains) {
  request(0, 0).vertical_horizontal = false;
  const std::string listing = text();
  EXPECT_EQ(count(listing, "MAJOR    MINOR    TOTAL"), 1u);
  const PatternResult& pattern = sample_.solution.frequencies[0].patterns[0];
  const Gains expected =
      gains(pattern.e_theta_v[0], pattern.e_phi_v[0], pattern.reference_power_w);
  const auto rows = table(listing, "RADIATION PATTERNS");
  EXPECT_NEAR(std::stod(rows[0][2]), expected.major, 0.006);
  EXPECT_NEAR(std::stod(rows[0][3]), expected.minor, 0.006);
}

TEST_F(Listing, FieldAtADistance) {
  // nec2c, 299.79 MHz, 1000 m: 1.00000E-03 AT PHASE: -347.99 DEGREES.
  sample_.solution.frequencies[0].frequency_hz = 299.79e6;
  request(0, 0).distance_m = 1000;
  const std::string listing = text();
  EXPECT_TRUE(contains(listing, "RANGE:  1.000000E+03 METERS"));
  // nec2c has 299.8 m/us for the speed of light, which turns its phase by 9 degrees here.
  EXPECT_TRUE(contains(listing, "EXP(-JKR)/R:  1.00000E-03 AT PHASE: -357.05 DEGREES"));
  const auto rows = table(listing, "RADIATION PATTERNS");
  EXPECT_NEAR(std::stod(rows[0][8]), 1e-3, 1e-8);
}

TEST_F(Listing, NormalisedGainRunsDownThreeColumns) {
  request(0, 0).normalised = 5;
  const auto rows = table(text(), "NORMALIZED GAIN");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].size(), 9u);
  EXPECT_EQ(rows[0][0], "0.00");
  EXPECT_EQ(rows[1][0], "90.00");
  EXPECT_EQ(rows[0][4], "120.00");
  double top = -1000;
  for (const auto& row : rows)
    for (const std::size_t column : {2u, 5u, 8u})
      top = std::max(top, std::stod(row[column]));
  EXPECT_EQ(top, 0);

  request(0, 0).gain_normal_dbi = 3;
  EXPECT_TRUE(contains(text(), "NORMALIZATION FACTOR: 3.00 db"));
}

/// nec2c 1.3 goes by theta itself: it leaves out all that is beyond 90.01 degrees, and
/// nothing on the other side of the zenith.
TEST_F(Listing, OverGroundNothingBelowTheHorizon) {
  for (const std::size_t frequency : {1u, 2u}) {
    PatternResult& pattern = sample_.solution.frequencies[frequency].patterns[0];
    pattern.theta_deg = {-120, -90, 0, 90, 90.02, 120};
    pattern.e_theta_v.resize(18, 1);
    pattern.e_phi_v.resize(18, 1);
    pattern.gain_dbi.resize(18, 1);
  }
  EXPECT_EQ(table(text(), "RADIATION PATTERNS", 1).size(), 18u);  // free space
  const auto rows = table(text(), "RADIATION PATTERNS", 2);
  ASSERT_EQ(rows.size(), 12u);
  EXPECT_EQ(rows[0][0], "-120.00");
  EXPECT_EQ(rows[11][0], "90.00");
}

TEST_F(Listing, AverageGainIsPrintedWhereItIsAskedForOnly) {
  sample_.solution.frequencies[0].patterns[0].average_gain = 0.5;
  EXPECT_FALSE(contains(text(), "AVERAGE POWER GAIN"));
}

TEST_F(Listing, AverageGainAlone) {
  PatternResult& pattern = sample_.solution.frequencies[0].patterns[0];
  pattern.request.average = 2;
  pattern.average_gain = 0.5;
  pattern.average_solid_angle_pi = 4;
  const std::string listing = text();
  EXPECT_TRUE(contains(listing,
                       "AVERAGE POWER GAIN:  5.0000E-01 - SOLID ANGLE USED IN AVERAGING: "
                       "(+4.0000)*PI STERADIANS"));
  const std::string before = listing.substr(0, listing.find("AVERAGE POWER GAIN"));
  EXPECT_TRUE(contains(before, "RADIATION PATTERNS"));
  EXPECT_TRUE(table(before, "RADIATION PATTERNS").empty());
}

TEST_F(Listing, BlocksComeForEachFrequencyAndChange) {
  const std::string listing = text();
  EXPECT_EQ(count(listing, "FREQUENCY : "), 2u);  // the second run keeps the frequency
  EXPECT_EQ(count(listing, "STRUCTURE IMPEDANCE LOADING"), 3u);
  EXPECT_EQ(count(listing, "PERFECT GROUND"), 1u);
  EXPECT_EQ(count(listing, "FREE SPACE"), 2u);
  EXPECT_EQ(count(listing, "POWER BUDGET"), 3u);
  EXPECT_EQ(count(listing, "RADIATION PATTERNS"), 4u);
  sample_.problem.runs[0].patterns[0].last_frequency_only = true;
  request(0, 0).last_frequency_only = request(1, 0).last_frequency_only = true;
  EXPECT_EQ(count(text(), "RADIATION PATTERNS"), 3u);
  sample_.problem.runs[1].start = thinwire::Run::Start::excitation;
  EXPECT_EQ(count(text(), "STRUCTURE IMPEDANCE LOADING"), 2u);
}

// As nec2c's for GN 2 with these constants at that frequency.
TEST_F(Listing, NamesRealGroundAndItsConstants) {
  sample_.problem.runs[1].ground = thinwire::Ground::sommerfeld(13, 0.005);
  sample_.solution.frequencies.back().frequency_hz = 14e6;
  sample_.problem.runs[1].start = thinwire::Run::Start::frequency;
  EXPECT_TRUE(contains(text(),
                       "FINITE GROUND - SOMMERFELD SOLUTION\n"
                       "                            RELATIVE DIELECTRIC CONST: 13.000\n"
                       "                            CONDUCTIVITY:  5.000E-03 MHOS/METER\n"
                       "                            COMPLEX DIELECTRIC CONSTANT:  "
                       "1.3000E+01-6.4197E+00j\n"));
}

/// As nec2c 1.3 prints RP 5 over GN 0 with radials, and GD.
TEST_F(Listing, NamesTheGroundOfAPatternInParts) {
  test::Sample sample = test::make_sample();
  sample.problem.runs[0].ground = Ground::coefficients(13, 0.005, {12, 6, 2e-3});
  PatternRequest& request = sample.solution.frequencies[0].patterns.at(0).request;
  request.mode = PatternRequest::Mode::screen_line;
  request.second = SecondMedium{Ground::sommerfeld(81, 4), 20, 3};
  const std::string text = solution_listing(sample.problem, sample.solution);
  EXPECT_TRUE(
      contains(text,
               "                            -------- ANTENNA ENVIRONMENT --------\n"
               "                            RADIAL WIRE GROUND SCREEN\n"
               "                            12 WIRES\n"
               "                            WIRE LENGTH:     6.00 METERS\n"
               "                            WIRE RADIUS:  2.000E-03 METERS\n"
               "                            MEDIUM UNDER SCREEN -\n"
               "                            FINITE GROUND - REFLECTION COEFFICIENT "
               "APPROXIMATION\n"
               "                            RELATIVE DIELECTRIC CONST: 13.000\n"));
  EXPECT_TRUE(contains(
      text,
      "                               ------ FAR FIELD GROUND PARAMETERS ------\n\n\n"
      "                               --- RADIAL WIRE GROUND SCREEN ---\n"
      "                               NUM OF WIRES= 12\n"
      "                               WIRE LENGTH=     6.00 METERS\n"
      "                               WIRE RADIUS=  2.000E-03 METERS\n"
      "                               --- LINEAR CLIFF ---\n"
      "                               EDGE DISTANCE=     20.00 METERS\n"
      "                                      HEIGHT=      3.00 METERS\n"
      "                               --- SECOND MEDIUM ---\n"
      "                               RELATIVE DIELECTRIC CONST=     81.000\n"
      "                                     GROUND CONDUCTIVITY=      4.000 MHOS\n"));
}

TEST_F(Listing, PtAndPqChooseSegments) {
  ListingControl& control = sample_.problem.runs[0].listing;
  control.current.mode = -1;
  control.charge.mode = 0;
  control.charge.all = false;
  control.charge.first = 1;
  control.charge.last = 4;
  control.charge.tag = 7;
  const std::string listing = text();
  EXPECT_EQ(count(listing, "CURRENTS AND LOCATION"), 1u);  // of the second run
  const auto rows = table(listing, "CHARGE DENSITIES");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].size(), 10u);
  EXPECT_EQ(rows[0][0], "4");
  EXPECT_NEAR(std::stod(rows[1][7]), 4e-12, 1e-16);
}

TEST_F(Listing, LoadsAsTheCardsGiveThem) {
  thinwire::Run& run = sample_.problem.runs[0];
  run.load_cards = {{0, 1, 1, 1, {10, 1e-6, 1e-9}}, {1, 1, 2, 3, {10, 1e-6, 1e-9}},
                    {2, 7, 0, 0, {10, 1e-6, 0}},    {3, 7, 1, 2, {10, 1e-6, 0}},
                    {4, 0, 5, 5, {10, -77.5, 0}},   {5, 0, 0, 0, {3.7e7, 0, 0}}};
  run.loads.resize(2);
  run.loads[1].first = run.loads[1].last = 3;
  // Rows of nec2c 1.3 for the same cards.
  const std::string listing = text();
  for (const char* row : {"     1    1    1  1.0000E+01  1.0000E-06  1.0000E-09          "
                          "                    "
                          "          SERIES \n",
                          "     1    2    3  1.0000E+01  1.0000E-06  1.0000E-09          "
                          "                    "
                          "         PARALLEL\n",
                          "     7            1.0000E+01  1.0000E-06                      "
                          "                    "
                          "         SERIES (PER METER)\n",
                          "     7    1    2  1.0000E+01  1.0000E-06                      "
                          "                    "
                          "         PARALLEL (PER METER)\n",
                          "          5    5                                      "
                          "1.0000E+01 -7.7500E+01      "
                          "         FIXED IMPEDANCE \n"})
    EXPECT_TRUE(contains(listing, row));
  EXPECT_TRUE(contains(listing, "  ALL    "));
  EXPECT_EQ(count(listing, "LOADED TWICE"), 0u);
  run.loads[1].first = 0;
  EXPECT_EQ(count(text(), "LOADED TWICE"), 2u);
}

TEST_F(Listing, TrapsSheathsAndCoupling) {
  sample_.problem.runs[0].load_cards = {{6, 1, 1, 1, {100, 1e-6, 1e-9}},
                                        {7, 0, 0, 0, {2.3, 0, 0.002}}};
  CouplingResult pair;
  pair.segment_index[1] = 4;
  pair.linville = 0.03;
  pair.coupling_db = -18.722;
  pair.load_ohm = {79.5017, -6.60729};
  pair.input_ohm = {78.3177, 10.6861};
  CouplingResult active = pair;
  active.linville = 1.5;
  sample_.solution.frequencies[0].couplings = {pair, active};
  const std::string listing = text();
  EXPECT_TRUE(contains(listing, "  1.0000E-06  1.0000E-09 "));
  EXPECT_TRUE(contains(listing, "   TRAP, Q 100\n"));
  EXPECT_TRUE(contains(listing, "   INSULATION, EPS 2.3, RADIUS 0.002 M\n"));
  // Numbers and columns of nec2c 1.3.
  EXPECT_TRUE(contains(listing,
                       "    -18.722   7.95017E+01 -6.60729E+00   7.83177E+01  "
                       "1.06861E+01\n"));
  EXPECT_EQ(count(listing, "COUPLING IS NOT BETWEEN 0 AND 1. (=  1.50000E+00)"), 1u);
}

TEST_F(Listing, SegmentationSaysWhatIsConnected) {
  sample_.problem.structure.add_wire(9, 1, {0, 0, 0.25}, {0.5, 0, 0.25}, 0.001);
  const auto rows = table(text(), "SEGMENTATION DATA");
  ASSERT_EQ(rows.size(), 7u);
  for (const auto& row : rows) EXPECT_EQ(row.size(), 12u);
  const auto connection = [&](std::size_t row) {
    return rows[row][8] + " " + rows[row][9] + " " + rows[row][10];
  };
  EXPECT_EQ(connection(0), "0 1 2");
  EXPECT_EQ(connection(2), "2 3 7");
  EXPECT_EQ(connection(5), "5 6 -7");  // both end there
  EXPECT_EQ(connection(6), "3 7 -6");
  EXPECT_EQ(rows[6][5], "0.0000");
  EXPECT_EQ(rows[0][5], "90.0000");
}

TEST_F(Listing, IsKnownAsOurs) {
  EXPECT_TRUE(contains(text().substr(0, 1024), text_signature));
  EXPECT_TRUE(contains(error_listing("x").substr(0, 1024), text_signature));
}

TEST(ErrorListing, HasALineThatStartsWithError) {
  bool found = false;
  for (const std::string& line : lines_of(error_listing("a.nec:3: GW radius")))
    found = found || line == "  ERROR: a.nec:3: GW radius";
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace thinwire
