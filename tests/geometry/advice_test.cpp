#include "geometry/advice.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace thinwire {
namespace {

bool mentions(const std::vector<std::string>& lines, const char* words) {
  for (const std::string& line : lines)
    if (line.find(words) != std::string::npos) return true;
  return false;
}

TEST(Advice, SaysNothingOfASoundStructure) {
  Structure s;
  s.add_wire(1, 11, {0, 0, 0}, {0, 0, 1}, 0.001);
  s.add_wire(2, 11, {0, 0, 1}, {1, 0, 1}, 0.001);
  s.add_wire(3, 11, {0.5, 0.5, 0}, {0.5, 0.5, 1}, 0.001);
  EXPECT_TRUE(geometry_advice(s).empty());
  EXPECT_TRUE(geometry_advice(Structure{}).empty());
}

TEST(Advice, FindsWiresThatCrossWithoutAJunction) {
  Structure s;
  s.add_wire(1, 3, {-1, 0, 0}, {1, 0, 0}, 0.001);
  s.add_wire(2, 3, {0.1, -1, 0.0005}, {0.1, 1, 0.0005}, 0.001);
  const auto lines = geometry_advice(s);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(mentions(
      lines, "tag 1 segment 2 and tag 2 segment 2 overlap without being joined"));
}

/// Whether two arms overlap that a short piece of wire joins; a = 1 mm.
bool overlap_at_short_corner(Vec3 across, Vec3 arm) {
  Structure s;
  s.add_wire(1, 2, {-0.02, 0, 0}, {0, 0, 0}, 0.001);
  s.add_wire(2, 1, {0, 0, 0}, across, 0.001);
  s.add_wire(3, 2, across, across + arm, 0.001);
  return mentions(serious_advice(s), "overlap without being joined");
}

TEST(Advice, NeighboursOfAShortCornerSegmentDoNotOverlap) {
  // Corners of 90 and 135 degrees that are cut off, a step, and a straight wire.
  EXPECT_FALSE(overlap_at_short_corner({0.0007, 0.0007, 0}, {0, 0.02, 0}));
  EXPECT_FALSE(overlap_at_short_corner({0.001, 0.0004, 0}, {0.014, 0.014, 0}));
  EXPECT_FALSE(overlap_at_short_corner({0, 0.001, 0}, {0.02, 0, 0}));
  EXPECT_FALSE(overlap_at_short_corner({0.001, 0, 0}, {0.02, 0, 0}));
  // A hairpin whose arms lie within each other.
  EXPECT_TRUE(overlap_at_short_corner({0, 0.001, 0}, {-0.02, 0, 0}));
}

TEST(Advice, FindsWiresThatNearlyTouch) {
  Structure s;
  s.add_wire(1, 3, {-1, 0, 0}, {1, 0, 0}, 0.001);
  s.add_wire(2, 3, {-1, 0, 0.003}, {1, 0, 0.003}, 0.001);
  EXPECT_TRUE(mentions(serious_advice(s), "nearly touch"));
  // The proximity effect is included, but for tubes that all but touch.
  EXPECT_TRUE(geometry_advice(s).empty());
  s = Structure{};
  s.add_wire(1, 3, {-1, 0, 0}, {1, 0, 0}, 0.001);
  s.add_wire(2, 3, {-1, 0, 0.00205}, {1, 0, 0.00205}, 0.001);
  EXPECT_TRUE(mentions(geometry_advice(s), "nearly touch"));
  s = Structure{};
  s.add_wire(1, 3, {-1, 0, 0}, {1, 0, 0}, 0.001);
  s.add_wire(2, 3, {-1, 0, 0.005}, {1, 0, 0.005}, 0.001);
  EXPECT_TRUE(geometry_advice(s).empty());
}

TEST(Advice, WiresOneBehindTheOtherAreNoLine) {
  Structure s;
  s.add_wire(1, 9, {-1, 0, 0}, {-0.0015, 0, 0}, 0.001);
  s.add_wire(2, 9, {0.0015, 0, 0}, {1, 0, 0}, 0.001);
  const auto lines = geometry_advice(s);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(mentions(lines, "end 0.003 m from each other and are not joined"));
}

TEST(Advice, FindsTheOneWireOfAnArrayThatNearlyTouchesAnother) {
  for (const Vec3 beside : {Vec3{0.003, 0, 0}, Vec3{0, 0.003, 0}, Vec3{0, -0.003, 0}}) {
    Structure s;
    for (int x = 0; x < 4; ++x)
      for (int y = 0; y < 4; ++y)
        s.add_wire(1 + 4 * x + y, 3, {1.0 * x, 1.0 * y, 0}, {1.0 * x, 1.0 * y, 0.5},
                   0.001);
    const Vec3 close = Vec3{2, 1, 0} + beside;
    s.add_wire(17, 1, close + Vec3{0, 0, 0.2}, close + Vec3{0, 0, 0.3}, 0.001);
    const auto lines = serious_advice(s);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_TRUE(mentions(lines, "tag 10 segment 2 and tag 17 segment 1 nearly touch"));
  }
}

TEST(Advice, TellsWiresBesideEachOtherFromThoseThatCross) {
  Structure s;
  s.add_wire(1, 3, {-1, 0, 0}, {1, 0, 0}, 0.001);
  s.add_wire(2, 3, {0.1, -1, 0.003}, {0.1, 1, 0.003}, 0.001);
  EXPECT_TRUE(mentions(geometry_advice(s), "nearly touch"));
  EXPECT_TRUE(serious_advice(s).empty());
  Structure beside;
  beside.add_wire(1, 3, {-1, 0, 0}, {1, 0, 0}, 0.001);
  beside.add_wire(2, 3, {-1, 0, 0.003}, {1, 0, 0.003}, 0.001);
  // ln 3 / acosh 1.5 = 1.0986 / 0.9624.
  EXPECT_TRUE(mentions(serious_advice(beside), "14 % too high"));
}

TEST(Advice, FindsGapsInWires) {
  Structure s;
  s.add_wire(1, 5, {0, 0, 0}, {0, 0, 1}, 0.001);
  s.add_wire(2, 5, {0, 0, 1.05}, {0, 0, 2}, 0.001);
  EXPECT_TRUE(mentions(serious_advice(s),
                       "tag 1 segment 5 and tag 2 segment 1 end 0.05 m from each other"));
  // Side by side the ends do not face each other; nor do they across half a metre.
  Structure sound;
  sound.add_wire(1, 5, {0, 0, 0}, {0, 0, 1}, 0.001);
  sound.add_wire(2, 5, {0.05, 0, 0}, {0.05, 0, 1}, 0.001);
  sound.add_wire(3, 5, {0, 0, 1.5}, {0, 0, 2.5}, 0.001);
  EXPECT_TRUE(serious_advice(sound).empty());
}

TEST(Advice, FindsSharpAnglesStepsAndShortSegments) {
  Structure s;
  s.add_wire(1, 3, {0, 0, 0}, {1, 0, 0}, 0.001);
  s.add_wire(2, 30, {1, 0, 0}, {0, 0.2, 0}, 0.001);
  s.add_wire(3, 3, {5, 0, 0}, {5, 0, 0.03}, 0.02);
  const auto lines = geometry_advice(s);
  EXPECT_TRUE(mentions(lines, "meet at 11.3 degrees"));
  EXPECT_TRUE(mentions(lines, "times in length"));
  EXPECT_TRUE(mentions(lines, "shorter than its radius"));
}

TEST(Advice, CountsWhatItLeavesOut) {
  Structure s;
  s.add_wire(1, 20, {-1, 0, 0}, {1, 0, 0}, 0.001);
  s.add_wire(2, 20, {-1, 0, 0.00205}, {1, 0, 0.00205}, 0.001);
  const auto lines = geometry_advice(s, 2);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(mentions(lines, "more: wires close together"));
}

WireMesh as_given_mesh(const Structure& structure) {
  MeshOptions options;
  options.graded = false;
  return {structure, options};
}

// Short pieces of a thick wire, alone, beside thin wires, and with a piece far away.
TEST(CloseWires, TakeWorkInProportionToTheSegments) {
  constexpr int count = 50000;
  Structure thick, mixed, far;
  thick.add_wire(1, count, {0, 0, -0.5}, {0, 0, 0.5}, 0.003);
  mixed.add_wire(1, count, {0, 0, -0.5}, {0, 0, 0.5}, 0.003);
  for (int i = 0; i < 20; ++i)
    mixed.add_wire(2 + i, count / 20, {0.01, 0.001 * i, -0.5}, {0.01, 0.001 * i, 0.5},
                   1e-5);
  mixed.add_wire(50, 1, {0.02, 0, -0.5}, {0.02, 0, 0.5}, 0.01);
  far.add_wire(1, count, {0, 0, 0}, {0, 0, 1}, 1e-7);
  far.add_wire(2, count, {1e-5, 0, 0}, {1e-5, 0, 1}, 1e-7);
  far.add_wire(3, 1, {1e9, 0, 0}, {1e9, 0, 1e6}, 1);
  for (const Structure* s : {&thick, &mixed, &far}) {
    const PairSearch search = close_wires(*s, as_given_mesh(*s));
    EXPECT_TRUE(search.complete);
    EXPECT_LT(search.candidates, 60 * s->segments().size());
  }
}

TEST(CloseWires, AreThoseOfAllPairs) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(-1, 1), power(-3, 0);
  Structure s;
  while (s.segments().size() < 300) {
    const Vec3 at{place(random), place(random), place(random)};
    const Vec3 along{place(random), place(random), place(random)};
    s.add_wire(1, 1, at, at + std::pow(10, power(random)) * along,
               0.2 * std::pow(10, power(random)));
  }
  const auto& segments = s.segments();
  const auto length = [&](std::size_t i) {
    return norm(segments[i].end_m - segments[i].start_m);
  };
  // Whether the projection of b on the axis of a overlaps it, nearly in parallel.
  const auto is_beside = [&](std::size_t a, std::size_t b) {
    const Segment &one = segments[a], &other = segments[b];
    const Vec3 along = (1 / length(a)) * (one.end_m - one.start_m);
    const double first = dot(along, other.start_m - one.start_m),
                 second = dot(along, other.end_m - one.start_m);
    return length(a) > 0.1 * one.radius_m && std::abs(second - first) > 0.9 * length(b) &&
           std::max(first, second) > 0 && std::min(first, second) < length(a);
  };
  std::vector<std::pair<std::size_t, std::size_t>> right;
  for (std::size_t a = 0; a < segments.size(); ++a)
    for (std::size_t b = a + 1; b < segments.size(); ++b) {
      const double reach = close_radii * (segments[a].radius_m + segments[b].radius_m);
      const bool is_long =
          0.5 * (length(a) + length(b)) > reach || (is_beside(a, b) && is_beside(b, a));
      if (is_long && segment_distance(segments[a], segments[b]) < reach)
        right.emplace_back(a, b);
    }
  EXPECT_GT(right.size(), 40u);
  EXPECT_EQ(close_wires(s, as_given_mesh(s)).pairs, right);
}

TEST(CloseWires, AreFoundHoweverManySegmentsTheyHave) {
  for (const int segments : {4, 12, 15, 40, 400}) {
    Structure s;
    s.add_wire(1, segments, {0, 0, 0}, {0, 0, 0.1}, 0.002);
    s.add_wire(2, segments, {0.0041, 0, 0}, {0.0041, 0, 0.1}, 0.002);
    EXPECT_GE(close_wires(s, as_given_mesh(s)).pairs.size(), std::size_t(segments))
        << segments;
    EXPECT_TRUE(mentions(serious_advice(s), "nearly touch")) << segments;
    Structure one;  // its own pieces are no wires beside each other
    one.add_wire(1, segments, {0, 0, 0}, {0, 0, 0.1}, 0.002);
    EXPECT_TRUE(close_wires(one, as_given_mesh(one)).pairs.empty()) << segments;
  }
}

TEST(CloseWires, FindsSegmentsWhoseAxesMeetWhateverTheirRadii) {
  for (const double radius_m : {0.06, 0.045, 0.03, 0.01, 0.3}) {
    Structure s;
    s.add_wire(1, 5, {-0.5, 0, 0}, {0.5, 0, 0}, 0.06);
    s.add_wire(2, 5, {0, -0.5, 0}, {0, 0.5, 0}, radius_m);
    EXPECT_FALSE(close_wires(s, as_given_mesh(s)).pairs.empty()) << radius_m;
  }
}

// More than anybody could look at: the search ends, and that is told.
TEST(Advice, StatesThatNotAllWiresWereCompared) {
  Structure s;
  for (int i = 0; i < 60; ++i)
    for (int j = 0; j < 60; ++j)
      s.add_wire(1, 1, {2e-6 * i, 2e-6 * j, 0}, {2e-6 * i, 2e-6 * j, 1e-3}, 1e-7);
  EXPECT_TRUE(mentions(serious_advice(s), "too many wires lie close together"));
}

TEST(Advice, CanBeInterrupted) {
  Structure s;
  s.add_wire(1, 100, {0, 0, 0}, {0, 0, 1}, 0.001);
  const std::atomic<bool> stop{true};
  EXPECT_THROW((void)geometry_advice(s, 5, Monitor({}, &stop)), Error);
}

}  // namespace
}  // namespace thinwire
