// A deck with several problems: all of them at once, and none that only follows.
#include <gtest/gtest.h>

#include "tests/io/deck/deck_testing.h"

namespace thinwire {
namespace {

using deck_testing::read;

std::vector<std::string> errors(const std::string& deck) {
  const std::string text = read(deck).error;
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(DeckErrors, AllAtOnceInTheOrderOfTheLines) {
  EXPECT_EQ(errors("CE\n"
                   "GW 1 9 0 0 -2.5 0 0 2.5 -.001\n"
                   "GW 2 x 1 0 -2.5 1 0 2.5 .001\n"
                   "GE 3\n"
                   "FR 0 1 0 0 -30\n"
                   "ZZ 1\n"
                   "XQ 4\n"
                   "EN\n"),
            (Lines{"t.nec:2: GW tag 1: radius must be positive (got -0.001 m). Give the "
                   "radius of the wire.",
                   "t.nec:3: GW field 2 (segments): expected a number, got 'x': 'x' is "
                   "neither a number nor defined by an SY card.",
                   "t.nec:4: GE field 1 (ground plane): expected -1, 0 or 1, got 3.",
                   "t.nec:5: FR frequencies must be between 1e-12 and 1e+12 MHz (got "
                   "-30 MHz at step 1 of 1).",
                   "t.nec:6: ZZ is not a card that NEC-2 knows.",
                   "t.nec:7: XQ field 1 (pattern option): expected 0 to 3, got 4."}));
}

TEST(DeckErrors, MissingTagsOfAStructureThatFailedAreNotTold) {
  EXPECT_EQ(errors("CE\nGW 1 9 0 0 -2.5 0 0 2.5 -.001\nGM 0 0 0 0 0 0 0 5 1\nGE\n"
                   "EX 0 1 5\nLD 4 1 5 5 50\nLD 5 1 0 0 1e7\nPT 0 1 1 2\nFR 0 1 0 0 30\n"
                   "XQ\nEN\n")
                .size(),
            1u);
  // Where the structure is sound, each of them is told.
  EXPECT_EQ(errors("CE\nGW 1 9 0 0 -2.5 0 0 2.5 .001\nGE\nFR 0 1 0 0 30\n"
                   "EX 0 2 5\nLD 4 3 5 5 50\nXQ\nEN\n"),
            (Lines{"t.nec:5: EX tag 2 does not exist (no segment carries it).",
                   "t.nec:6: LD tag 3 does not exist (no segment carries it)."}));
}

TEST(DeckErrors, NamesThatAFailedCardWouldHaveDefinedAreNotTold) {
  EXPECT_EQ(errors("CE\nSY h=2.5/0\nSY r=h/1000\nGW 1 9 0 0 -h 0 0 h r\nGE\nEX 0 1 5\n"
                   "FR 0 1 0 0 30\nXQ\nEN\n"),
            (Lines{"t.nec:2: SY '2.5/0': division by zero."}));
}

TEST(DeckErrors, NothingExcitedIsToldOnceAndNotBehindAFailedSource) {
  const std::string head = "CE\nGW 1 9 0 0 -2.5 0 0 2.5 .001\nGE\nFR 0 1 0 0 30\n";
  EXPECT_EQ(errors(head + "XQ\nXQ\nRP 0\nEN\n").size(), 1u);
  EXPECT_EQ(errors(head + "EX 9\nXQ\nEN\n"),
            (Lines{"t.nec:5: EX field 1 (type): expected 0 to 7, got 9."}));
}

TEST(DeckErrors, CardsOnTheWrongSideOfGeAreToldOnce) {
  EXPECT_EQ(errors("CE\nGW 1 9 0 0 -2.5 0 0 2.5 .001\nEX 0 1 5\nFR 0 1 0 0 30\nXQ\nEN\n"),
            (Lines{"t.nec:3: EX stands before GE. Give GE behind the geometry."}));
  EXPECT_EQ(errors("CE\nGE\nGW 1 9 0 0 0 0 0 1 .001\nGW 2 9 1 0 0 1 0 1 .001\nEN\n"),
            (Lines{"t.nec:2: GE ends a structure without segments. Give a GW card before "
                   "it.",
                   "t.nec:3: GW stands behind GE. Geometry cards must come before GE."}));
}

TEST(DeckErrors, AWireWithoutRadiusDoesNotHideTheCardBehindIt) {
  EXPECT_EQ(errors("CE\nGW 1 9 0 0 0 0 0 1\nGW 2 9 0 0 0 0 0 1\nGE\nEX 0 1 5\nXQ\nEN\n"),
            (Lines{"t.nec:2: GW tag 1: radius must be positive (got 0 m, and no GC card "
                   "follows). Give the radius of the wire in field 9.",
                   "t.nec:3: GW tag 2: radius must be positive (got 0 m, and no GC card "
                   "follows). Give the radius of the wire in field 9."}));
}

TEST(DeckErrors, StopAfterTwenty) {
  std::string deck = "CE\n";
  for (int i = 0; i < 50; ++i) deck += "YY 1\n";
  const Lines lines = errors(deck + "GE\nEN\n");
  ASSERT_EQ(lines.size(), 21u);
  EXPECT_EQ(lines[19], "t.nec:21: YY is not a card that NEC-2 knows.");
  EXPECT_EQ(lines[20], "t.nec: further errors were left out.");
}

TEST(DeckErrors, QuoteForeignBytesAsQuestionMarks) {
  EXPECT_EQ(errors("CE\nGW 1 3 0 0 0 0 0 1 .001\nGE\nWG .\xc2\x99x\nEN\n"),
            Lines{"t.nec:4: WG needs a file name without a folder (got '.??x')."});
}

TEST(DeckErrors, WhatIsNoTextEndsTheReading) {
  EXPECT_EQ(errors("CE\nYY\n\x01\nYY\n"),
            (Lines{"t.nec:2: YY is not a card that NEC-2 knows.",
                   "t.nec:3: the file is not text (control character 1). Give a NEC "
                   "deck."}));
}

}  // namespace
}  // namespace thinwire
