// Near fields in the listing and in the HDF5 file.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <hdf5_hl.h>

#include <cmath>
#include <sstream>

#include "io/result/hdf5_file.h"
#include "io/result/write_hdf5.h"
#include "io/result/write_listing.h"
#include "kernels/base/constants.h"
#include "tests/io/result/sample_solution.h"
#include "tests/io/temporary_folder.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using Field = NearFieldRequest::Field;
using Grid = NearFieldRequest::Grid;

NearFieldResult made_up(Field field, Grid grid, double seed) {
  NearFieldResult result;
  NearFieldRequest& r = result.request;
  r.field = field;
  r.grid = grid;
  const double start[] = {1, 20, 30}, step[] = {0.5, 10, 15};
  for (int i = 0; i < 3; ++i) {
    r.count[i] = 4 - i;
    r.start[i] = start[i];
    r.step[i] = step[i];
  }
  for (int i = 0; i < 3 * 24; ++i) result.field.emplace_back(seed + i, -2.0 * i - seed);
  return result;
}

/// The sample with E in the first run and, in the second, H in front of the patterns, an
/// empty request, and E between them.
test::Sample near_sample() {
  test::Sample sample = test::make_sample();
  auto& frequencies = sample.solution.frequencies;
  frequencies[0].near_fields = {made_up(Field::electric, Grid::rectangular, 1)};
  frequencies[1].near_fields = {made_up(Field::electric, Grid::rectangular, 2)};
  frequencies[2].near_fields = {made_up(Field::magnetic, Grid::spherical, 3),
                                {},
                                made_up(Field::electric, Grid::rectangular, 4)};
  frequencies[2].near_fields[1].request.count[0] = 0;
  frequencies[2].near_fields[2].request.patterns_before = 1;
  return sample;
}

/// Rows of nine numbers under the n-th heading that contains `heading`.
std::vector<std::vector<double>> rows(const std::string& text, const std::string& heading,
                                      int n = 0) {
  std::size_t at = text.find(heading);
  while (n-- > 0) at = text.find(heading, at + 1);
  std::istringstream in(text.substr(at));
  std::vector<std::vector<double>> found;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::vector<double> row;
    for (double value; words >> value;) row.push_back(value);
    if (row.size() == 9 && words.eof())
      found.push_back(row);
    else if (!found.empty())
      break;
  }
  return found;
}

TEST(NearFieldListing, RowsHaveNineNumbers) {
  const test::Sample sample = near_sample();
  const std::string text = solution_listing(sample.problem, sample.solution);
  const auto electric = rows(text, "NEAR ELECTRIC FIELDS");
  ASSERT_EQ(electric.size(), 24u);
  EXPECT_EQ(electric[0][0], 1);
  EXPECT_EQ(electric[1][0], 1.5);  // x runs fastest
  EXPECT_EQ(electric[4][1], 30);
  const Complex value = sample.solution.frequencies[0].near_fields[0].field[3 * 5 + 1];
  EXPECT_NEAR(electric[5][5], std::abs(value), 1e-4 * std::abs(value));
  EXPECT_NEAR(electric[5][6], std::arg(value) * 180 / pi, 0.006);
  const auto magnetic = rows(text, "NEAR MAGNETIC FIELDS");
  ASSERT_EQ(magnetic.size(), 24u);
  // r = 1.5, phi = 20, theta = 30 degrees.
  EXPECT_NEAR(magnetic[1][0], 1.5 * 0.5 * std::cos(pi / 9), 6e-5);
  EXPECT_NEAR(magnetic[1][2], 1.5 * std::sqrt(0.75), 6e-5);
}

/// A row and headings of nec2c 1.3.
TEST(NearFieldListing, LooksAsNec2c) {
  test::Sample sample = test::make_sample();
  NearFieldResult result;
  result.request.start[0] = result.request.start[2] = -1;
  result.field = {std::polar(3.1376e-1, -120.82 * pi / 180), 0.0,
                  std::polar(2.3980e-1, 152.53 * pi / 180)};
  sample.solution.frequencies[0].near_fields = {result};
  std::string text = solution_listing(sample.problem, sample.solution);
  EXPECT_TRUE(contains(
      text,
      "\n\n\n                             -------- NEAR ELECTRIC FIELDS --------\n"
      "     ------- LOCATION -------     ------- EX ------    ------- EY ------    "
      "------- EZ ------\n"
      "      X         Y         Z       MAGNITUDE   PHASE    MAGNITUDE   PHASE    "
      "MAGNITUDE   PHASE\n"
      "    METERS    METERS    METERS     VOLTS/M  DEGREES    VOLTS/M   DEGREES     "
      "VOLTS/M  DEGREES\n"
      "   -1.0000    0.0000   -1.0000   3.1376E-01 -120.82   0.0000E+00    0.00   "
      "2.3980E-01  152.53\n"));
  sample.solution.frequencies[0].near_fields[0].request.field = Field::magnetic;
  text = solution_listing(sample.problem, sample.solution);
  EXPECT_TRUE(contains(
      text,
      "\n\n\n                                   -------- NEAR MAGNETIC FIELDS "
      "---------\n\n"
      "     ------- LOCATION -------     ------- HX ------    ------- HY ------    "
      "------- HZ ------\n"
      "      X         Y         Z       MAGNITUDE   PHASE    MAGNITUDE   PHASE    "
      "MAGNITUDE   PHASE\n"
      "    METERS    METERS    METERS      AMPS/M  DEGREES      AMPS/M  DEGREES      "
      "AMPS/M  DEGREES\n   -1.0000 "));
}

/// RP 1: a row of nec2c 1.3; at theta = atan(500 / 1), phi = 90 degrees.
TEST(NearFieldListing, NearGroundLooksAsNec2c) {
  test::Sample sample = test::make_sample();
  NearFieldResult result;
  result.request.grid = Grid::near_ground;
  result.request.start[0] = 1;
  result.request.start[1] = 90;
  result.request.start[2] = 500;
  const double theta = std::atan2(500.0, 1.0);
  const Complex e_theta = std::polar(4.5041e-6, 43.97 * pi / 180),
                e_r = std::polar(7.8988e-7, -108.71 * pi / 180);
  result.field = {-std::polar(2e-6, pi / 6),
                  std::cos(theta) * e_theta + std::sin(theta) * e_r,
                  -std::sin(theta) * e_theta + std::cos(theta) * e_r};
  sample.solution.frequencies[0].near_fields = {result};
  const std::string text = solution_listing(sample.problem, sample.solution);
  EXPECT_TRUE(contains(
      text,
      "\n\n\n                             ------- RADIATED FIELDS NEAR GROUND "
      "--------\n\n"
      "    ------- LOCATION -------     --- E(THETA) ---     ---- E(PHI) ----    "
      "--- E(RADIAL) ---\n"
      "      RHO    PHI        Z           MAG    PHASE         MAG    PHASE     "
      "   MAG     PHASE\n"
      "    METERS DEGREES    METERS      VOLTS/M DEGREES      VOLTS/M DEGREES    "
      " VOLTS/M  DEGREES\n"
      "    500.00   90.00      1.00   4.5041E-06   43.97   2.0000E-06   30.00   "
      "7.8988E-07 -108.71\n"));
}

TEST(NearFieldListing, TablesComeInTheOrderOfTheCards) {
  test::Sample sample = near_sample();
  const auto order = [&] {
    const std::string text = solution_listing(sample.problem, sample.solution);
    std::string found;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      if (line.find("- NEAR ELECTRIC") != std::string::npos) found += 'E';
      if (line.find("- NEAR MAGNETIC") != std::string::npos) found += 'H';
      if (line.find("- RADIATION PAT") != std::string::npos) found += 'R';
    }
    return found;
  };
  // The empty request prints its heading, as in nec2c.
  EXPECT_EQ(order(), "ERERHERER");
  for (FrequencyResult& result : sample.solution.frequencies)
    if (result.run == 0) result.near_fields[0].request.last_frequency_only = true;
  EXPECT_EQ(order(), "RERHERER");
}

class NearFieldHdf5 : public ::testing::Test {
 protected:
  NearFieldHdf5() {
    write_hdf5(path_, sample_.problem, {}, sample_.solution, "thinwire solve sample.nec");
  }
  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "near.h5";
  test::Sample sample_ = near_sample();
};

TEST_F(NearFieldHdf5, FieldsAreNumberedOverRunsWithoutEmptyOnes) {
  const Hdf5Reader in(path_);
  EXPECT_EQ(in.children("/near_field"), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(in.shape("/near_field/0/e_v_per_m"), (Shape{2, 2, 3, 4, 3}));
  const auto e = in.complexes("/near_field/0/e_v_per_m");
  EXPECT_EQ(e[0], sample_.solution.frequencies[0].near_fields[0].field[0]);
  EXPECT_EQ(e[72 + 5], sample_.solution.frequencies[1].near_fields[0].field[5]);
  EXPECT_EQ(in.doubles("/near_field/0/x_m"), (std::vector<double>{1, 1.5, 2, 2.5}));
  EXPECT_EQ(in.doubles("/near_field/0/y_m"), (std::vector<double>{20, 30, 40}));
  EXPECT_EQ(in.doubles("/near_field/0/z_m"), (std::vector<double>{30, 45}));
  EXPECT_EQ(in.doubles("/near_field/0/frequency_hz"),
            (std::vector<double>{299.8e6, 310e6}));
  EXPECT_EQ(in.attribute_text("/near_field/0", "grid"), "rectangular");

  EXPECT_EQ(in.shape("/near_field/1/h_a_per_m"), (Shape{1, 2, 3, 4, 3}));
  EXPECT_EQ(in.doubles("/near_field/1/r_m")[3], 2.5);
  EXPECT_EQ(in.doubles("/near_field/1/phi_deg")[2], 40);
  EXPECT_EQ(in.doubles("/near_field/1/theta_deg")[1], 45);
  EXPECT_EQ(in.attribute_text("/near_field/1", "grid"), "spherical");
  EXPECT_EQ(in.attribute_integer("/near_field/1", "run"), 1);
  const auto position = in.doubles("/near_field/1/position_m");
  EXPECT_NEAR(position[3 * 1 + 2], 1.5 * std::sqrt(0.75), 1e-12);
  EXPECT_EQ(in.complexes("/near_field/2/e_v_per_m")[71],
            sample_.solution.frequencies[2].near_fields[2].field[71]);
}

TEST_F(NearFieldHdf5, AxesAndUnits) {
  const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const auto attached = [&](const char* dataset, const char* scale, unsigned axis) {
    const hid_t d = H5Dopen2(file, dataset, H5P_DEFAULT);
    const hid_t s = H5Dopen2(file, scale, H5P_DEFAULT);
    const bool is = H5DSis_attached(d, s, axis) > 0;
    H5Dclose(s);
    H5Dclose(d);
    return is;
  };
  const char* e = "/near_field/0/e_v_per_m";
  EXPECT_TRUE(attached(e, "/run_0_frequency_hz", 0));
  EXPECT_TRUE(attached(e, "/near_field/0/z_m", 1));
  EXPECT_TRUE(attached(e, "/near_field/0/y_m", 2));
  EXPECT_TRUE(attached(e, "/near_field/0/x_m", 3));
  EXPECT_TRUE(attached(e, "/xyz", 4));
  EXPECT_TRUE(attached("/near_field/1/position_m", "/near_field/1/theta_deg", 0));
  EXPECT_TRUE(attached("/near_field/1/position_m", "/near_field/1/r_m", 2));
  H5Fclose(file);
  const Hdf5Reader in(path_);
  EXPECT_EQ(in.attribute_text(e, "units"), "V/m");
  EXPECT_EQ(in.attribute_text("/near_field/1/h_a_per_m", "units"), "A/m");
  EXPECT_EQ(in.attribute_text("/near_field/1/h_a_per_m", "long_name"),
            "near magnetic field, peak, x y z");
}

TEST(NearFieldHdf5Alone, NoRequestsNoGroup) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "none.h5";
  const test::Sample sample = test::make_sample();
  write_hdf5(path, sample.problem, {}, sample.solution, "");
  EXPECT_FALSE(Hdf5Reader(path).exists("/near_field"));
}

}  // namespace
}  // namespace thinwire
