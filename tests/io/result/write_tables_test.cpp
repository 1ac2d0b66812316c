#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "io/result/write_csv.h"
#include "io/result/write_touchstone.h"
#include "kernels/base/error.h"
#include "tests/io/result/sample_solution.h"
#include "tests/messages.h"

namespace thinwire::write_tables_test {
namespace {

using test::lines_of;

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> cells(1);
  for (const char c : line)
    if (c == separator)
      cells.emplace_back();
    else
      cells.back() += c;
  return cells;
}

/// The table by column name, comment lines left out.
std::vector<std::map<std::string, std::string>> read_csv(const std::string& text) {
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> names;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> cells = split(line, ',');
    if (names.empty()) {
      names = cells;
      continue;
    }
    EXPECT_EQ(cells.size(), names.size()) << line;
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = cells[i];
  }
  return rows;
}

/// A sample with one run and one port only.
test::Sample one_port() {
  test::Sample sample = test::make_sample();
  sample.solution.frequencies.resize(2);
  return sample;
}

TEST(SolutionCsv, ColumnsOfOnePort) {
  test::Sample sample = one_port();
  sample.solution.frequencies[0].ports[0].impedance_ohm = {100, 50};
  const std::string text = solution_csv(sample.problem, sample.solution);
  EXPECT_TRUE(
      contains(text,
               "\nmhz,zreal,zimag,zmag,zphase,vswr,s11,s11_real,s11_imag,gain_max,"
               "gain_max_theta,gain_max_phi,fb_ratio,run,tag,segment,power_w,"
               "input_power_w,radiated_power_w,loss_power_w,efficiency,"
               "power_balance,gap\n"));
  EXPECT_TRUE(contains(text, "linear"));
  const auto rows = read_csv(text);
  ASSERT_EQ(rows.size(), 2u);
  const auto number = [&](const char* name) { return std::stod(rows[0].at(name)); };
  // s = (50 + 50j) / (150 + 50j) = 0.4 + 0.2j, |s|^2 = 0.2
  EXPECT_NEAR(number("mhz"), 299.8, 1e-9);
  EXPECT_NEAR(number("zreal"), 100, 1e-9);
  EXPECT_NEAR(number("zimag"), 50, 1e-9);
  EXPECT_NEAR(number("zmag"), std::sqrt(12500.0), 1e-5);
  EXPECT_NEAR(number("zphase"), 26.565051, 1e-5);
  EXPECT_NEAR(number("s11"), 10 * std::log10(0.2), 1e-4);
  EXPECT_NEAR(number("s11_real"), 0.4, 1e-8);
  EXPECT_NEAR(number("s11_imag"), 0.2, 1e-8);
  EXPECT_NEAR(number("vswr"), (1 + std::sqrt(0.2)) / (1 - std::sqrt(0.2)), 1e-4);
  EXPECT_NEAR(number("gain_max"), 1, 1e-9);
  EXPECT_EQ(number("gain_max_theta"), 0);
  EXPECT_EQ(rows[0].at("fb_ratio"), "");
}

TEST(SolutionCsv, RunsAndPortsAreNamed) {
  const test::Sample sample = test::make_sample();
  const auto rows = read_csv(solution_csv(sample.problem, sample.solution));
  ASSERT_EQ(rows.size(), 4u);
  const char* expected[4][3] = {
      {"0", "1", "2"}, {"0", "1", "2"}, {"1", "1", "2"}, {"1", "7", "2"}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(rows[i].at("run"), expected[i][0]) << i;
    EXPECT_EQ(rows[i].at("tag"), expected[i][1]) << i;
    EXPECT_EQ(rows[i].at("segment"), expected[i][2]) << i;
  }
}

TEST(SolutionCsv, PowersOfPortAndFrequency) {
  const test::Sample sample = test::make_sample();
  const auto rows = read_csv(solution_csv(sample.problem, sample.solution));
  // 1 V and 8 - 6j mA: 4 mW, of which a tenth is lost and 3.5 mW are radiated.
  EXPECT_EQ(rows[1].at("power_w"), "0.004");
  EXPECT_EQ(rows[1].at("input_power_w"), "0.004");
  EXPECT_EQ(rows[1].at("radiated_power_w"), "0.0035");
  EXPECT_EQ(rows[1].at("loss_power_w"), "0.0004");
  EXPECT_EQ(rows[1].at("efficiency"), "0.875");
  EXPECT_EQ(rows[1].at("power_balance"), "0.975");
  // Two ports: 1 V and 20 mA, 2j V and 30j mA.
  EXPECT_EQ(rows[3].at("power_w"), "0.03");
  EXPECT_EQ(rows[3].at("input_power_w"), "0.04");
  EXPECT_EQ(rows[3].at("efficiency"), "");
}

TEST(SolutionCsv, TotalReflectionAndNoPattern) {
  test::Sample sample = one_port();
  sample.solution.frequencies[0].ports[0].impedance_ohm = {0, 33};
  sample.solution.frequencies[0].patterns.clear();
  const auto rows = read_csv(solution_csv(sample.problem, sample.solution));
  EXPECT_EQ(rows[0].at("vswr"), "inf");
  EXPECT_EQ(rows[0].at("gain_max"), "");
}

std::vector<std::string> data_lines(const std::string& touchstone) {
  std::vector<std::string> data;
  for (const std::string& line : lines_of(touchstone))
    if (!line.starts_with('!') && !line.starts_with('#')) data.push_back(line);
  return data;
}

std::vector<double> numbers(const std::string& line) {
  std::istringstream in(line);
  std::vector<double> values;
  for (double value; in >> value;) values.push_back(value);
  return values;
}

TEST(Touchstone, OnePort) {
  test::Sample sample = one_port();
  sample.solution.frequencies[0].ports[0].impedance_ohm = {100, 50};
  const std::string text = solution_touchstone(sample.problem, sample.solution, 0);
  EXPECT_TRUE(contains(text, "\n# HZ S RI R 50\n"));
  const auto data = data_lines(text);
  ASSERT_EQ(data.size(), 2u);
  const auto row = numbers(data[0]);
  ASSERT_EQ(row.size(), 3u);
  EXPECT_EQ(row[0], 299.8e6);
  EXPECT_NEAR(row[1], 0.4, 1e-9);
  EXPECT_NEAR(row[2], 0.2, 1e-9);
}

TEST(Touchstone, TwoPortsInTheOrderOfTheFormat) {
  test::Sample sample = test::make_sample();
  sample.solution.frequencies.erase(sample.solution.frequencies.begin(),
                                    sample.solution.frequencies.begin() + 2);
  // Not reciprocal, so that S12 and S21 differ.
  sample.solution.frequencies[0].port_impedance_ohm = {50, 20, 30, 50};
  const auto row =
      numbers(data_lines(solution_touchstone(sample.problem, sample.solution, 1)).at(0));
  ASSERT_EQ(row.size(), 9u);
  // S = (Z + 50)^-1 (Z - 50) with Z - 50 = [0 20; 30 0], det(Z + 50) = 10000 - 600.
  const double det = 9400;
  EXPECT_NEAR(row[1], -600 / det, 1e-9);  // S11
  EXPECT_NEAR(row[3], 3000 / det, 1e-9);  // S21
  EXPECT_NEAR(row[5], 2000 / det, 1e-9);  // S12
  EXPECT_NEAR(row[7], -600 / det, 1e-9);  // S22
}

TEST(Touchstone, FivePortsTakeFourNumbersALine) {
  test::Sample sample = one_port();
  sample.solution.frequencies.resize(1);
  FrequencyResult& result = sample.solution.frequencies[0];
  result.ports.resize(5, result.ports[0]);
  for (std::size_t p = 0; p < 5; ++p) result.ports[p].segment_index = p;
  result.port_impedance_ohm.assign(25, 0);
  for (std::size_t p = 0; p < 5; ++p)
    result.port_impedance_ohm[6 * p] = 50.0 * (1 + static_cast<double>(p));
  const auto data = data_lines(solution_touchstone(sample.problem, sample.solution, 0));
  ASSERT_EQ(data.size(), 10u);  // two lines a matrix row
  EXPECT_EQ(numbers(data[0]).size(), 9u);
  for (std::size_t i = 1; i < 10; ++i)
    EXPECT_EQ(numbers(data[i]).size(), i % 2 ? 2u : 8u) << i;
  // Diagonal: (50 k - 50) / (50 k + 50) at the k-th port; the third stands in line 5.
  EXPECT_NEAR(numbers(data[4])[4], 2.0 / 4.0, 1e-9);
  EXPECT_NEAR(numbers(data[9])[0], 4.0 / 6.0, 1e-9);
}

TEST(Touchstone, HoldsOneRun) {
  const test::Sample sample = test::make_sample();
  const std::string first = solution_touchstone(sample.problem, sample.solution, 0),
                    second = solution_touchstone(sample.problem, sample.solution, 1);
  ASSERT_EQ(data_lines(first).size(), 2u);
  EXPECT_EQ(numbers(data_lines(first)[0]).size(), 3u);
  ASSERT_EQ(data_lines(second).size(), 1u);
  EXPECT_EQ(numbers(data_lines(second)[0]).size(), 9u);
  EXPECT_TRUE(contains(second, "! port 2: tag 7 segment 2\n"));
}

TEST(Touchstone, NeedsThePortMatrix) {
  test::Sample sample = test::make_sample();
  sample.solution.frequencies.erase(sample.solution.frequencies.begin(),
                                    sample.solution.frequencies.begin() + 2);
  sample.solution.frequencies[0].port_impedance_ohm.clear();
  EXPECT_THROW(solution_touchstone(sample.problem, sample.solution, 1), Error);
}

std::vector<std::string> names_of(const std::vector<TouchstoneFile>& files) {
  std::vector<std::string> names;
  for (const TouchstoneFile& file : files) names.push_back(file.path.string());
  return names;
}

TEST(Touchstone, OneFileForEachRunThatHasPorts) {
  using Names = std::vector<std::string>;
  Problem problem = test::make_sample().problem;
  EXPECT_EQ(names_of(touchstone_files("x/a.b", problem)),
            (Names{"x/a.b.s1p", "x/a.b_run1.s2p"}));
  problem.runs.insert(problem.runs.begin(), thinwire::Run());
  EXPECT_EQ(names_of(touchstone_files("a", problem)), (Names{"a.s1p", "a_run2.s2p"}));
  EXPECT_EQ(touchstone_files("a", problem)[0].run, 1u);
  problem.runs[1].sources = problem.runs[2].sources;
  EXPECT_EQ(names_of(touchstone_files("a.S2P", problem)), (Names{"a.S2P", "a_run2.S2P"}));
  EXPECT_EQ(names_of(touchstone_files("/dev/null", problem)),
            (Names{"/dev/null", "/dev/null"}));
}

TEST(Touchstone, NamesThatCannotBeAreRefused) {
  Problem problem = test::make_sample().problem;
  EXPECT_THROW(touchstone_files("a.s1p", problem), Error);
  EXPECT_THROW(touchstone_files("a.s2p", problem), Error);
  EXPECT_THROW(touchstone_files("-", problem), Error);
  problem.runs.resize(1);
  EXPECT_EQ(names_of(touchstone_files("-", problem)), (std::vector<std::string>{"-"}));
  problem.runs[0].sources.clear();
  EXPECT_THROW(touchstone_files("a", problem), Error);
}

TEST(Touchstone, SingularSumIsRefused) {
  EXPECT_THROW(scattering_matrix({-50}, 1, 50), Error);
}

}  // namespace
}  // namespace thinwire::write_tables_test
