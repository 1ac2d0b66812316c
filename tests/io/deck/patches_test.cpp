// Surface patches as grids of wires.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "tests/io/deck/deck_testing.h"

namespace thinwire::patches_tests {
namespace {

deck_testing::Read read(const std::string& cards, bool grids = true) {
  deck_testing::Read result;
  DeckReading reading;
  reading.patch_grids = grids;
  try {
    result.problem =
        read_deck("CE\n" + cards + "\nEN\n", "t.nec", result.warnings, {}, {}, reading);
  } catch (const Error& error) {
    result.error = error.what();
  }
  return result;
}

const std::string wire = "GW 1 3 0 0 1 0 0 2 .001\n",
                  run = "EX 0 1 2 0 1\nFR 0 1 0 0 30\nXQ";

/// The segments behind the wire's three.
std::vector<Segment> grid(const deck_testing::Read& deck) {
  EXPECT_EQ(deck.error, "");
  const auto& all = deck.problem.structure.segments();
  return {all.begin() + 3, all.end()};
}

bool has_arm(const std::vector<Segment>& segments, Vec3 start, Vec3 end, double radius) {
  return std::any_of(segments.begin(), segments.end(), [&](const Segment& s) {
    return norm(s.start_m - start) < 1e-12 && norm(s.end_m - end) < 1e-12 &&
           std::abs(s.radius_m - radius) < 1e-12 && s.tag == 0;
  });
}

TEST(Patches, AreRefusedWithoutTheOption) {
  EXPECT_EQ(
      read("SP 0 0 .1 0 0 0 0 .01\n" + wire + "GE\n" + run, false).error,
      "t.nec:2: SP (surface patch) is not supported. Read it as a grid of wires with "
      "--patches grid, or draw one (GW).");
}

TEST(Patches, ThatAreNotThereAreToldOf) {
  EXPECT_EQ(
      read(wire + "GE\n" + run).warnings,
      std::vector<std::string>{"t.nec: --patches grid changes nothing: there are no "
                               "patches (SP, SM)."});
}

TEST(Patches, OfASurfaceAreStarsWithTheAreaOfTheirCells) {
  // 0.4 x 0.3 m in 2 x 3 cells of 0.2 x 0.1 m, before the wire.
  const auto deck = read("SM 2 3 0 0 0 .4 0 0\nSC 0 0 .4 .3 0\n" + wire + "GE\n" + run);
  const std::vector<Segment> arms = grid(deck);
  ASSERT_EQ(arms.size(), 24u);
  const double radius = 0.2 * 0.1 / (pi * (0.2 + 0.1));
  EXPECT_TRUE(has_arm(arms, {0.1, 0.05, 0}, {0.2, 0.05, 0}, radius));
  EXPECT_TRUE(has_arm(arms, {0.3, 0.05, 0}, {0.2, 0.05, 0}, radius));
  EXPECT_TRUE(has_arm(arms, {0.3, 0.25, 0}, {0.3, 0.3, 0}, radius));
  EXPECT_EQ(deck.problem.runs.at(0).sources.at(0).segment, 1u);
  EXPECT_EQ(
      deck.warnings,
      (std::vector<std::string>{
          "t.nec: its 6 surface patches (SP, SM) are a grid of 24 wires with tag 0 "
          "behind the others, segments 4 to 27, of equal area (radius 0.0212 to "
          "0.0212 m): expect gains within 1 dB, and impedances less accurate than a "
          "model of wires."}));
}

TEST(Patches, WithCornersGoOnFromTheEdgeBefore) {
  // A square, a rectangle that goes on from its last edge, and a triangle.
  const auto deck = read(
      "SP 0 1 0 0 0 1 0 0\nSC 0 1 1 1 0\nSC 0 1 1 3 0\n"
      "SP 0 2 5 0 0 6 0 0\nSC 0 2 5 1 0\n" +
      wire + "GE\n" + run);
  const std::vector<Segment> arms = grid(deck);
  ASSERT_EQ(arms.size(), 4u + 4 + 3);
  EXPECT_TRUE(has_arm(arms, {0.5, 0.5, 0}, {0.5, 1, 0}, 1 / (2 * pi)));
  EXPECT_TRUE(has_arm(arms, {0.5, 2, 0}, {0.5, 1, 0}, 2 / (pi * 3)));
  const Vec3 centre = (1.0 / 3) * Vec3{16, 1, 0};
  const double around = norm(centre - Vec3{5.5, 0, 0}) +
                        norm(centre - Vec3{5.5, 0.5, 0}) + norm(centre - Vec3{5, 0.5, 0});
  EXPECT_TRUE(has_arm(arms, centre, {5.5, 0, 0}, 0.5 / (pi * around)));
}

TEST(Patches, ByAreaAndNormalReachHalfWayToTheirNeighbours) {
  // Two in line, one around a corner, one facing the other way, one far away.
  const auto deck = read(
      "SP 0 0 0 0 0 90 0 .04\nSP 0 0 .2 0 0 90 0 .04\nSP 0 0 .3 0 -.1 0 0 .04\n"
      "SP 0 0 0 .01 -.01 -90 0 .04\nSP 0 0 9 9 9 0 0 .04\n" +
      wire + "GE\n" + run);
  const std::vector<Segment> arms = grid(deck);
  const double lone = 0.04 / (pi * 4 * 0.1);
  EXPECT_TRUE(has_arm(arms, {0, 0, 0}, {0.1, 0, 0}, 0.04 / (pi * 0.1)));
  EXPECT_TRUE(has_arm(arms, {0.2, 0, 0}, {0.25, 0, -0.05},
                      0.04 / (pi * (0.1 + 0.05 * std::sqrt(2)))));
  EXPECT_TRUE(has_arm(arms, {9, 9, 9}, {9, 9, 9.1}, lone));
  EXPECT_TRUE(has_arm(arms, {9, 9, 9}, {9, 8.9, 9}, lone));
}

TEST(Patches, BesideAGroundReachDownToIt) {
  const std::string patches = "SP 0 0 0 0 .1 0 0 .04\nSP 0 0 0 .2 .1 0 0 .04\n";
  EXPECT_TRUE(has_arm(grid(read(patches + wire + "GE 1\nGN 1\n" + run)), {0, 0, 0.1},
                      {0, 0, 0}, 0.04 / (pi * 0.2)));
  EXPECT_FALSE(has_arm(grid(read(patches + wire + "GE -1\nGN 1\n" + run)), {0, 0, 0.1},
                       {0, 0, 0}, 0.04 / (pi * 0.2)));
}

TEST(Patches, MoveWithTheWires) {
  // A patch turned by GR, moved by GM without a tag and scaled; not by GM with a tag.
  const auto deck =
      read("SM 1 1 1 0 0 1 .2 0\nSC 0 0 1 .2 .2\nGR 0 2\n" + wire +
           "GM 0 0 0 0 0 0 0 1 0\nGM 0 0 0 0 0 5 0 0 1\nGS 0 0 2\nGE\n" + run);
  const std::vector<Segment> arms = grid(deck);
  ASSERT_EQ(arms.size(), 8u);
  EXPECT_TRUE(has_arm(arms, {2, 0.2, 2.2}, {2, 0.4, 2.2}, 2 * 0.2 / (2 * pi)));
  EXPECT_TRUE(has_arm(arms, {-2, -0.2, 2.2}, {-2, -0.4, 2.2}, 2 * 0.2 / (2 * pi)));
}

TEST(Patches, CardsOutOfOrderAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"SC 0 0 1 1 0",
       "t.nec:2: SC must follow an SM card, or an SP card of a shape with corners."},
      {"SP 0 1 0 0 0 1 0 0\nSP 0 0 0 0 0 0 0 1",
       "t.nec:3: SP stands where an SC card is to complete the patch before it."},
      {"SP 0 4 0 0 0 1 0 0", "t.nec:2: SP field 2 (shape): expected 0 to 3, got 4."},
      {"SP 0 0 0 0 0 0 0 0", "t.nec:2: SP field 8 (area): must be positive (got 0 m^2)."},
      {"SM 0 2 0 0 0 1 0 0",
       "t.nec:2: SM needs at least one patch along each edge (fields 1 and 2)."}};
  for (const auto& [cards, message] : cases) {
    const std::string error = read(std::string(cards) + "\n" + wire + "GE\n" + run).error;
    EXPECT_EQ(error.substr(0, error.find('\n')), message);
  }
}

}  // namespace
}  // namespace thinwire::patches_tests
