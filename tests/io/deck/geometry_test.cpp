// Checks what each geometry card makes of its fields, and what it refuses.
#include <gtest/gtest.h>

#include <utility>

#include "tests/io/deck/deck_testing.h"

namespace thinwire {
namespace {

using deck_testing::geometry;
using deck_testing::read;

std::vector<int> tags(const deck_testing::Read& r) {
  std::vector<int> result;
  for (const Segment& s : r.problem.structure.segments()) result.push_back(s.tag);
  return result;
}

TEST(DeckGeometry, WireAndTaper) {
  const auto r =
      geometry("GW 5 4 0 0 0 0 0 1 0\nGC 0 0 2 .01 .001\nGW 6 1 1 0 0 1 0 1 .02");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(tags(r), (std::vector<int>{5, 5, 5, 5, 6}));
  EXPECT_NEAR(r.problem.structure.segments()[0].end_m.z, 1.0 / 15, 1e-12);
  EXPECT_EQ(r.problem.structure.segments()[3].radius_m, 0.001);
}

/// Four segments of 1, 2, 4 and 8 fifteenths, told by NEC-4's lengths.
TEST(DeckGeometry, TaperByLengths) {
  for (const char* card :
       {"GC 1 0 0 .01 .001 .0666666667", "GC 2 0 0 .01 .001 .0666667 .533333"}) {
    const auto r = geometry("GW 5 4 0 0 0 0 0 1 0\n" + std::string(card));
    ASSERT_EQ(r.error, "") << card;
    EXPECT_NEAR(r.problem.structure.segments()[1].end_m.z, 3.0 / 15, 1e-6);
    EXPECT_NEAR(r.problem.structure.segments()[2].end_m.z, 7.0 / 15, 1e-6);
  }
  // All alike: 4 of 0.25 m.
  const auto even = geometry("GW 5 4 0 0 0 0 0 1 0\nGC 1 0 0 .01 .001 .25");
  EXPECT_NEAR(even.problem.structure.segments()[2].end_m.z, 0.75, 1e-9);
}

TEST(DeckGeometry, ArcAndHelixKeepTheirTags) {
  const auto r =
      geometry("GA 3 4 0.5 0 90 .001\nGH 7 6 0.5 1 0.3 0.3 0.3 0.3 .002\nGS 0 0 2");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(tags(r), (std::vector<int>{3, 3, 3, 3, 7, 7, 7, 7, 7, 7}));
  EXPECT_NEAR(r.problem.structure.segments()[3].end_m.z, 1, 1e-12);
  EXPECT_NEAR(r.problem.structure.segments()[9].end_m.z, 2, 1e-12);
  EXPECT_EQ(r.problem.structure.segments()[9].radius_m, 0.004);
}

TEST(DeckGeometry, MovesFromATagOn) {
  const auto r = geometry(
      "GW 1 1 0 0 0 0 0 1 .001\nGW 2 1 1 0 0 1 0 1 .001\n"
      "GM 10 2 0 0 90 0 0 5 2.0");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(tags(r), (std::vector<int>{1, 2, 12, 22}));
  EXPECT_EQ(r.problem.structure.segments()[2].end_m, (Vec3{0, 1, 6}));
  EXPECT_EQ(r.problem.structure.segments()[3].end_m, (Vec3{-1, 0, 11}));
}

/// nec2c scales everything whatever fields 1 and 2 say; xnec2c scales those tags alone.
TEST(DeckGeometry, ScalesEverythingAndSaysSoWhenARangeOfTagsIsGiven) {
  const auto r = geometry("GW 1 1 0 0 0 0 0 1 .001\nGW 2 1 1 0 0 1 0 1 .001\nGS 2 2 .5");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.warnings,
            (std::vector<std::string>{
                "t.nec:4: GS scales the whole structure, as in NEC-2: fields 1 and 2 (a "
                "range of tags, in xnec2c) are ignored."}));
  EXPECT_EQ(r.problem.structure.segments()[0].end_m.z, 0.5);
  EXPECT_EQ(r.problem.structure.segments()[1].end_m.z, 0.5);
}

TEST(DeckGeometry, RoundsAFractionalTagAsTheGuideSays) {
  const auto r = geometry(
      "GW 1 1 0 0 0 0 0 1 .001\nGW 2 1 1 0 0 1 0 1 .001\n"
      "GM 0 0 0 0 0 0 0 5 1.6");
  EXPECT_EQ(r.warnings,
            (std::vector<std::string>{
                "t.nec:4: GM field 9 (first tag to move) is rounded to 2 (got "
                "1.6)."}));
  EXPECT_EQ(r.problem.structure.segments()[0].end_m.z, 1);
  EXPECT_EQ(r.problem.structure.segments()[1].end_m.z, 6);
}

TEST(DeckGeometry, ReflectsAndRotates) {
  const auto r = geometry("GW 1 1 1 1 1 2 3 4 .001\nGX 5 101\nGR 100 2");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(tags(r), (std::vector<int>{1, 6, 11, 16, 101, 106, 111, 116}));
  EXPECT_EQ(r.problem.structure.segments()[2].end_m, (Vec3{-2, 3, 4}));
  EXPECT_EQ(r.problem.structure.segments()[6].end_m, (Vec3{2, -3, 4}));
}

TEST(DeckGeometry, GroundFlag) {
  for (const auto& [flag, contact] : {std::pair{0, false}, {1, true}, {-1, false}}) {
    const auto r = read("CE\nGW 1 1 0 0 0 0 0 1 .001\nGE " + std::to_string(flag) +
                        "\nGN 1\nEX 0 1 1 0 1\nFR 0 1 0 0 30\nXQ\nEN\n");
    ASSERT_EQ(r.error, "");
    EXPECT_EQ(r.problem.ground_plane, flag);
    EXPECT_EQ(r.problem.ground_contact, contact);
    EXPECT_EQ(r.warnings.size(), 0u);
  }
}

TEST(DeckGeometry, GroundContactWithoutGroundIsAWarning) {
  const auto r =
      read("CE\nGW 1 1 0 0 0 0 0 1 .001\nGE 1\nEX 0 1 1 0 1\nFR 0 1 0 0 30\nXQ\nEN\n");
  EXPECT_EQ(r.warnings,
            (std::vector<std::string>{
                "t.nec: GE 1 without GN: there is no ground, and wire ends at z = 0 are "
                "open. Give GN 1 for perfect ground, GN 2 for a real one."}));
}

/// Cards from line 2 on, and the whole message.
TEST(DeckGeometry, Refusals) {
  const std::pair<const char*, const char*> cases[] = {
      {"GW 3 9 0 0 0 0 0 1 -0.001",
       "t.nec:2: GW tag 3: radius must be positive (got -0.001 m). Give the radius of "
       "the "
       "wire."},
      {"GW 3 9 0 0 0 0 0 1",
       "t.nec:2: GW tag 3: radius must be positive (got 0 m, and no GC card follows). "
       "Give "
       "the radius of the wire in field 9."},
      {"GW 3 9 0 0 0 0 0 1 # ",
       "t.nec:2: GW tag 3: radius must be positive (got 0 m, and no GC card follows; # "
       "begins a comment unless a wire gauge, such as #12, follows). Give the radius of "
       "the wire in field 9."},
      {"GW 3 9 1 2 3 1 2 3 .001",
       "t.nec:2: GW tag 3: length must not be zero (segment 1 starts and ends at (1, 2, "
       "3) "
       "m)."},
      {"GW 3 0 0 0 0 0 0 1 .001",
       "t.nec:2: GW field 2 (segments): must be positive (got 0)."},
      {"GW 3 -9 0 0 0 0 0 1 .001",
       "t.nec:2: GW field 2 (segments): must be positive (got -9)."},
      {"GW -3 9 0 0 0 0 0 1 .001",
       "t.nec:2: GW field 1 (tag): must not be negative (got "
       "-3)."},
      {"GW 3 25000001 0 0 0 0 0 1 .001",
       "t.nec:2: GW tag 3: number of segments must stay within 25000000 (would become 0 "
       "+ "
       "25000001). Use fewer segments or copies."},
      {"GW 3 2147483648 0 0 0 0 0 1 .001",
       "t.nec:2: GW field 2 (segments): must stay within 2147483647 (got 2147483648)."},
      {"GW 3 9 0 0 0 0 0 1e300 .001",
       "t.nec:2: GW tag 3: coordinates must be finite and within 1e+30 m (segment 1 has "
       "an "
       "end at (0, 0, 1.11111e+299) m)."},
      {"GC 0 0 2 .01 .001", "t.nec:2: GC must follow a GW card with radius 0."},
      {"GW 3 9 0 0 0 0 0 1 0\nGC 0 0 0 .01 .001",
       "t.nec:3: GC tag 3: segment length ratio must be positive (got 0)."},
      {"GW 3 9 0 0 0 0 0 1 0\nGC 0 0 2 .01 0",
       "t.nec:3: GC tag 3: radius must be positive (got 0 m). Give the radius of the "
       "wire."},
      {"GW 3 9 0 0 0 0 0 1 0\nGC 3 0 0 .01 .01 .1 .1",
       "t.nec:3: GC field 1 (form): expected 0 to 2, got 3."},
      {"GW 3 9 0 0 0 0 0 1 0\nGC 1 0 0 .01 .01 1.5",
       "t.nec:3: GC field 6 (length of the first segment): must lie between 0 and the "
       "wire's 1 m (got 1.5 m)."},
      {"GW 3 4 0 0 0 0 0 1 0\nGC 2 0 0 .01 .01 .1 .8",
       "t.nec:3: GC its segments fill 1.5 m of a wire of 1 m: 4 from 0.1 m to 0.8 m in "
       "equal ratios. Change the number of segments on the GW card, or give GC 1 and the "
       "first length alone."},
      {"GA 3 4 1 0 361 .01",
       "t.nec:2: GA tag 3: arc must not exceed 360 degrees (got 0 to 361)."},
      {"GH 3 4 0 1 1 1 1 1 .01",
       "t.nec:2: GH tag 3: spacing between turns must not be zero (got 0 m)."},
      {"GW 3 9 0 0 0 0 0 1 .001\nGM 0 0 0 0 0 0 0 0 4",
       "t.nec:3: GM: tag 4 does not exist (no segment carries it)."},
      {"GW 3 9 0 0 0 0 0 1 .001\nGM 0 0 0 0 0 0 0 0 -1",
       "t.nec:3: GM field 9 (first tag to move): must be 0 or a tag (got -1)."},
      {"GW 3 9 0 0 0 0 0 1 .001\nGM 0 -1",
       "t.nec:3: GM: number of copies must be at least 0 (got -1)."},
      {"GW 3 9 0 0 0 0 0 1 .001\nGM 0 2147483647",
       "t.nec:3: GM: number of segments must stay within 25000000 (would become 9 + "
       "19327352823). Use fewer segments or copies."},
      {"GW 3 9 0 0 0 0 0 1 .001\nGR 1 0",
       "t.nec:3: GR: number of copies must be at least 1 (got 0)."},
      {"GW 3 9 1 0 0 1 0 1 .001\nGR 1000000000 4",
       "t.nec:3: GR: tag numbers must be between 0 and 2147483647 (tag 3 would become "
       "3000000003)."},
      {"GW 3 9 0 0 1 0 3 1 .001\nGX 1 100",
       "t.nec:3: GX: segment 1 lies in the plane of reflection x = 0 (x = 0 and 0 m at "
       "its "
       "ends)."},
      {"GW 3 9 0 0 1 0 3 1 .001\nGX 1 20",
       "t.nec:3: GX field 2 (axes): expected the digits 0 or 1 for x, y and z, as in "
       "110, "
       "got 20."},
      {"GW 3 9 0 0 1 0 3 1 .001\nGS 0 0 0",
       "t.nec:3: GS: scale factor must be positive (got 0)."},
      {"GE",
       "t.nec:2: GE ends a structure without segments. Give a GW card before it.\n"
       "t.nec:3: GE stands behind GE. Geometry cards must come before GE."},
      {"GW 3 9 0 0 1 0 3 1 .001\nGE 2",
       "t.nec:3: GE field 1 (ground plane): expected -1, 0 or 1, got 2.\n"
       "t.nec:4: GE stands behind GE. Geometry cards must come before GE."},
      {"GW 3 9 0 0 1 0 3 1 .001\nGE 0\nGW 3 9 0 0 1 0 3 1 .001",
       "t.nec:4: GW stands behind GE. Geometry cards must come before GE."},
      {"GW 3 9 0 0 1 0 3 1 .001\nEX 0 3 1 0 1",
       "t.nec:3: EX stands before GE. Give GE behind the geometry."},
      {"GW 3 9 0 0 1 0 3 1 .001\nEN",
       "t.nec:3: EN stands before GE. Give GE behind the geometry."},
  };
  for (const auto& [cards, message] : cases) EXPECT_EQ(geometry(cards).error, message);
}

TEST(DeckGeometry, FormulasForCountsAreRounded) {
  const auto r = geometry("SY n=7.6\nGW 1 n 0 0 0 0 0 2 .001\nGW 2 n/2 1 0 0 1 0 2 .001");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.problem.structure.segments().size(), 12U);
  EXPECT_EQ(r.warnings[0], "t.nec:3: GW field 2 (segments): 7.6 is rounded to 8.");
  // Not what is no formula, nor what a step of a difference leaves.
  for (const char* count : {"7.6", "8+1e-4"})
    EXPECT_NE(geometry(std::string("GW 1 ") + count + " 0 0 0 0 0 2 .001")
                  .error.find("expected a whole number"),
              std::string::npos)
        << count;
}

TEST(DeckGeometry, DeckWithoutGe) {
  EXPECT_EQ(read("CE\nGW 3 9 0 0 1 0 3 1 .001\n").error,
            "t.nec:2: the deck ends without a GE card. Give one behind the geometry.");
  EXPECT_EQ(read("").error,
            "t.nec: the deck ends without a GE card. Give one behind the geometry.");
}

TEST(DeckGeometry, WhatReachesBelowPerfectGroundIsRefused) {
  const auto at = [](const char* wire) {
    return read(std::string("CE\nGW 1 2 0 0 3 0 0 4 .001\n") + wire +
                "\nGE 1\nGN 1\nEX 0 1 1 0 1\nFR 0 1 0 0 30\nXQ\nEN\n")
        .error;
  };
  EXPECT_EQ(
      at("GW 7 2 1 1 -1 2 3 4 .001"),
      "t.nec:3: segment 3 (tag 7, segment 1 of it) extends below the perfect ground "
      "that line 8 runs over (z = -1 and 1.5 m at its ends). Raise the structure, or "
      "take GN 2 for wires in the ground.");
  EXPECT_EQ(at("GW 7 1 1 1 0 2 3 0 .001"),
            "t.nec:3: segment 3 (tag 7, segment 1 of it) lies in the perfect ground that "
            "line 8 runs over (z = 0 and 0 m at its ends). Raise the structure.");
  EXPECT_EQ(at("GW 7 1 1 1 0 2 3 1 .001"), "");
}

TEST(DeckGeometry, TransformationsOfManySegmentsAreBounded) {
  DeckLimits limits;
  limits.segment_operations = 100;
  std::string deck = "CE\nGW 1 30 0 0 0 0 0 1 .001\n";
  for (int i = 0; i < 4; ++i) deck += "GS 0 0 2\n";
  EXPECT_EQ(read(deck, limits).error,
            "t.nec:6: the cards up to this line move or load too many segments. Write "
            "the structure with fewer transformations.");
}

}  // namespace
}  // namespace thinwire
