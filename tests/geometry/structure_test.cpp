#include "geometry/structure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/messages.h"

namespace thinwire {
namespace {

using test::error_message;

/// One row of nec2c's SEGMENTATION DATA: centre, length, ALPHA (elevation) and BETA
/// (azimuth) in degrees, radius, tag.
struct Row {
  double x, y, z, length, alpha, beta, radius;
  int tag;
};

/// The rows were printed by nec2c 1.3 with four decimals, for the cards named in each
/// test, ended by "GE 0 / EX 0 0 1 0 1 0 / XQ / EN".
void expect_rows(const Structure& structure, const std::vector<Row>& rows) {
  ASSERT_EQ(structure.segments().size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE("segment " + std::to_string(i + 1));
    const Segment& segment = structure.segments()[i];
    const Vec3 centre = 0.5 * (segment.start_m + segment.end_m);
    const Vec3 along = segment.end_m - segment.start_m;
    const double half_digit = 0.51e-4;
    EXPECT_NEAR(centre.x, rows[i].x, half_digit);
    EXPECT_NEAR(centre.y, rows[i].y, half_digit);
    EXPECT_NEAR(centre.z, rows[i].z, half_digit);
    EXPECT_NEAR(norm(along), rows[i].length, half_digit);
    EXPECT_NEAR(segment.radius_m, rows[i].radius, half_digit);
    const double to_deg = 180 / std::acos(-1.0);
    EXPECT_NEAR(std::asin(along.z / norm(along)) * to_deg, rows[i].alpha, half_digit);
    if (std::hypot(along.x, along.y) > 1e-9) {
      const double beta = std::atan2(along.y, along.x) * to_deg;
      EXPECT_NEAR(std::remainder(beta - rows[i].beta, 360), 0, half_digit);
    }
    EXPECT_EQ(segment.tag, rows[i].tag);
  }
}

Structure three_wires() {
  Structure s;
  s.add_wire(1, 2, {1, 0, 0}, {2, 0, 0}, 0.001);
  s.add_wire(2, 1, {1, 1, 0}, {2, 1.5, 1}, 0.002);
  s.add_wire(0, 1, {1, -1, 0}, {2, -1, 3}, 0.003);
  return s;
}

Structure one_wire() {
  Structure s;
  s.add_wire(1, 1, {1, 1, 1}, {2, 3, 4}, 0.001);
  return s;
}

TEST(Structure, WireNodesCoincideExactly) {
  Structure s;
  s.add_wire(4, 7, {0.1, 0.2, 0.3}, {1.7, -0.9, 2.3}, 0.001);
  ASSERT_EQ(s.segments().size(), 7u);
  EXPECT_EQ(s.segments().front().start_m, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(s.segments().back().end_m, (Vec3{1.7, -0.9, 2.3}));
  for (std::size_t i = 1; i < 7; ++i) {
    EXPECT_EQ(s.segments()[i].start_m, s.segments()[i - 1].end_m);
  }
  EXPECT_NEAR(s.segments()[2].end_m.x, 0.1 + 3 * 1.6 / 7, 1e-15);
}

TEST(Structure, TaperAsNec2c) {  // GW 5 4 0 0 0 0 0 1 0 / GC 0 0 2 .01 .001
  Structure s;
  s.add_tapered_wire(5, 4, {0, 0, 0}, {0, 0, 1}, 2, 0.01, 0.001);
  expect_rows(s, {{0, 0, .0333, .0667, 90, 0, .0100, 5},
                  {0, 0, .1333, .1333, 90, 0, .0046, 5},
                  {0, 0, .3333, .2667, 90, 0, .0022, 5},
                  {0, 0, .7333, .5333, 90, 0, .0010, 5}});
  EXPECT_EQ(s.segments().back().radius_m, 0.001);
}

TEST(Structure, TaperShrinkingAndUniform) {  // ... GC 0 0 0.5 .01 .01, GC 0 0 1 .01 .01
  Structure s;
  s.add_tapered_wire(1, 3, {0, 0, 0}, {0, 0, 1}, 0.5, 0.01, 0.01);
  s.add_tapered_wire(1, 3, {0, 0, 0}, {0, 0, 1}, 1, 0.01, 0.01);
  s.add_tapered_wire(1, 1, {0, 0, 0}, {0, 0, 1}, 2, 0.01, 0.001);
  expect_rows(s, {{0, 0, .2857, .5714, 90, 0, .01, 1},
                  {0, 0, .7143, .2857, 90, 0, .01, 1},
                  {0, 0, .9286, .1429, 90, 0, .01, 1},
                  {0, 0, .1667, .3333, 90, 0, .01, 1},
                  {0, 0, .5000, .3333, 90, 0, .01, 1},
                  {0, 0, .8333, .3333, 90, 0, .01, 1},
                  {0, 0, .5000, 1.0, 90, 0, .01, 1}});
}

TEST(Structure, TaperRatioNearOneDoesNotCancel) {
  Structure s;
  s.add_tapered_wire(1, 100, {0, 0, 0}, {0, 0, 1}, 1 + 1e-12, 0.001, 0.001);
  for (const Segment& segment : s.segments()) {
    EXPECT_NEAR(norm(segment.end_m - segment.start_m), 0.01, 1e-12);
  }
}

TEST(Structure, ArcAsNec2c) {  // GA 3 4 0.5 0 90 .001
  Structure s;
  s.add_arc(3, 4, 0.5, 0, 90, 0.001);
  expect_rows(s, {{.4810, 0, .0957, .1951, 78.75, 180, .001, 3},
                  {.4077, 0, .2724, .1951, 56.25, 180, .001, 3},
                  {.2724, 0, .4077, .1951, 33.75, 180, .001, 3},
                  {.0957, 0, .4810, .1951, 11.25, 180, .001, 3}});
}

TEST(Structure, HelixAsNec2c) {  // GH 7 6 0.5 1 0.3 0.3 0.3 0.3 .001
  Structure s;
  s.add_helix(7, 6, 0.5, 1, 0.3, 0.3, 0.3, 0.3, 0.001);
  expect_rows(s, {{.0750, .1299, .0833, .5457, 17.7837, 150, .001, 7},
                  {-.1500, 0, .2500, .5457, 17.7837, -90, .001, 7},
                  {.0750, -.1299, .4167, .5457, 17.7837, 30, .001, 7},
                  {.0750, .1299, .5833, .5457, 17.7837, 150, .001, 7},
                  {-.1500, 0, .7500, .5457, 17.7837, -90, .001, 7},
                  {.0750, -.1299, .9167, .5457, 17.7837, 30, .001, 7}});
}

TEST(Structure, LeftHandedHelixAsNec2c) {  // GH 7 6 0.5 -1 0.3 0.2 0.3 0 .001
  Structure s;
  s.add_helix(7, 6, 0.5, -1, 0.3, 0.2, 0.3, 0, 0.001);
  expect_rows(s, {{.0866, .0750, .0833, .5102, 19.0677, -68.9483, .001, 7},
                  {0, -.1500, .2500, .3844, 25.6934, 180, .001, 7},
                  {-.0866, .0750, .4167, .5102, 19.0677, 68.9483, .001, 7},
                  {.0866, .0750, .5833, .5102, 19.0677, -68.9483, .001, 7},
                  {0, -.1500, .7500, .3844, 25.6934, 180, .001, 7},
                  {-.0866, .0750, .9167, .5102, 19.0677, 68.9483, .001, 7}});
}

TEST(Structure, SpiralAsNec2c) {  // GH 7 6 0.5 1 0.3 0.2 0.6 0.4 .001
  Structure s;
  s.add_helix(7, 6, 0.5, 1, 0.3, 0.2, 0.6, 0.4, 0.001);
  expect_rows(s, {{.0625, .1010, .0833, .5424, 17.8940, 156.9543, .001, 7},
                  {-.1875, -.0144, .2500, .4647, 21.0198, -93.3043, .001, 7},
                  {.1250, -.1155, .4167, .7097, 13.5831, 19.5597, .001, 7},
                  {.1000, .1443, .5833, .7753, 12.4136, 157.5891, .001, 7},
                  {-.2625, -.0144, .7500, .6292, 15.3600, -92.3615, .001, 7},
                  {.1625, -.1588, .9167, .9456, 10.1513, 19.9461, .001, 7}});
}

TEST(Structure, SpiralDefaultsAndNegativeSpacingAsNec2c) {
  Structure s;  // GH 7 6 0.5 1 0.3 0 0.6 0 .001, GH 7 6 -0.5 1 0.3 0.2 0.6 0.4 .001
  s.add_helix(7, 6, 0.5, 1, 0.3, 0, 0.6, 0, 0.001);
  EXPECT_NEAR(0.5 * (s.segments()[0].start_m.y + s.segments()[0].end_m.y), .0433, .51e-4);
  EXPECT_NEAR(0.5 * (s.segments()[5].start_m.y + s.segments()[5].end_m.y), -.2165,
              .51e-4);
  Structure left;
  left.add_helix(7, 6, -0.5, 1, 0.3, 0.2, 0.6, 0.4, 0.001);
  EXPECT_NEAR(0.5 * (left.segments()[0].start_m.y + left.segments()[0].end_m.y), -.1010,
              .51e-4);
}

TEST(Structure, MoveCopiesPartAsNec2c) {  // GM 10 2 10 20 30 1 2 3 2
  Structure s = three_wires();
  s.move(10, 2, {10, 20, 30}, {1, 2, 3}, 2);
  expect_rows(s, {{1.25, 0, 0, .5, 0, 0, .001, 1},
                  {1.75, 0, 0, .5, 0, 0, .001, 1},
                  {1.5, 1.25, .5, 1.5, 41.8103, 26.5651, .002, 2},
                  {1.5, -1, 1.5, 3.1623, 71.5651, 0, .003, 0},
                  {1.8587, 3.8170, 3.1536, 1.5, 26.3161, 43.7139, .002, 12},
                  {3.2294, 1.8492, 3.7119, 3.1623, 50.3333, 15.0439, .003, 0},
                  {2.0232, 6.2989, 5.9056, 1.5, 16.8426, 63.8441, .002, 22},
                  {4.2177, 5.2163, 5.6323, 3.1623, 31.9081, 31.9912, .003, 0}});
}

TEST(Structure, MoveInPlaceAsNec2c) {  // GM 10 0 0 0 -30 0 0 0 2
  Structure s = three_wires();
  s.move(10, 0, {0, 0, -30}, {0, 0, 0}, 2);
  expect_rows(s, {{1.25, 0, 0, .5, 0, 0, .001, 1},
                  {1.75, 0, 0, .5, 0, 0, .001, 1},
                  {1.9240, .3325, .5, 1.5, 41.8103, -3.4349, .002, 12},
                  {.7990, -1.6160, 1.5, 3.1623, 71.5651, -30, .003, 0}});
}

TEST(Structure, ReflectAsNec2c) {  // GX 5 101
  Structure s = one_wire();
  s.reflect(5, true, false, true);
  expect_rows(s, {{1.5, 2, 2.5, 3.7417, 53.3008, 63.4349, .001, 1},
                  {1.5, 2, -2.5, 3.7417, -53.3008, 63.4349, .001, 6},
                  {-1.5, 2, 2.5, 3.7417, 53.3008, 116.5651, .001, 11},
                  {-1.5, 2, -2.5, 3.7417, -53.3008, 116.5651, .001, 16}});
}

TEST(Structure, ReflectThreeTimesDoublesTagIncrement) {  // GX 5 111
  Structure s = one_wire();
  s.add_wire(0, 1, {1.5, 1.6, 1.7}, {2.5, 3.6, 4.7}, 0.001);
  s.reflect(5, true, true, true);
  ASSERT_EQ(s.segments().size(), 16u);
  const int tags[] = {1, 0, 6, 0, 11, 0, 16, 0, 21, 0, 26, 0, 31, 0, 36, 0};
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(s.segments()[i].tag, tags[i]) << i;
  EXPECT_EQ(s.segments()[14].start_m, (Vec3{-1, -1, -1}));
}

TEST(Structure, RotateAsNec2c) {  // GR 5 3
  Structure s = one_wire();
  s.rotate(5, 3);
  expect_rows(s, {{1.5, 2, 2.5, 3.7417, 53.3008, 63.4349, .001, 1},
                  {-2.4821, .2990, 2.5, 3.7417, 53.3008, -176.5651, .001, 6},
                  {.9821, -2.2990, 2.5, 3.7417, 53.3008, -56.5651, .001, 11}});
}

TEST(Structure, RightAnglesAreExact) {
  Structure s;
  s.add_wire(1, 1, {1, 0, 0}, {2, 0, 0}, 0.001);
  s.rotate(1, 4);
  EXPECT_EQ(s.segments()[1].end_m, (Vec3{0, 2, 0}));
  EXPECT_EQ(s.segments()[3].end_m, (Vec3{0, -2, 0}));
  s.move(0, 0, {90, 0, -270}, {0, 0, 1}, 4);
  EXPECT_EQ(s.segments()[3].end_m, (Vec3{0, 0, -1}));
}

TEST(Structure, ScaleTakesRadiusToo) {
  Structure s = one_wire();
  s.scale(0.5);
  EXPECT_EQ(s.segments()[0].end_m, (Vec3{1, 1.5, 2}));
  EXPECT_EQ(s.segments()[0].radius_m, 0.0005);
}

TEST(Structure, FindsByTagAndAbsolutely) {
  const Structure s = three_wires();
  EXPECT_EQ(s.find(1, 2), 1u);
  EXPECT_EQ(s.find(0, 3), 2u);
  EXPECT_EQ(s.within_tag(1), 2);
  EXPECT_EQ(s.within_tag(3), 1);
  EXPECT_EQ(error_message([&] { s.find(7, 1); }),
            "tag 7 does not exist (no segment carries it).");
  EXPECT_EQ(error_message([&] { s.find(1, 3); }),
            "segment 3 of tag 1 does not exist (the tag has 2 segments).");
  EXPECT_EQ(error_message([&] { s.find(0, 5); }),
            "segment 5 does not exist (the structure has 4 segments).");
  EXPECT_EQ(error_message([&] { s.find(1, 0); }),
            "segment numbers count from 1 (got 0).");
}

/// Cells and flags as nec2c prints them for these sequences of cards.
TEST(Structure, SymmetryAsNec2c) {
  const auto expect = [](const Structure& s, bool ground, std::size_t cell, int flag) {
    EXPECT_EQ(s.symmetry(ground).cell_segments, cell);
    EXPECT_EQ(s.symmetry(ground).flag, flag);
  };
  Structure x = one_wire();
  expect(x, false, 1, 0);
  x.reflect(1, true, false, false);
  expect(x, true, 1, 1);
  x.scale(2);
  x.move(0, 0, {0, 0, 30}, {0, 1, 0}, 1);
  expect(x, false, 1, 1);
  Structure tilted = x;
  tilted.move(0, 0, {30, 0, 0}, {0, 1, 0}, 0);
  expect(tilted, false, 1, 3);
  expect(tilted, true, 2, 0);
  Structure part = x;
  part.move(0, 0, {0, 0, 0}, {0, 0, 0}, 2);
  expect(part, false, 2, 0);
  x.add_wire(9, 1, {5, 5, 5}, {6, 6, 6}, 0.001);
  expect(x, false, 3, 0);
  Structure all = one_wire();
  all.reflect(1, true, true, true);
  expect(all, false, 1, 2);
  expect(all, true, 2, 2);
  Structure ring = one_wire();
  ring.rotate(1, 4);
  expect(ring, true, 1, -1);
  ring.reflect(0, false, false, false);
  expect(ring, false, 4, 0);
}

TEST(Structure, RefusesWhatHasNoMeaning) {
  Structure s = one_wire();
  EXPECT_EQ(error_message([&] {
              s.add_wire(1, 1, {0, 0, 0}, {1, 0, 0}, -0.001);
            }),
            "radius must be positive (got -0.001 m). Give the radius of the wire.");
  EXPECT_EQ(error_message([&] {
              s.add_wire(1, 0, {0, 0, 0}, {1, 0, 0}, 0.001);
            }),
            "number of segments must be positive (got 0).");
  EXPECT_EQ(error_message([&] {
              s.add_wire(1, 1, {1, 0, 0}, {1, 0, 0}, 0.001);
            }),
            "length must not be zero (segment 1 starts and ends at (1, 0, 0) m).");
  EXPECT_EQ(error_message([&] {
              s.add_wire(1, 1, {1, 0, 0}, {NAN, 0, 0}, 0.001);
            }),
            "coordinates must be finite and within 1e+30 m (segment 1 has an end at "
            "(nan, 0, 0) m).");
  EXPECT_EQ(error_message([&] {
              s.add_tapered_wire(1, 2, {}, {1, 0, 0}, 0, 0.1, 0.1);
            }),
            "segment length ratio must be positive (got 0).");
  EXPECT_EQ(error_message([&] {
              s.add_tapered_wire(1, 3, {}, {1, 0, 0}, 1e200, 0.1, 0.1);
            }),
            "length must not be zero (segment 1 starts and ends at (0, 0, 0) m).");
  EXPECT_EQ(error_message([&] { s.add_arc(1, 2, 1, 0, 361, 0.1); }),
            "arc must not exceed 360 degrees (got 0 to 361).");
  EXPECT_EQ(error_message([&] { s.add_helix(1, 2, 0, 1, 1, 1, 1, 1, 0.1); }),
            "spacing between turns must not be zero (got 0 m).");
  EXPECT_EQ(error_message([&] { s.add_helix(1, 2, 1, 0, 1, 1, 1, 1, 0.1); }),
            "length of a helix must not be zero (got 0 m). For a flat spiral give a tiny "
            "length and spacing: their ratio is the number of turns.");
  EXPECT_EQ(error_message([&] { s.move(0, -1, {}, {}, 0); }),
            "number of copies must be at least 0 (got -1).");
  EXPECT_EQ(error_message([&] { s.move(0, 1, {}, {}, 9); }),
            "tag 9 does not exist (no segment carries it).");
  EXPECT_EQ(error_message([&] { s.rotate(0, 0); }),
            "number of copies must be at least 1 (got 0).");
  EXPECT_EQ(error_message([&] { s.scale(0); }), "scale factor must be positive (got 0).");
  EXPECT_EQ(error_message([&] { s.move(2147483647, 0, {}, {}, 0); }),
            "tag numbers must be between 0 and 2147483647 (tag 1 would become "
            "2147483648).");
  EXPECT_EQ(s.segments().size(), 1u);
}

TEST(Structure, RefusesReflectionThroughItsPlane) {
  Structure in_plane;
  in_plane.add_wire(1, 1, {0, 0, 1}, {0, 3, 4}, 0.001);
  EXPECT_EQ(error_message([&] { in_plane.reflect(1, true, false, false); }),
            "segment 1 lies in the plane of reflection x = 0 (x = 0 and 0 m at its "
            "ends).");
  Structure across;
  across.add_wire(1, 1, {-1, 0, 1}, {2, 3, 4}, 0.001);
  EXPECT_EQ(error_message([&] { across.reflect(1, true, false, false); }),
            "segment 1 crosses the plane of reflection x = 0 (x = -1 and 2 m at its "
            "ends).");
  Structure touching;
  touching.add_wire(1, 1, {0, 0, 1}, {2, 3, 4}, 0.001);
  touching.reflect(1, true, false, false);
  EXPECT_EQ(touching.segments().size(), 2u);
}

TEST(Structure, RefusesToGrowBeyondItsLimit) {
  Structure s(1000);
  EXPECT_EQ(error_message([&] {
              s.add_wire(1, 1001, {}, {1, 0, 0}, 0.001);
            }),
            "number of segments must stay within 1000 (would become 0 + 1001). Use fewer "
            "segments or copies.");
  s.add_wire(1, 400, {1, 1, 1}, {2, 2, 2}, 0.001);
  EXPECT_EQ(
      error_message([&] { s.reflect(0, true, true, true); }),
      "number of segments must stay within 1000 (would become 800 + 800). Use fewer "
      "segments or copies.");
  Structure big;
  big.add_wire(1, 400, {1, 1, 1}, {2, 2, 2}, 0.001);
  EXPECT_EQ(error_message([&] { big.rotate(0, std::int64_t{1} << 62); }).substr(0, 58),
            "number of segments must stay within 2147483647 (would beco");
  EXPECT_EQ(
      error_message([&] { big.move(0, std::int64_t{1} << 62, {}, {}, 0); }).substr(0, 58),
      "number of segments must stay within 2147483647 (would beco");
}

}  // namespace
}  // namespace thinwire
