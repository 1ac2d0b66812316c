// Files of MMANA-GAL.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "tests/fuzz/mutate.h"
#include "tests/io/deck/deck_testing.h"

namespace thinwire::mmana_tests {
namespace {

using deck_testing::Read;

/// A dipole of 10 m at 14.15 MHz: wires on line 6, sources on 9, loads from 12 on.
std::string file(const std::string& seg = "-1",
                 const std::string& source = "w1c, 0.0, 1.0",
                 const std::string& loads = "0, 1", const std::string& radius = "0.001",
                 const std::string& ground = "0, 5.0, 0, 50.0, 120, 60, 0.0",
                 const std::string& cuts = "400, 40, 2.0, 2") {
  return "Test dipole\r\n*\r\n14.15\r\n***Wires***\r\n1\r\n-5.0, 0.0, 0.0, 5.0, 0.0, "
         "0.0, " +
         radius + ", " + seg + "\r\n*** Source ***\r\n1, 0\r\n" + source +
         "\r\n***Load***\r\n" + loads + "\r\n***Segmentation***\r\n" + cuts +
         "\r\n*** G/H/M/R/AzEl/X ***\r\n" + ground + "\r\n###Comment###\r\nBy hand\r\n";
}

Read read(const std::string& text) {
  Read result;
  try {
    result.problem = read_deck(text, "t.maa", result.warnings);
  } catch (const Error& error) {
    result.error = error.what();
  }
  return result;
}

std::string error_of(const std::string& text) {
  return read(text).error;
}

std::vector<double> lengths(const Read& read) {
  std::vector<double> all;
  for (const Segment& s : read.problem.structure.segments())
    all.push_back(norm(s.end_m - s.start_m));
  return all;
}

const double lambda_m = 299792458.0 / 14.15e6;

TEST(Mmana, OldFilesHaveNoReferenceImpedance) {
  const Read deck = read(file("-1", "w1c, 0.0, 1.0", "0, 1", "0.001", "2, 12.2, 0,"));
  ASSERT_EQ(deck.error, "");
  EXPECT_FALSE(deck.problem.reference_ohm.has_value());
}

TEST(Mmana, AFileWithoutItsMarkIsRefusedInOneLine) {
  const std::string whole = file(),
                    what = "a file of MMANA-GAL has a line * behind its title";
  for (const auto& [from, to, got] :
       {std::tuple("*\r\n14.15", "14.15", "(there is no such line)"),
        std::tuple("14.15", "14,15", "(the frequency is '14,15')"),
        std::tuple("Test dipole", "Two\nlines", "(there is no such line)")}) {
    std::string broken = whole;
    broken.replace(broken.find(from), std::string(from).size(), to);
    for (const char* name : {"t.maa", "t.txt"}) {
      std::vector<std::string> warnings;
      try {
        (void)read_deck(broken, name, warnings);
        ADD_FAILURE() << to;
      } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_EQ(text.find('\n'), text.npos) << text;
        EXPECT_NE(text.find(what), text.npos) << text;
        EXPECT_NE(text.find(got), text.npos) << text;
      }
    }
  }
  EXPECT_NE(error_of("one\n").find("(there is no such line)"), std::string::npos);
  EXPECT_NE(error_of("one\n*").find("(nothing is behind it)"), std::string::npos);
}

TEST(Mmana, TapersFromTheEndsToTheMiddle) {
  const Read deck = read(file());
  ASSERT_EQ(deck.error, "");
  ASSERT_EQ(deck.warnings.size(), 1u);
  EXPECT_NE(deck.warnings[0].find("t.maa: read as a file of MMANA-GAL: 1 wire in "),
            std::string::npos);
  const std::vector<double> l = lengths(deck);
  ASSERT_EQ(l.size() % 2, 1u);
  double sum = 0;
  for (const double x : l) sum += x;
  EXPECT_NEAR(sum, 10, 1e-9);
  // EC = 2 of a wavelength / DM1, then twice as long until a wavelength / DM2.
  for (const std::size_t i : {0, 1}) EXPECT_NEAR(l[i], lambda_m / 400, 1e-9);
  for (const std::size_t i : {2, 3, 4})
    EXPECT_NEAR(l[i], lambda_m / 400 * std::pow(2, i - 1), 1e-9);
  for (std::size_t i = 0; i < l.size(); ++i) {
    EXPECT_NEAR(l[i], l[l.size() - 1 - i], 1e-9);
    EXPECT_LE(l[i], lambda_m / 40 + 1e-9);
  }
  ASSERT_EQ(deck.problem.runs.size(), 1u);
  EXPECT_EQ(deck.problem.runs[0].sources.at(0).segment, l.size() / 2);
  EXPECT_EQ(deck.problem.runs[0].frequency_hz.size(), 1u);
  EXPECT_NEAR(deck.problem.runs[0].frequency_hz[0], 14.15e6, 1);
}

TEST(Mmana, TapersOneEndOrNone) {
  const std::vector<double> start = lengths(read(file("-2", "w1b,0,1"))),
                            end = lengths(read(file("-3", "w1e,0,1"))),
                            even = lengths(read(file("0")));
  EXPECT_NEAR(start.front(), lambda_m / 400, 1e-9);
  EXPECT_GT(start.back(), lambda_m / 50);
  ASSERT_EQ(start.size(), end.size());
  for (std::size_t i = 0; i < start.size(); ++i)
    EXPECT_NEAR(start[i], end[end.size() - 1 - i], 1e-9);
  ASSERT_EQ(even.size(), 19u);  // 18.9 are needed
  EXPECT_NEAR(even[0], 10.0 / 19, 1e-9);
}

TEST(Mmana, NumberOfSegmentsIsTakenOrMadeOdd) {
  EXPECT_EQ(lengths(read(file("12", "w1b,0,1"))).size(), 12u);
  const Read odd = read(file("12"));
  EXPECT_EQ(lengths(odd).size(), 13u);
  EXPECT_NE(odd.warnings.back().find("t.maa:9: wire 1 gets 13 segments instead of 12"),
            std::string::npos);
}

TEST(Mmana, PlacesCountFromBeginningMiddleAndEnd) {
  const auto segment = [](const std::string& place) {
    return read(file("21", place + ",0,1")).problem.runs.at(0).sources.at(0).segment;
  };
  EXPECT_EQ(segment("w1b"), 0u);
  EXPECT_EQ(segment("W1B2"), 2u);
  EXPECT_EQ(segment("w1c"), 10u);
  EXPECT_EQ(segment("w1c1"), 11u);
  EXPECT_EQ(segment("w1c-3"), 7u);
  EXPECT_EQ(segment("w1e"), 20u);
  EXPECT_EQ(segment("w1e-2"), 18u);
  EXPECT_EQ(segment("w1e2"), 18u);
  EXPECT_NE(error_of(file("21", "w1c11,0,1")).find("t.maa:9: 'w1c11' is beyond wire 1"),
            std::string::npos)
      << error_of(file("21", "w1c11,0,1"));
}

TEST(Mmana, SourceHasPhaseAndThenVoltage) {
  const Read deck = read(file("21", "w1c, 90, 2"));
  const Complex v = deck.problem.runs.at(0).sources.at(0).voltage_v;
  EXPECT_EQ(v.real(), 0);
  EXPECT_NEAR(v.imag(), 2, 1e-15);
}

/// The cards as thinwire keeps them, one a line.
std::string cards(const std::string& text) {
  return read(text).problem.deck_text;
}

TEST(Mmana, LoadsBecomeCards) {
  const auto load = [](const std::string& values) {
    const std::string text = cards(file("21", "w1c,0,1", "1, 1\r\nw1b5, " + values));
    const std::size_t at = text.find("\nLD ");
    return at == text.npos ? text : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  };
  EXPECT_EQ(load("1, 50, -20"), "LD 4 1 6 6 50 -20 0");
  EXPECT_EQ(load("0, 10, 0, 0"), "LD 0 1 6 6 0 1e-05 0");
  EXPECT_EQ(load("0, 0, 100, 0"), "LD 0 1 6 6 0 0 1e-10");
  EXPECT_EQ(load("0, 10, 100, 0"), "LD 1 1 6 6 0 1e-05 1e-10");
  EXPECT_EQ(load("0, 10, 100, 200"), "LD 6 1 6 6 200 1e-05 1e-10");
  // R = omega L / Q
  const Read coil = read(file("21", "w1c,0,1", "1, 1\r\nw1b5, 0, 10, 0, 100"));
  const double ohm = 2 * std::numbers::pi * 14.15e6 * 1e-5 / 100;
  EXPECT_NE(
      coil.problem.deck_text.find(fmt::format("LD 0 1 6 6 {:.6}", ohm).substr(0, 16)),
      std::string::npos)
      << coil.problem.deck_text;
}

TEST(Mmana, GroundRaisesTheAntenna) {
  const Read real = read(file("21", "w1c,0,1", "0, 0", ".001", "2, 7, 0, 75, 0, 0, 0"));
  ASSERT_EQ(real.error, "");
  EXPECT_EQ(real.problem.structure.segments()[0].start_m.z, 7);
  EXPECT_NE(real.problem.deck_text.find("\nGN 3 0 0 0 13 0.005\n"), std::string::npos);
  EXPECT_NE(real.problem.deck_text.find("\nZ0 75\n"), std::string::npos);
  EXPECT_NE(
      real.warnings.back().find("t.maa:15: the file has no constants of the ground"),
      std::string::npos);
  EXPECT_NE(cards(file("21", "w1c,0,1", "0, 0", ".001", "1, 7, 0, 50, 0, 0, 0"))
                .find("\nGN 1\n"),
            std::string::npos);
  // In free space there is no height.
  EXPECT_EQ(read(file()).problem.structure.segments()[0].start_m.z, 0);
}

TEST(Mmana, TitleAndCommentAreKept) {
  const std::string text = cards(file());
  EXPECT_EQ(text.substr(0, 29), "CM Test dipole\nCE By hand\nGW ");
  const Read untitled = read(file().substr(13));
  EXPECT_EQ(untitled.error, "");
  EXPECT_EQ(untitled.problem.structure.segments().size(), lengths(read(file())).size());
}

TEST(Mmana, OmitsWiresWithoutRadius) {
  std::string text = file("21");
  text.replace(text.find("\r\n1\r\n-5") + 2, 1, "2");
  text.insert(text.find("*** Source"), "0,9,0,1,9,0,0,-1\r\n");
  const Read deck = read(text);
  ASSERT_EQ(deck.error, "");
  EXPECT_EQ(deck.problem.structure.segments().size(), 21u);
  EXPECT_EQ(deck.warnings.back(), "t.maa:7: wire 2 has radius 0 and is left out.");
}

TEST(Mmana, RefusesWithLineAndReason) {
  const auto refuses = [](const std::string& text, const std::string& start) {
    EXPECT_EQ(error_of(text).substr(0, start.size()), start);
    EXPECT_EQ(error_of(text).find('\n'), std::string::npos);
  };
  refuses(file("-1", "w1c,0,1", "0,0", "-2"), "t.maa:6: wire 1 is a combined wire");
  refuses(file("-4"), "t.maa:6: field 8 (segments) must be -3 ..");
  refuses(file("1.5"), "t.maa:6: field 8 (segments) must be a whole number");
  refuses(file("-1", "w2c,0,1"), "t.maa:9: there is no wire 2 (the file has 1).");
  refuses(file("-1", "x1c,0,1"), "t.maa:9: field 1 (place) must be a wire and b, c or e");
  refuses(file("-1", "w1c,0,1x"), "t.maa:9: field 3 (voltage) must be a number");
  refuses(file("-1", "w1c,0,1", "1,1\r\nw1c,2,1,1,1"), "t.maa:12: loads of type 2");
  refuses(file("-1", "w1c,0,1", "2,1\r\nw1c,1,1,1"), "t.maa:13: a line is missing");
  refuses(file("-1", "w1c,0,1\r\nw1c,0,1"), "t.maa:10: the heading of a section");
  refuses(file("-1", "w1c,0,1", "0,0", ".001", "2, -1, 0, 50, 0, 0, 0"),
          "t.maa:6: the wire reaches 1 m below the ground.");
  refuses(file("-1", "w1c,0,1", "0,0", ".001", "3, 1, 0, 50, 0, 0, 0"),
          "t.maa:15: field 1 (G, ground) must be 0 .. 2");
  for (const char* cuts : {"1e6, 1, 1.0000001, 1", "1e6, 1e6, 2, 1"})
    refuses(file("-1", "w1c,0,1", "0,0", "1000", "0,0,0,50,0,0,0", cuts),
            "t.maa:6: the wire would get more than 100000 segments.");
  // Errors that the reader of the cards finds name the file's line, too.
  std::string twice = file("21", "w1c,0,1\r\nw1c,0,2");
  twice.replace(twice.find("1, 0\r\n"), 1, "2");
  EXPECT_NE(read(twice).error.find("t.maa:10: EX"), std::string::npos)
      << read(twice).error;
}

TEST(Mmana, WarnsOfWhatTheCardsLack) {
  const Read deck =
      read(file("21", "w1c,0,1", "1, 0\r\nw1b, 0, 1, 1, 0", ".001", "0,0,1,50,0,0,2"));
  ASSERT_EQ(deck.error, "");
  const auto warns = [&](const std::string& text) {
    for (const std::string& warning : deck.warnings)
      if (warning.starts_with(text)) return true;
    return false;
  };
  EXPECT_TRUE(warns("t.maa:11: loads are taken to be in use"));
  EXPECT_TRUE(warns("t.maa:16: material M = 1 is not read"));
  EXPECT_TRUE(warns("t.maa:16: field 7 (X) has no effect"));
  EXPECT_NE(deck.warnings[0].find("L and C of a load in parallel"), std::string::npos);
}

TEST(Mmana, ExpandsToADeckOfTheSameProblem) {
  const std::string text = file("-1", "w1c,30,2", "1, 1\r\nw1b5, 0, 10, 100, 200", ".001",
                                "2, 7, 0, 50, 0, 0, 0");
  std::vector<std::string> warnings;
  const std::string nec = expanded_deck(text, "t.maa", warnings);
  const Read a = read(text), b = deck_testing::read(nec);
  ASSERT_EQ(b.error, "");
  const std::vector<double> la = lengths(a), lb = lengths(b);
  ASSERT_EQ(la.size(), lb.size());
  for (std::size_t i = 0; i < la.size(); ++i) EXPECT_NEAR(la[i], lb[i], 1e-8);
  EXPECT_EQ(a.problem.runs[0].sources[0].segment, b.problem.runs[0].sources[0].segment);
  EXPECT_LT(std::abs(a.problem.runs[0].sources[0].voltage_v -
                     b.problem.runs[0].sources[0].voltage_v),
            1e-9);
  EXPECT_EQ(a.problem.runs[0].loads.size(), b.problem.runs[0].loads.size());
}

TEST(Mmana, TakesNoNecDeckForOne) {
  EXPECT_EQ(deck_testing::control("EX 0 1 5 0 1\nFR 0 1 0 0 30").error, "");
  std::vector<std::string> warnings;
  try {
    (void)read_deck("Title\n*\nno number\n", "t.nec", warnings);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("t.nec:1:")) << error.what();
  }
}

TEST(Mmana, SurvivesMutations) {
  const std::vector<std::string> seeds = {
      file(), file("-2", "w1b,0,1", "2, 1\r\nw1c, 0, 10, 100, 200\r\nw1e, 1, 5, 5"),
      file("12", "w1c1,90,1", "0, 1", "-1", "2, 7, 0, 75, 0, 0, 0"),
      file("0", "w1e-1,0,1", "1,0\r\nw1c,2,1,1,1", ".01", "1, 3, 1, 50, 0, 0, 1")};
  fuzz::Random random(7);
  int accepted = 0, refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = fuzz::mutate(seeds[random() % seeds.size()], seeds, random);
    Read deck;
    try {
      DeckLimits limits;
      limits.segments = 20'000;
      deck.problem = read_deck(text, "t.maa", deck.warnings, limits);
      ++accepted;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("t.maa")) << error.what();
      ++refused;
    }
    for (const std::string& warning : deck.warnings)
      EXPECT_TRUE(warning.starts_with("t.maa")) << warning;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace thinwire::mmana_tests
