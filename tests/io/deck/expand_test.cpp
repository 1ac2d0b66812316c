// Symbols given from outside, and decks with symbols and formulas resolved.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "tests/io/deck/deck_testing.h"
#include "tests/io/temporary_folder.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

namespace fs = std::filesystem;

constexpr const char* deck =
    "CM a dipole of symbols\nCE\nsy H=5/2 ' half its length\nSY n=9, r=1 mm\n"
    "GW\t1\tn\t0\t0\t-h * 2 / 2\t0\t0\tH\tr\nGE 0\nFR 0 1 0 0 30\nEX 0 1 (n + 1)/2\n"
    "Z0 75\nXQ\n";

Problem with(const SymbolValues& values) {
  std::vector<std::string> warnings;
  return read_deck(deck, "t.nec", warnings, {}, values);
}

std::string expanded(const SymbolValues& values = {}) {
  std::vector<std::string> warnings;
  return expanded_deck(deck, "t.nec", warnings, values);
}

TEST(SymbolValues, HoldInsteadOfWhatTheDeckSays) {
  const Problem problem = with({{"h", 2}, {"N", 5}});
  ASSERT_EQ(problem.structure.segments().size(), 5u);
  EXPECT_EQ(problem.structure.segments()[0].start_m.z, -2);
  EXPECT_EQ(problem.structure.segments()[4].end_m.z, 2);
  EXPECT_EQ(problem.runs.at(0).sources.at(0).segment, 2u);
  EXPECT_EQ(problem.structure.segments()[0].radius_m, 0.001);
}

TEST(SymbolValues, NamesThatTheDeckLacksAreRefusedWithThoseItHas) {
  EXPECT_EQ(test::error_message(ErrorKind::usage,
                                [&] {
                                  with({{"x", 2}});
                                }),
            "--set x: no SY card defines that symbol (the deck defines h, n, r).");
}

TEST(Expand, ResolvesSymbolsAndFormulas) {
  const std::string rest = "GE 0\nFR 0 1 0 0 30\nEX 0 1 5\nXQ\nEN\n";
  EXPECT_EQ(expanded(),
            "CM a dipole of symbols\nCE\nGW 1 9 0 0 -2.5 0 0 2.5 0.001\n" + rest);
  EXPECT_EQ(expanded({{"h", 1.0 / 3}}),
            "CM a dipole of symbols\nCE\nGW 1 9 0 0 -0.3333333333 0 0 0.3333333333 "
            "0.001\n" +
                rest);
}

TEST(Expand, PutsInTheCeAndEnThatNecWants) {
  std::vector<std::string> warnings;
  EXPECT_EQ(expanded_deck("GW 1 3 0 0 0 0 0 1 .01 mast ! wire\nGE 0 end\nNX\n", "t.nec",
                          warnings),
            "CE\nGW 1 3 0 0 0 0 0 1 0.01\nGE 0\nEN\n");
}

TEST(Expand, RefusesWhatTheReaderRefuses) {
  std::vector<std::string> warnings;
  EXPECT_THROW(expanded_deck("GW 1 3 0 0 0 0 0 q .01\nGE\nEN\n", "t.nec", warnings),
               Error);
}

/// Largest distance between ends of segments, and whether all else is the same.
double distance_m(const Problem& a, const Problem& b) {
  const auto &s = a.structure.segments(), &t = b.structure.segments();
  if (s.size() != t.size() || a.runs.size() != b.runs.size()) return 1e300;
  double largest = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    largest = std::max({largest, norm(s[i].start_m - t[i].start_m),
                        norm(s[i].end_m - t[i].end_m),
                        std::abs(s[i].radius_m - t[i].radius_m)});
    if (s[i].tag != t[i].tag) return 1e300;
  }
  for (std::size_t r = 0; r < a.runs.size(); ++r) {
    const Run &x = a.runs[r], &y = b.runs[r];
    if (x.frequency_hz.size() != y.frequency_hz.size() || x.ground != y.ground ||
        x.sources.size() != y.sources.size() || x.loads.size() != y.loads.size() ||
        x.patterns.size() != y.patterns.size() ||
        x.near_fields.size() != y.near_fields.size())
      return 1e300;
    for (std::size_t i = 0; i < x.sources.size(); ++i)
      if (x.sources[i].segment != y.sources[i].segment) return 1e300;
  }
  return largest;
}

TEST(Expand, IsReadBackTheSame) {
  for (const char* folder : {"tests/decks", "examples"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(THINWIRE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".nec") continue;
      SCOPED_TRACE(entry.path().string());
      std::vector<std::string> warnings;
      const std::string text = read_deck_text(entry.path());
      const std::string plain = expanded_deck(text, "t.nec", warnings);
      EXPECT_EQ(plain.find("SY"), std::string::npos);
      const Problem before = read_deck(text, "t.nec", warnings);
      EXPECT_LT(distance_m(before, read_deck(plain, "t.nec", warnings)), 1e-7);
    }
  }
}

/// nec2c of the same antenna written with numbers and with symbols.
TEST(Expand, IsReadByNec2c) {
  if (std::system("command -v nec2c >/dev/null") != 0)
    GTEST_SKIP() << "nec2c is not installed";
  const test::TemporaryFolder folder;
  const auto listing = [&](const std::string& text) {
    test::write_file(folder / "d.nec", text);
    const std::string command = "cd '" + folder.path().string() +
                                "' && timeout 20 nec2c -i d.nec -o d.out >/dev/null 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);
    const std::string all = test::read_file(folder / "d.out");
    const std::size_t at = all.find("ANTENNA INPUT PARAMETERS");
    EXPECT_NE(at, std::string::npos) << all;
    return all.substr(at, 600);
  };
  EXPECT_EQ(
      listing(expanded()),
      listing("CM a dipole\nCE\nGW 1 9 0 0 -2.5 0 0 2.5 .001\nGE 0\nFR 0 1 0 0 30 0\n"
              "EX 0 1 5 0 1 0\nXQ\nEN\n"));
}

}  // namespace
}  // namespace thinwire
