// Every example of examples/ solves, keeps its power balance on both meshes, and shows
// what its README says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "io/result/hdf5_file.h"
#include "tests/cli/program.h"

namespace thinwire {
namespace {

using nlohmann::json;
using namespace test;
using Complex = std::complex<double>;

const std::string examples = std::string(THINWIRE_SOURCE_DIR) + "/examples/";

std::string deck(const std::string& name) {
  return "'" + examples + name + "/" + name + ".nec'";
}

/// The JSON document of a solve that must succeed, with no warning but those that the
/// example is known for: texts that each warning is to contain one of.
json solved(const Program& thinwire, const std::string& arguments,
            const std::vector<std::string>& known = {}) {
  const auto run = thinwire.succeeds("solve --json -o result.h5 " + arguments);
  const json document = json::parse(run.out, nullptr, false);
  EXPECT_TRUE(document.is_object()) << run.out;
  for (const std::string warning : document.at("warnings"))
    EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const std::string& text) {
      return warning.find(text) != std::string::npos;
    })) << warning;
  return document;
}

Complex impedance(const json& frequency, std::size_t port = 0) {
  const json& z = frequency.at("ports").at(port).at("impedance_ohm");
  return {z.at(0).get<double>(), z.at(1).get<double>()};
}

double vswr(Complex z, double reference_ohm) {
  const double s = std::abs((z - reference_ohm) / (z + reference_ohm));
  return (1 + s) / (1 - s);
}

/// Lossless: at every frequency as much power goes out as comes in.
void expect_power_balance(const json& document) {
  for (const json& frequency : document.at("frequencies")) {
    EXPECT_TRUE(frequency.at("solver").at("converged"));
    EXPECT_EQ(frequency.at("loss_power_w"), 0.0);
    const double in = frequency.at("input_power_w"),
                 out = frequency.at("radiated_power_w");
    EXPECT_NEAR(out / in, 1, 1e-3) << frequency.at("frequency_hz");
  }
}

/// Rows of the CSV of a deck, by column name.
std::vector<std::map<std::string, double>> csv_rows(const Program& thinwire,
                                                    const std::string& arguments) {
  EXPECT_EQ(thinwire("solve --csv table.csv " + arguments).code, 0);
  std::istringstream in(read_file(thinwire / "table.csv"));
  std::vector<std::string> names;
  std::vector<std::map<std::string, double>> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::map<std::string, double> row;
    std::size_t column = 0;
    const bool head = names.empty();
    for (std::string field; std::getline(fields, field, ','); ++column) {
      if (head) {
        names.push_back(field);
      } else if (!field.empty()) {
        row[names.at(column)] = std::stod(field);
      }
    }
    if (!head) rows.push_back(std::move(row));
  }
  return rows;
}

struct Example {
  const char* name;
  Complex graded_ohm, as_given_ohm;  ///< of the last frequency, as the READMEs have it
};

void PrintTo(const Example& example, std::ostream* out) {
  *out << example.name;
}

class Examples : public ::testing::TestWithParam<Example> {};

TEST_P(Examples, AreAsTheirReadmesSayOnBothMeshes) {
  const Program thinwire;
  const Example& example = GetParam();
  const std::pair<const char*, Complex> meshes[] = {{"graded", example.graded_ohm},
                                                    {"as-given", example.as_given_ohm}};
  for (const auto& [mesh, expected_ohm] : meshes) {
    const json document = solved(thinwire, deck(example.name) + " --mesh " + mesh);
    expect_power_balance(document);
    const Complex z = impedance(document.at("frequencies").back());
    // The READMEs print two decimals.
    EXPECT_LT(std::abs(z - expected_ohm), 0.02) << mesh << ": " << z;
  }
  EXPECT_EQ(thinwire("check " + deck(example.name)).code, 0);
}

INSTANTIATE_TEST_SUITE_P(
    , Examples,
    testing::Values(Example{"dipole", {71.80, -0.32}, {70.50, -4.33}},
                    Example{"folded_dipole", {281.98, -2.52}, {281.29, 0.43}},
                    Example{"yagi", {41.83, 0.35}, {42.33, -1.98}},
                    Example{"helix", {209.89, -66.30}, {213.71, -63.82}},
                    Example{"log_periodic", {102.95, 20.35}, {101.21, 19.27}},
                    Example{"monopole_radials", {34.23, -0.20}, {34.14, -0.88}},
                    Example{"array_10x10", {57.30, -8.21}, {56.03, -12.18}}),
    [](const auto& of) { return std::string(of.param.name); });

TEST(ExampleYagi, KeepsItsPromisesFrom144To146MHz) {
  int in_band = 0;
  for (auto& row : csv_rows(Program(), deck("yagi"))) {
    if (row["mhz"] < 144 || row["mhz"] > 146) continue;
    ++in_band;
    EXPECT_GT(row["gain_max"], 10.75) << row["mhz"];
    EXPECT_LT(row["vswr"], 1.28) << row["mhz"];
    EXPECT_GT(row["fb_ratio"], 19.7) << row["mhz"];
  }
  EXPECT_EQ(in_band, 10);
}

TEST(ExampleLogPeriodic, HasFlatVswrAndGain) {
  const auto rows = csv_rows(Program(), deck("log_periodic"));
  int in_band = 0;
  for (auto row : rows) {
    if (row["mhz"] < 470 || row["mhz"] > 700) continue;
    ++in_band;
    const Complex z(row["zreal"], row["zimag"]);
    EXPECT_LT(vswr(z, 115), 1.25) << row["mhz"];
    EXPECT_LT(vswr(z, 75), 1.75) << row["mhz"];
    EXPECT_GT(row["gain_max"], 8.75) << row["mhz"];
  }
  EXPECT_EQ(in_band, 25);
}

TEST(ExampleHelix, IsRightHandedAndNearlyCircularOnItsAxis) {
  const Program thinwire;
  ASSERT_EQ(thinwire("solve --listing out.txt " + deck("helix")).code, 0);
  std::istringstream in(read_file(thinwire / "out.txt"));
  int on_axis = 0;
  for (std::string line; std::getline(in, line);) {
    double theta = 1, phi, vertical, horizontal, total, axial_ratio, tilt;
    std::string sense;
    std::istringstream fields(line);
    if (!(fields >> theta >> phi >> vertical >> horizontal >> total >> axial_ratio >>
          tilt >> sense) ||
        theta != 0)
      continue;
    ++on_axis;
    EXPECT_EQ(sense, "RIGHT");
    EXPECT_GT(axial_ratio, 0.82);
  }
  EXPECT_GT(on_axis, 21);
}

TEST(ExampleArray, HasTheGainOfItsArea) {
  const auto rows = csv_rows(Program(), deck("array_10x10"));
  ASSERT_EQ(rows.size(), 100u);
  // 4 pi times 7 x 6 wavelengths to both sides is 24.2 dBi.
  EXPECT_NEAR(rows.front().at("gain_max"), 24.09, 0.01);
}

TEST(ExampleQuarterWave, HasHalfTheImpedanceOfItsDipole) {
  const Program thinwire;
  const json over_ground =
      solved(thinwire, "'" + examples + "monopole_radials/quarter_wave.nec'");
  // Vertical and image, both fed: two sources of one volt in series.
  thinwire.write("both.nec",
                 "CE\nSY q=299.792458/14.15/4\nGW 1 15 0 0 0 0 0 q 1mm\n"
                 "GW 2 15 0 0 -q 0 0 0 1mm\nGE\nEX 0 1 1 0 1 0\nEX 0 2 15 0 1 0\n"
                 "FR 0 1 0 0 14.15\nXQ\nEN\n");
  const json dipole = solved(thinwire, "both.nec");
  const Complex z = impedance(over_ground.at("frequencies").at(0));
  // To 1e-7, what the rules of far pairs promise.
  EXPECT_LT(std::abs(z - impedance(dipole.at("frequencies").at(0))), 1e-7 * std::abs(z));
  EXPECT_NEAR(z.real(), 39.48, 0.01);
  EXPECT_NEAR(z.imag(), 23.07, 0.01);
}

TEST(ExampleDipoleHeight, OverTheSeaIsThatOfADeeperPerfectGround) {
  const Program thinwire;
  // The table of its README: a perfect ground a complex skin depth deeper.
  const std::pair<const char*, Complex> deeper[] = {{"H=1", {7.63, -4.76}},
                                                    {"H=0.43", {6.85, -16.40}}};
  for (const auto& [height, expected] : deeper) {
    const json document = solved(thinwire, deck("dipole_height") + " --set " + height +
                                               " --set EPS=81 --set SIGMA=5");
    EXPECT_LT(std::abs(impedance(document.at("frequencies").at(0)) - expected), 0.7)
        << height;
  }
}

TEST(ExampleDipoleHeight, LosesMoreAndMoreNearTheSoil) {
  const Program thinwire;
  double before = 0;
  for (const char* height : {"H=0.5", "H=1", "H=2", "H=4"}) {
    const json document = solved(thinwire, deck("dipole_height") + " --set " + height);
    const json& frequency = document.at("frequencies").at(0);
    const double efficiency = frequency.at("efficiency");
    EXPECT_GT(efficiency, before + 0.03) << height;
    EXPECT_LT(efficiency, 0.8) << height;
    before = efficiency;
  }
}

/// Gain in direction `ahead` over that in `behind`, dB, of a pattern of result.h5.
double gain_ratio_db(const Program& thinwire, const char* pattern, std::size_t ahead,
                     std::size_t behind) {
  const auto gain =
      Hdf5Reader(thinwire / "result.h5").doubles(std::string(pattern) + "/gain_dbi");
  return gain.at(ahead) - gain.at(behind);
}

TEST(ExampleBeverage, HearsOneSideWhereItsEndSwallowsTheWave) {
  const Program thinwire;
  // GE 1 joins both ends to soil without a stake, which is said.
  const auto solve_with = [&](const char* termination) {
    const json document = solved(thinwire, deck("beverage") + " --set " + termination,
                                 {"stands on real ground"});
    return impedance(document.at("frequencies").at(0));
  };
  // Azimuth in steps of two degrees.
  EXPECT_LT(std::abs(solve_with("R=450") - Complex(478.72, 14.77)), 0.02);
  EXPECT_NEAR(gain_ratio_db(thinwire, "/pattern/1", 0, 90), 18.0, 0.1);
  solve_with("R=0.001");
  EXPECT_NEAR(gain_ratio_db(thinwire, "/pattern/1", 0, 90), 1.5, 0.1);
}

TEST(ExamplePhasedVerticals, HaveACardioid) {
  const Program thinwire;
  const json document = solved(thinwire, deck("phased_verticals"));
  const json& middle = document["frequencies"][5];
  EXPECT_LT(std::abs(impedance(middle) - Complex(25.11, 13.84)), 0.02);
  const std::size_t first = 5 * std::size_t{181};
  EXPECT_NEAR(gain_ratio_db(thinwire, "/pattern/0", first, first + 90), 28.3, 0.1);
  // Voltages and currents of the lines' closed form: equal currents, 90 degrees apart.
  const auto current = [&](std::size_t i) {
    const json& at = middle["network_connections"][i];
    const Complex value(at["current_a"][0], at["current_a"][1]);
    return std::pair(at["tag"].get<int>(), value);
  };
  std::map<int, Complex> currents;
  for (std::size_t i = 0; i < middle["network_connections"].size(); ++i)
    currents.insert(current(i));
  EXPECT_LT(std::abs(currents[1] / currents[2] - Complex(0, -1)), 1e-4);
}

TEST(ExampleReceivingFlag, HasItsNullTowardsTheResistor) {
  const json document = solved(Program(), deck("receiving_flag"));
  const auto received = [&](std::size_t wave) {
    const json& v =
        document["frequencies"][1 + wave]["network_connections"][0]["voltage_v"];
    return std::abs(Complex(v[0], v[1]));
  };
  // The waves of the first group come from phi = 0, 5, 10, ...
  EXPECT_NEAR(20 * std::log10(received(36) / received(0)), 23.0, 0.1);
  EXPECT_NEAR(received(36), 2.226, 1e-3);
}

}  // namespace
}  // namespace thinwire
