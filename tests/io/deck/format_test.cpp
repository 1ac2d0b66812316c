// The form of a deck: lines, comments, separators, numbers, symbols.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/io/deck/deck_testing.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using deck_testing::geometry;
using deck_testing::read;

TEST(DeckFormat, AllTheseSpellTheSameWire) {
  for (const char* cards :
       {"GW 1 2 0 0 0 0 0 1 .001", "gw 1 2 0 0 0 0 0 1 .001", "GW1 2 0 0 0 0 0 1 .001",
        "GW,1,2,0,0,0,0,0,1,.001", "GW 1, 2, 0, 0, 0, 0, 0, 1, 1.E-3",
        "GW 1 , 2 , 0 , 0 , 0 0 0 1 .001", "GW\t1\t2\t0\t0\t0\t0\t0\t1\t.001",
        "   GW 1 2 0. 0. -0 +0 0.0E+00 +1 1.0D-3", "GW 1. 2.0 0 0 0 0 0 1 .001",
        "GW 1 2 0 0 0 0 0 1 .001 ' a comment", "GW 1 2 0 0 0 0 0 1 .001! a comment",
        "GW 1 2 0 0 0 0 0 1 .001 # a comment", "# a comment\nGW 1 2 0 0 0 0 0 1 .001",
        "! a comment\n' another\n\n  \nGW 1 2 0 0 0 0 0 1 .001",
        "GW 1 2 0 0 0 0 0 1 .001\r", "SY a=1, b = a*2\nGW a b 0 0 0 0 0 b-a 1mm",
        "SY r=1 mm ' radius\nGW 1 2 0 0 0 0 0 max(1, 0.5) R",
        "SY dia=#12\nGW 1 2 0 0 0 0 0 1 dia-dia+0.001"}) {
    SCOPED_TRACE(cards);
    const auto r = geometry(cards);
    ASSERT_EQ(r.error, "");
    EXPECT_EQ(r.warnings.size(), 0u);
    ASSERT_EQ(r.problem.structure.segments().size(), 2u);
    const Segment& last = r.problem.structure.segments()[1];
    EXPECT_EQ(last.end_m, (Vec3{0, 0, 1}));
    EXPECT_EQ(last.radius_m, 0.001);
    EXPECT_EQ(last.tag, 1);
  }
}

/// All threads read such a deck ahead.
TEST(DeckFormat, OfAMillionCharactersIsReadInOrder) {
  constexpr int wires = 40'000, symbol = 17'000, broken = 33'000;
  const auto deck = [](const char* one_line) {
    std::string text = "CM many\nCE\nSY a=1\n";  // so that wire i is on line i + 3
    for (int i = 1; i <= wires; ++i)
      text += i == symbol ? "SY a=2\n"
              : i == broken && *one_line
                  ? one_line
                  : "GW " + std::to_string(i) + " 1 0 0 " + std::to_string(i) + " a 0 " +
                        std::to_string(i) + " 1.000E-3\n";
    return text + "GE\nEX 0 1 1 0 1\nXQ\nEN\n1 \x01 is no card\n";
  };
  ASSERT_GT(deck("").size(), std::size_t{1} << 20);
  const auto r = read(deck(""));
  ASSERT_EQ(r.error, "");
  const auto& segments = r.problem.structure.segments();
  ASSERT_EQ(segments.size(), wires - 1u);
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const int wire = static_cast<int>(s) + (s + 1 < symbol ? 1 : 2);
    ASSERT_EQ(segments[s].tag, wire);
    ASSERT_EQ(segments[s].end_m, (Vec3{wire < symbol ? 1.0 : 2.0, 0, double(wire)}));
  }
  EXPECT_EQ(read(deck("GW 7 1 0 0 0 b 0 0 1\n")).error,
            "t.nec:33003: GW field 6 (x2): expected a number, got 'b': 'b' is neither a "
            "number nor defined by an SY card.");
  EXPECT_EQ(read(deck("7 GW\n")).error,
            "t.nec:33003: a card starts with two letters (got '7 GW').");
  EXPECT_EQ(read(deck("GW \x02\n")).error,
            "t.nec:33003: the file is not text (control character 2). Give a NEC deck.");
}

TEST(DeckFormat, OtherEncodingsThanUtf8AreReadAsLatin1) {
  const std::string cards =
      "\nCE\nGW 1 3 0 0 0 0 0 1 .001\nGE\nEX 0 1 2 0 1\nFR 0 1 0 0 30\nXQ\nEN\n";
  const auto latin = read("CM caf\xe9" + cards), utf8 = read("CM caf\xc3\xa9" + cards);
  ASSERT_EQ(latin.error, "");
  EXPECT_EQ(latin.problem.comments, utf8.problem.comments);
  EXPECT_EQ(latin.problem.deck_text, utf8.problem.deck_text);
  EXPECT_EQ(utf8.problem.deck_text, "CM caf\xc3\xa9" + cards);
  std::istringstream file("CM caf\xe9" + cards);
  EXPECT_EQ(read_deck_text(file, "t.nec"), "CM caf\xc3\xa9" + cards);
}

TEST(DeckFormat, NamesOfDecksAreMadeSafe) {
  std::vector<std::string> warnings;
  const Problem problem =
      read_deck("GW 1 3 0 0 0 0 0 1 .001\nGE\nEX 0 1 2 0 1\nFR 0 1 0 0 30\nXQ\n",
                "a\x1b\n\xe9.nec", warnings);
  EXPECT_EQ(problem.name, "a\\x1b\\n\xc3\xa9.nec");
  ASSERT_FALSE(warnings.empty());
  for (const std::string& warning : warnings)
    EXPECT_EQ(warning.find_first_of("\x1b\n\xe9"), warning.npos) << warning;
}

TEST(DeckFormat, LineEndings) {
  for (const char* text : {"CE\r\nGW 1 1 0 0 0 0 0 1 .001\r\nGE\r\nEN\r\n",
                           "CE\rGW 1 1 0 0 0 0 0 1 .001\rGE\rEN",
                           "\xEF\xBB\xBF"
                           "CE\nGW 1 1 0 0 0 0 0 1 .001\nGE\nEN"}) {
    const auto r = read(text);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.problem.structure.segments().size(), 1u);
  }
}

TEST(DeckFormat, LinesAreCountedTheSameForAllEndings) {
  EXPECT_EQ(read("CE\r\n\r\nGW x\r\n").error.substr(0, 12), "t.nec:3: GW ");
  EXPECT_EQ(read("CE\r\rGW x\r").error.substr(0, 12), "t.nec:3: GW ");
  EXPECT_EQ(read("CE\n\nGW x\n").error.substr(0, 12), "t.nec:3: GW ");
}

TEST(DeckFormat, CommentsAreKept) {
  const auto r = read(
      "CMfirst, run together\nCM  second ! not a comment\nCE third\n"
      "GW 1 1 0 0 0 0 0 1 .001\nGE\nEN");
  EXPECT_EQ(r.problem.comments,
            (std::vector<std::string>{"first, run together", "second ! not a comment",
                                      "third"}));
  EXPECT_EQ(r.problem.name, "t.nec");
  EXPECT_EQ(r.problem.deck_text.substr(0, 7), "CMfirst");
}

TEST(DeckFormat, MissingEndCardsAreWarnings) {
  const auto r = read("GW 1 1 0 0 0 0 0 1 .001\nGE\nEX 0 1 1 0 1\nFR 0 1 0 0 30\nXQ\n");
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.warnings, (std::vector<std::string>{
                            "t.nec:1: the CE card that ends the comments is missing.",
                            "t.nec: the EN card is missing."}));
  EXPECT_EQ(r.problem.runs.size(), 1u);
}

TEST(DeckFormat, TextBehindTheLastFieldIsAWarning) {
  const auto r = geometry("GW 1 2 0 0 0 0 0 1 .001 reflector");
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.warnings, (std::vector<std::string>{
                            "t.nec:2: GW field 10 is not used here and ignored (got "
                            "'reflector')."}));
}

TEST(DeckFormat, NothingBehindEnIsRead) {
  const auto r = read("CE\nGW 1 1 0 0 0 0 0 1 .001\nGE\nEN\nanything at all\n");
  EXPECT_EQ(r.error, "");
}

TEST(DeckFormat, Symbols) {
  const auto r = read(
      "CE\nSY freq=146, lambda=299.792458/freq\nsy half = LAMBDA/4\n"
      "GW 1 11 0 0 -half 0 0 half 1.5*mm\nGE\nSY n=3\nFR 0 n 0 0 freq (freq+4-freq)/2\n"
      "EX 0 1 (n+19)/2-5 0 1\nXQ\nEN\n");
  ASSERT_EQ(r.error, "");
  EXPECT_DOUBLE_EQ(r.problem.structure.segments()[10].end_m.z, 299.792458 / 146 / 4);
  ASSERT_EQ(r.problem.runs.size(), 1u);
  EXPECT_EQ(r.problem.runs[0].frequency_hz, (std::vector<double>{146e6, 148e6, 150e6}));
  EXPECT_EQ(r.problem.runs[0].sources[0].segment, 5u);
}

TEST(DeckFormat, FormulasWithBlanksBetweenTabsOrCommas) {
  const std::string symbols = "SY h=2, n=3\n";
  for (const char* wire : {"GW\t1\tn + 1\t0\t0\t-h / 2\t0\t0\th -1\t1 mm",
                           "GW 1, 2 * (n - 1), 0, 0, -h/ 2, 0, 0, h ^ 2 / 4, 1 mm",
                           "GW\t1.0\t4.0\t0\t0\t-1\t0\t0\t( h ) / 2\t0.1 cm"}) {
    SCOPED_TRACE(wire);
    const auto r = geometry(symbols + wire);
    ASSERT_EQ(r.error, "");
    ASSERT_EQ(r.problem.structure.segments().size(), 4u);
    EXPECT_EQ(r.problem.structure.segments()[0].start_m, (Vec3{0, 0, -1}));
    EXPECT_EQ(r.problem.structure.segments()[3].end_m, (Vec3{0, 0, 1}));
    EXPECT_EQ(r.problem.structure.segments()[0].radius_m, 0.001);
  }
}

/// A tab behind the card's name, or a number with its sign beside another, makes no
/// formula.
TEST(DeckFormat, BlanksStillSeparateNumbersBesideTabs) {
  for (const char* wire : {"GW\t1 4 0 0 -1 0 0 1 .001", "GW 1 4\t0 0 -1\t0 0 +1\t.001",
                           "GW 1 4\t0 0 -h\t0 0 h\t.001", "GW 1,4,0 0 -1,0 0 1,.001"}) {
    SCOPED_TRACE(wire);
    const auto r = geometry(std::string("SY h=1\n") + wire);
    ASSERT_EQ(r.error, "");
    EXPECT_EQ(r.problem.structure.segments()[0].start_m, (Vec3{0, 0, -1}));
    EXPECT_EQ(r.problem.structure.segments()[3].end_m, (Vec3{0, 0, 1}));
  }
}

TEST(DeckFormat, DecimalCommasAreRefusedAndNamed) {
  const std::pair<const char*, const char*> cards[] = {
      {"FR 0 1 0 0 14,2", "14,2"},
      {"FR 0 1 0 0 14,2 .1", "14,2"},
      {"GW 1 9 0 0 -,24 0 0 ,24 ,001", "-,24"},
      {"GW 1 9 0 0 -1 0 0 1 ,001", ",001"},
      {"FR 0 1 0 0 ,3", ",3"},
      {"GW,1,9,0,0,-,24,0,0,2,1", "-,24"},
      // No blanks around them: decimals that begin with a zero, or too many fields.
      {"GW,1,9,0,0,-2,0,0,2,0,001", "0,001"},
      {"GW 1,9 0 0 -1 0 0 1 0,05", "0,05"},
      {"GA,1,9,0,25,0,180,1e-3", "1,9,0,25,0,180,1e-3"},
      {"GW,1,9,0,0,-0,5,0,0,0,5,1e-3", "1,9,0,0,-0,5,0,0,0,5,1e-3"},
      {"GW 1, 9, 0, 0, -2,5, 0, 0, 2,5, 1e-3", "1, 9, 0, 0, -2,5, 0, 0, 2,5, 1e-3"},
      {"FR,0,1,0,0,14,2,0", "0,1,0,0,14,2,0"}};
  for (const auto& [card, number] : cards)
    EXPECT_EQ(read(std::string("CE\n") + card + "\nGE\nEN\n").error,
              std::string("t.nec:2: ") + std::string(card).substr(0, 2) +
                  " has a decimal comma in '" + number +
                  "', where commas separate fields. Write decimals with a point.");
  EXPECT_EQ(read("CE\nSY h=0,25\nGW 1 9 0 0 0 0 0 1 .001\nGE\nEX 0 1 5\nXQ\nEN\n").error,
            "t.nec:2: SY expected name=value, got '25'. A comma separates symbols; write "
            "decimals with a point.");
  EXPECT_EQ(read("CE\nSY h=,25\nGW 1 9 0 0 0 0 0 1 .001\nGE\nEX 0 1 5\nXQ\nEN\n").error,
            "t.nec:2: SY expected name=value, got 'h='. A comma separates symbols; write "
            "decimals with a point.");
  // Commas that separate fields, with and without blanks, in groups and in functions.
  for (const char* card :
       {"GW 1,9,0,0,-2,0,0,2,1", "GW 1, 9, 0, 0, -2, 0, 0, 2, 1", "GW 1 9 0,0,-2 0,0,2 1",
        "GW 1,9 0 0 -2 0 0 2 .001", "GW 1 9 0 0 -2 0 0 MAX(1,2) 1",
        "GW 1 9 0.,0,-2 0.,0,2 1", "GW 1 9 ,0 ,0 ,-2 ,0 ,0 ,2 ,1",
        "GW 1 ,9 ,0 ,0 ,-2 ,0 ,0 ,2 ,1", "GW 1,9 0,0 -2. 0,0 2. .001",
        "GW,1,9,-0,2,0,-0,3,0,1e-3", "GW 01,09,0,0,-2,0,0,2,1"})
    EXPECT_EQ(read(std::string("CE\n") + card + "\nGE\nEX 0 1 5\nXQ\nEN\n").error, "")
        << card;
  for (const char* card : {"EX 0 1,6 0 1", "LD 5,1 0,0 58000000", "FR 0,1 0 0 300",
                           "CP 1,5 1,6", "TL 1,2 1,8 50 0", "RP 0,1 1,1000 0 0",
                           "FR,0,1,0,0,14,2", "LD,5,1,001,009,58000000"})
    EXPECT_EQ(read(std::string("CE\nGW 1 9 0 0 -2 0 0 2 .001\nGE\nEX 0 1 5\n") + card +
                   "\nXQ\nEN\n")
                  .error,
              "")
        << card;
}

TEST(DeckFormat, FieldsThatAreNoNumbersAreRefused) {
  EXPECT_EQ(geometry("GW 1 2 0 0 0 0 0 1x .001").error,
            "t.nec:2: GW field 8 (z2): expected a number, got '1x': 'x' is not a unit.");
  EXPECT_EQ(geometry("GW 1 2 0 0 0 0 0 nan .001").error,
            "t.nec:2: GW field 8 (z2): expected a number, got 'nan': 'nan' is neither a "
            "number nor defined by an SY card.");
  EXPECT_EQ(
      geometry("GW 1 2 0 0 0 0 0 1e400 .001").error,
      "t.nec:2: GW field 8 (z2): expected a number, got '1e400': a number is out of "
      "range.");
  EXPECT_EQ(geometry("GW,1,2,,0,0,0,0,1,.001").error,
            "t.nec:2: GW field 3 (x1): the field is empty (two commas). Write 0, and "
            "decimals with a point.");
  EXPECT_EQ(geometry("GW 1.5 2 0 0 0 0 0 1 .001").error,
            "t.nec:2: GW field 1 (tag): expected a whole number, got 1.5.");
  EXPECT_EQ(geometry("GW 2147483648 2 0 0 0 0 0 1 .001").error,
            "t.nec:2: GW field 1 (tag): must stay within 2147483647 (got 2147483648).");
}

TEST(DeckFormat, WhatIsNoCardIsRefused) {
  EXPECT_EQ(geometry("GWX 1 2").error,
            "t.nec:2: 'GWX' is not a card (a card starts with two letters and a blank).");
  EXPECT_EQ(geometry("1 2 3").error,
            "t.nec:2: a card starts with two letters (got '1 2 3').");
  EXPECT_EQ(geometry("QQ 1 2").error, "t.nec:2: QQ is not a card that NEC-2 knows.");
  EXPECT_EQ(geometry("GW 1 \x01").error,
            "t.nec:2: the file is not text (control character 1). Give a NEC deck.");
  EXPECT_EQ(
      geometry(std::string(10001, 'G')).error,
      "t.nec:2: the line is too long for a card (limit 10000 characters; got 10001).");
}

TEST(DeckFormat, BadSymbolsAreRefused) {
  const std::string wire = "GW 1 2 0 0 0 0 0 1 .001";
  EXPECT_EQ(geometry("SY a\n" + wire).error, "t.nec:2: SY expected name=value, got 'a'.");
  EXPECT_EQ(geometry("SY a=b\n" + wire).error,
            "t.nec:2: SY 'b': 'b' is neither a number nor defined by an SY card.");
  EXPECT_EQ(geometry("SY 1a=2\n" + wire).error,
            "t.nec:2: SY '1a' is not a name (letters, digits and _ only).");
  EXPECT_EQ(geometry("SY a=1,,b=2\n" + wire).error,
            "t.nec:2: SY expected name=value, got ''.");
}

TEST(DeckFormat, SymbolCardsMayEndInACommaOrBeEmpty) {
  const auto r = geometry("SY\nSY ' none\nSY a=2, b=a/2, ' two\nGW 1 2 0 0 0 0 0 b .001");
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.problem.symbols, (SymbolValues{{"a", 2}, {"b", 1}}));
}

TEST(DeckFormat, WarningsAreBounded) {
  std::string cards;
  for (int i = 0; i < 500; ++i) cards += "GW 1 1 0 0 0 0 0 1 .001 text\n";
  const auto r = geometry(cards);
  ASSERT_EQ(r.warnings.size(), 201u);
  EXPECT_EQ(r.warnings.back(), "t.nec: more warnings were left out.");
}

TEST(DeckFormat, LimitsAreKept) {
  DeckLimits limits;
  limits.cards = 3;
  EXPECT_EQ(read("CE\nCE\nCE\nCE\n", limits).error,
            "t.nec:4: a deck may have at most 3 cards.");
  limits = {};
  limits.file_bytes = 5;
  EXPECT_EQ(read("CE\nCE\n", limits).error,
            "t.nec: too large for a deck (limit 5 bytes; got 6).");
}

TEST(DeckFormat, TouchstoneFilesAreToldInOneLine) {
  for (const char* text :
       {"# MHz S RI R 50\n145 0.1 0.2\n", "! NanoVNA\n\n# hz s ri r 50\n"})
    EXPECT_EQ(
        read(text).error,
        "t.nec: a Touchstone file is no deck. The live page compares it with a deck.");
  EXPECT_NE(read("# a comment\nCE\n").error.substr(0, 10), "t.nec: a T");
}

TEST(DeckFile, IsReadAndNamedByItsLastPart) {
  const std::string path = ::testing::TempDir() + "thinwire_deck_file.nec";
  std::ofstream(path) << "CE\nGW 1 1 0 0 0 0 0 1 .001\nGE\nEN\n";
  std::vector<std::string> warnings;
  EXPECT_EQ(read_deck_file(path, warnings).name, "thinwire_deck_file.nec");
  DeckLimits limits;
  limits.file_bytes = 10;
  try {
    read_deck_file(path, warnings, limits);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), path + ": too large for a deck (limit 10 bytes).");
    EXPECT_EQ(error.kind(), ErrorKind::file);
  }
}

TEST(DeckFile, MissingFileAndFolderAreFileErrors) {
  std::vector<std::string> warnings;
  for (const char* path : {"/nonexistent/x.nec", "/"}) {
    EXPECT_EQ(test::error_kind([&] { read_deck_file(path, warnings); }), ErrorKind::file);
  }
}

}  // namespace
}  // namespace thinwire
