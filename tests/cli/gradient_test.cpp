// solve --gradient: derivatives of impedances by the symbols of a deck.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "io/result/hdf5_file.h"
#include "tests/cli/program.h"

namespace thinwire::gradient_test {
namespace {

using test::Program;

/// Two dipoles; the second is as long as a symbol derived from the first's says.
constexpr const char* deck =
    "CE\nSY h=0.24, ratio=0.95, h2=h*ratio, d=15cm\n"
    "GW 1 9 0 0 -h 0 0 h .001\nGW 2 9 d 0 -h2 d 0 h2 .001\nGE\n"
    "EX 0 1 5 0 1 0\nFR 0 2 0 0 300 5\nXQ\nEN\n";

std::complex<double> complex(const nlohmann::json& z) {
  return {z[0].get<double>(), z[1].get<double>()};
}

TEST(Gradient, IsTheDifferenceBetweenDecks) {
  const Program thinwire;
  thinwire.write("two.nec", deck);
  const auto solved = [&](const std::string& options) {
    const auto run = thinwire.succeeds("solve two.nec --json --quiet -o none " + options);
    return nlohmann::json::parse(run.out);
  };
  const auto json = solved("--gradient h --gradient D");
  for (const auto& [name, value] : {std::pair{"h", 0.24}, std::pair{"d", 0.15}})
    for (std::size_t f = 0; f < 2; ++f) {
      const double step = 1e-4 * value;
      const auto at = [&](int n) {
        return complex(solved(fmt::format(
            "--set {}={:.15g}", name,
            value + n * step))["frequencies"][f]["ports"][0]["impedance_ohm"]);
      };
      const std::complex<double>
          expected = (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step),
          got = complex(json["frequencies"][f]["impedance_derivatives_ohm"][name][0]);
      EXPECT_LT(std::abs(got - expected), 1e-6 * std::abs(expected)) << name;
    }
}

TEST(Gradient, IsInTheListing) {
  const Program thinwire;
  thinwire.write("two.nec", std::string(deck).replace(std::string(deck).find("XQ"), 2,
                                                      "RP 0 1 2 1000 90 0 0 180"));
  const auto run = thinwire(
      "solve two.nec --gradient h --gradient d --listing - -o none --json --quiet");
  EXPECT_NE(run.code, 0);  // both write to standard output
  const auto listing =
      thinwire("solve two.nec --gradient h --gradient d --listing - -o none --quiet");
  ASSERT_EQ(listing.code, 0) << listing.err;
  const auto json = nlohmann::json::parse(
      thinwire("solve two.nec --gradient h --gradient d -o none --json --quiet").out);
  const auto derivative =
      complex(json["frequencies"][1]["impedance_derivatives_ohm"]["d"][0]);
  EXPECT_TRUE(contains(listing.out, "DERIVATIVES OF THE IMPEDANCES"));
  EXPECT_TRUE(contains(listing.out, fmt::format("d  1.5000E-01 {:11.4E} {:11.4E}\n",
                                                derivative.real(), derivative.imag())));
  EXPECT_TRUE(contains(listing.out, "DERIVATIVES OF GAIN, FRONT TO BACK RATIO"));
  const auto without = thinwire("solve two.nec --listing - -o none --quiet");
  EXPECT_FALSE(contains(without.out, "DERIVATIVES"));
}

TEST(Gradient, CountsInThePredictedTime) {
  const Program thinwire;
  thinwire.write("two.nec", deck);
  const auto predicted_s = [&](const std::string& options) {
    const auto run =
        thinwire.succeeds("solve two.nec --json --dry-run --threads 1 " + options);
    return nlohmann::json::parse(run.out)["predicted_seconds"].get<double>();
  };
  EXPECT_GT(predicted_s("--gradient h"), predicted_s(""));
}

/// Returns the deck with a pattern.
std::string deck_with_pattern() {
  std::string text = deck;
  return text.replace(text.find("XQ"), 2, "RP 0 2 2 1000 70 20 40 180");
}

TEST(Gradient, OfGainIsTheDifferenceBetweenDecks) {
  const Program thinwire;
  thinwire.write("two.nec", deck_with_pattern());
  const auto solved = [&](const std::string& options) {
    const auto run = thinwire.succeeds("solve two.nec --json --quiet -o none " + options);
    return nlohmann::json::parse(run.out);
  };
  const auto json = solved("--gradient d");
  for (std::size_t f = 0; f < 2; ++f) {
    const auto& derivatives = json["frequencies"][f]["gain_derivatives"][0];
    for (const auto& [derivative, number] :
         {std::pair{"gain_derivatives_db", "gain_max_dbi"},
          std::pair{"front_to_back_derivatives_db", "front_to_back_db"}}) {
      const double step = 1e-4 * 0.15;
      const auto at = [&](int n) {
        return solved(fmt::format(
            "--set d={:.15g}", 0.15 + n * step))["frequencies"][f]["patterns"][0][number]
            .get<double>();
      };
      const double expected = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
      EXPECT_NEAR(derivatives[derivative]["d"].get<double>(), expected,
                  1e-6 * std::abs(expected));
    }
  }
}

TEST(Gradient, OfGainIsInTableCsvAndFile) {
  const Program thinwire;
  thinwire.write("two.nec", deck_with_pattern());
  const auto run = thinwire("solve two.nec --quiet -o two.h5 --csv two.csv --gradient h");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "dgain dB/unit"));
  EXPECT_TRUE(
      contains(test::read_file(thinwire / "two.csv"),
               "power_balance,gap,dzreal/dh,dzimag/dh,dgain_max/dh,dfb_ratio/dh\n"));
  const auto as_json = thinwire("solve two.nec --quiet -o none --json --gradient h");
  const auto derivatives =
      nlohmann::json::parse(as_json.out)["frequencies"][1]["gain_derivatives"][0];
  const Hdf5Reader file(thinwire / "two.h5");
  EXPECT_EQ(file.doubles("/pattern/0/gain_derivative_db").at(1),
            derivatives["gain_derivatives_db"]["h"].get<double>());
  EXPECT_EQ(file.doubles("/pattern/0/front_to_back_derivative_db").at(1),
            derivatives["front_to_back_derivatives_db"]["h"].get<double>());
  EXPECT_EQ(file.doubles("/pattern/0/gain_derivative_theta_deg").at(1), 70);
}

TEST(Gradient, OfGainIsSolvedAtEveryFrequencyOfAFastSweep) {
  const Program thinwire;
  thinwire.write("two.nec", deck_with_pattern());
  const auto run = thinwire.succeeds("solve two.nec -o none --sweep fast --gradient h");
  EXPECT_TRUE(contains(run.err,
                       "every frequency was solved, not only some: --gradient "
                       "differentiates gains"));
  const auto dry = thinwire("solve two.nec --dry-run --sweep fast --gradient h");
  EXPECT_TRUE(contains(dry.err,
                       "every frequency will be solved, not only some: --gradient "
                       "with patterns needs all"));
  const auto modelled = thinwire("solve two.nec --dry-run --sweep fast");
  EXPECT_FALSE(contains(modelled.err, "--gradient"));
}

TEST(Gradient, IsRefusedAtAStep) {
  const Program thinwire;
  // A line of length zero is as long as the distance, and a capacitance of zero absent.
  for (const char* card : {"TL 1 5 2 5 75 x", "LD 0 1 5 5 1 0 x"}) {
    thinwire.write("step.nec", fmt::format("CE\nSY x=0\nGW 1 9 0 0 -.24 0 0 .24 .001\n"
                                           "GW 2 9 .2 0 -.24 .2 0 .24 .001\nGE\n{}\n"
                                           "EX 0 1 5 0 1 0\nFR 0 1 0 0 300\nXQ\nEN\n",
                                           card));
    const auto run = thinwire("solve step.nec -o none --gradient x");
    EXPECT_NE(run.code, 0) << card;
    EXPECT_EQ(run.err,
              "thinwire: step.nec: no gradient: a load or network has a step at x = 0. "
              "Leave --gradient out.\n");
  }
}

TEST(Gradient, StandsInTheTable) {
  const Program thinwire;
  thinwire.write("two.nec", deck);
  const auto run = thinwire("solve two.nec --quiet -o none --gradient h");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "dR ohm/unit"));
  EXPECT_TRUE(contains(run.out, "0.24"));
}

TEST(Gradient, IsInTheFile) {
  const Program thinwire;
  thinwire.write("two.nec", deck);
  const auto run =
      thinwire("solve two.nec --json --quiet -o two.h5 --gradient h --gradient d");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  const Hdf5Reader file(thinwire / "two.h5");
  EXPECT_EQ(file.strings("/parameter"), (std::vector<std::string>{"h", "d"}));
  EXPECT_EQ(file.doubles("/port/parameter_value"), (std::vector<double>{0.24, 0.15}));
  const std::vector<Complex> derivatives =
      file.complexes("/port/impedance_derivative_ohm");
  ASSERT_EQ(derivatives.size(), 4u);
  EXPECT_EQ(derivatives[3],
            complex(json["frequencies"][1]["impedance_derivatives_ohm"]["d"][0]));
}

TEST(Gradient, SaysWhatItCannotGive) {
  const Program thinwire;
  thinwire.write("two.nec", deck);
  EXPECT_EQ(thinwire("solve two.nec -o none --gradient g").err,
            "thinwire: --gradient 'g': the deck has no symbol of that name (SY). Name "
            "one that it defines.\n");
  EXPECT_EQ(thinwire("solve two.nec -o none --gradient h --gradient H").err,
            "thinwire: --gradient H is given twice. Leave one out.\n");
  thinwire.write("f.nec",
                 "CE\nSY f=300\nGW 1 9 0 0 0 0 0 .5 .001\nGE\nEX 0 1 5 0 1\n"
                 "FR 0 1 0 0 f\nXQ\nEN\n");
  EXPECT_EQ(thinwire("solve f.nec -o none --gradient f").err,
            "thinwire: f.nec: no gradient: f changes frequencies, ground or sources, and "
            "only wires, loads and networks can be differentiated. Leave --gradient "
            "out.\n");
  thinwire.write("ground.nec",
                 "CE\nSY h=3\nGW 1 9 0 0 h 1 0 h .001\nGE -1\n"
                 "GN 0 12 0 0 13 .005 .7 .001\nEX 0 1 5 0 1\nFR 0 1 0 0 100\nXQ\nEN\n");
  EXPECT_TRUE(contains(thinwire("solve ground.nec -o none --gradient h").err,
                       "the radial screen of GN 0 (0.7 m) ends among the wires"));
  // A symbol that counts segments has no derivative.
  thinwire.write("count.nec",
                 "CE\nSY n=9\nGW 1 n 0 0 0 0 0 .5 .001\nGE\nEX 0 1 5 0 1\n"
                 "FR 0 1 0 0 300\nXQ\nEN\n");
  const auto run = thinwire("solve count.nec -o none --gradient n");
  EXPECT_NE(run.code, 0);
  EXPECT_EQ(run.err,
            "thinwire: --gradient n, at 8.99991: count.nec:3: GW field 2 (segments): "
            "expected a whole number, got 8.99991.\n");
}

}  // namespace
}  // namespace thinwire::gradient_test
