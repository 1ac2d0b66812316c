// WG and GF: a matrix kept by one deck and taken by another.
#include <gtest/gtest.h>

#include <complex>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using test::Program;

const std::string wires = "CE\nGW 1 9 0 0 1 0 0 3 .001\nGW 2 7 1 0 1.2 1 .3 2.8 .002\n";

/// The first port of the first frequency.
std::complex<double> impedance(const Program::Result& result) {
  const auto json = nlohmann::json::parse(result.out);
  const auto& z = json["frequencies"][0]["ports"][0]["impedance_ohm"];
  return {z[0].get<double>(), z[1].get<double>()};
}

/// Kept with a source on tag 1, taken for one on tag 2; with loads, over ground. As
/// given, the mesh knows nothing of sources, so that the whole deck gives the same to
/// rounding.
TEST(MatrixFile, GivesAnotherSourceWhatTheWholeDeckGives) {
  const Program thinwire;
  const std::string environment =
      "GE 1\nFR 0 1 0 0 70\nGN 1\nLD 5 0 0 0 1e5\nLD 4 1 5 5 50 -20\n";
  thinwire.write("keep.nec", wires + environment + "WG\nEN\n");
  thinwire.write("take.nec",
                 "CE\nGF 0 keep.wg.h5\nGE\nEX 0 2 4 0 1\nRP 0 10 1 1000 0 0 10 0\nEN\n");
  thinwire.write("whole.nec",
                 wires + environment + "EX 0 2 4 0 1\nRP 0 10 1 1000 0 0 10 0\nEN\n");
  const auto kept = thinwire("solve keep.nec --mesh as-given -o none");
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_TRUE(contains(kept.err, "wrote keep.wg.h5"));
  const auto taken = thinwire("solve take.nec --mesh as-given -o none --json --quiet"),
             whole = thinwire("solve whole.nec --mesh as-given -o none --json --quiet");
  ASSERT_EQ(taken.code, 0) << taken.err;
  EXPECT_LT(std::abs(impedance(taken) - impedance(whole)),
            1e-9 * std::abs(impedance(whole)));
  const auto loss = [](const Program::Result& r) {
    return nlohmann::json::parse(r.out)["frequencies"][0]["loss_power_w"].get<double>();
  };
  EXPECT_NEAR(loss(taken), loss(whole), 1e-9 * loss(whole));
  // nec2c's command line reads the matrix, too.
  EXPECT_EQ(thinwire("nec2c -i take.nec -o take.out --mesh as-given").code, 0);
  EXPECT_EQ(thinwire("check take.nec").code, 0);
  EXPECT_TRUE(contains(thinwire("info keep.wg.h5").out, "70 MHz"));
}

// The mesh is refined towards the bend, where the matrix includes the proximity effect.
TEST(MatrixFile, GivesABentWireWhatTheDeckGives) {
  const Program thinwire;
  const std::string bent =
      "CE\nGW 1 9 0 0 0 .5 0 0 .01\nGW 2 9 .5 0 0 .5 .5 0 .01\nGE\nFR 0 1 0 0 150\n";
  thinwire.write("keep.nec", bent + "EX 0 1 5 0 1\nWG 0 m.ngf\nEN\n");
  thinwire.write("whole.nec", bent + "EX 0 1 5 0 1\nXQ\nEN\n");
  thinwire.write("take.nec", "CE\nGF 0 m.ngf\nGE\nEX 0 1 5 0 1\nXQ\nEN\n");
  for (const char* proximity : {"", " --proximity off"}) {
    ASSERT_EQ(thinwire(std::string("solve keep.nec --force -o none") + proximity).code,
              0);
    const auto taken = thinwire("solve take.nec -o none --json --quiet"),
               whole = thinwire(std::string("solve whole.nec -o none --json --quiet") +
                                proximity);
    ASSERT_EQ(taken.code, 0) << taken.err;
    EXPECT_LT(std::abs(impedance(taken) - impedance(whole)),
              1e-9 * std::abs(impedance(whole)))
        << proximity;
  }
}

TEST(MatrixFile, RefusesWhatItDoesNotHold) {
  const Program thinwire;
  thinwire.write("keep.nec", wires + "GE\nFR 0 1 0 0 70\nEX 0 1 5\nWG 0 m.ngf\nEN\n");
  ASSERT_EQ(thinwire("solve keep.nec -o none").code, 0);
  const auto said = [&](const std::string& cards, const std::string& options = "") {
    thinwire.write("take.nec", "CE\n" + cards + "\nEN\n");
    const auto run = thinwire("solve take.nec -o none " + options);
    EXPECT_NE(run.code, 0);
    return run.err;
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string rest = "\nEX 0 1 5\nXQ";
  EXPECT_TRUE(
      has(said("GF 0 m.ngf\nGE\nFR 0 1 0 0 71" + rest), "holds the matrix at 70 MHz"));
  const char* const other = "holds the matrix at 70 MHz, and other frequencies";
  EXPECT_TRUE(has(said("GF 0 m.ngf\nGE" + rest, "--frequency 71"), other));
  EXPECT_TRUE(has(said("GF 0 m.ngf\nGE" + rest, "--frequency 70,70"), other));
  EXPECT_FALSE(
      has(said("GF 0 m.ngf\nGE" + rest, "--mesh as-given --frequency 70"), other));
  EXPECT_TRUE(has(said("GF 0 m.ngf\nGE\nGN 1" + rest), "was made over another ground"));
  EXPECT_TRUE(has(said("GF 0 m.ngf\nGE\nLD 4 1 5 5 50" + rest), "holds its loads"));
  EXPECT_TRUE(has(said("GF 0 m.ngf\nGW 3 9 5 0 0 5 0 1 .001\nGE" + rest),
                  "Give the whole structure in one deck"));
  EXPECT_TRUE(has(said("GF 0 m.ngf\nGE 1" + rest), "was made with GE 0"));
  EXPECT_TRUE(
      has(said("GF 0 m.ngf\nGE" + rest, "--mesh as-given"), "Give the same here"));
  EXPECT_TRUE(has(said("GF 0 none.ngf\nGE" + rest), "none.ngf"));
  EXPECT_TRUE(has(said("GF 0 keep.nec\nGE" + rest), "keep.nec"));
  EXPECT_TRUE(has(said("GF 0 m.ngf\nGE\nWG" + rest), "cannot be used in a deck with GF"));
  EXPECT_TRUE(has(said("GW 1 9 0 0 0 0 0 1 .001\nGE\nFR 0 2 0 0 70 1\nWG" + rest),
                  "FR asks for 2 frequencies"));
  EXPECT_TRUE(
      has(said("GW 1 9 0 0 0 0 0 1 .001\nGE\nFR 0 1 0 0 70 1\nWG ../m.ngf" + rest),
          "without a folder"));
  thinwire.write("other.nec", "CE\nGF 0 m.ngf\nGE\nEX 0 2 4\nXQ\nEN\n");
  EXPECT_TRUE(has(thinwire("solve other.nec -o none").err,
                  "not fine at segment 4 of tag 2, which is fed"));
  // A file of the user's own is not written over.
  thinwire.write("mine", "text");
  EXPECT_TRUE(has(said("GW 1 9 0 0 0 0 0 1 .001\nGE\nFR 0 1 0 0 70 1\nEX 0 1 5\nWG mine"),
                  "mine"));
}

}  // namespace
}  // namespace thinwire
