#include "geometry/end_clusters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace thinwire {
namespace {

Vec3 point(const std::vector<Segment>& segments, std::size_t i) {
  return i % 2 == 0 ? segments[i / 2].start_m : segments[i / 2].end_m;
}

double length(const Segment& s) {
  return norm(s.end_m - s.start_m);
}

// Against all pairs: those that touch are renamed until nothing changes.
TEST(EndClusters, AreThoseOfAllPairs) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> place(0, 5), kind(0, 2);
  std::uniform_real_distribution<double> jitter(-1.5e-3, 1.5e-3), factor(0.1, 1);
  std::vector<Segment> segments;
  while (segments.size() < 400) {
    // Places about a segment apart, ends off them by about the tolerance; some segments
    // go on where the one before ended.
    const auto any = [&] {
      return Vec3{place(random) + jitter(random), place(random) + jitter(random),
                  place(random) + jitter(random)};
    };
    const Vec3 start =
        kind(random) == 0 && !segments.empty() ? segments.back().end_m : any();
    const Vec3 end = kind(random) == 0 ? start + factor(random) * (any() - start) : any();
    if (norm(end - start) > 0.05) segments.push_back({start, end, 1e-4, 1});
  }
  const std::size_t ends = 2 * segments.size();
  std::vector<std::size_t> right(ends);
  for (std::size_t i = 0; i < ends; ++i) right[i] = i;
  std::size_t pairs = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < ends; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double shorter = std::min(length(segments[i / 2]), length(segments[j / 2]));
        if (i / 2 == j / 2 ||
            norm(point(segments, i) - point(segments, j)) > junction_tolerance * shorter)
          continue;
        ++pairs;
        const std::size_t least = std::min(right[i], right[j]);
        changed = changed || right[i] != least || right[j] != least;
        right[i] = right[j] = least;
      }
  }
  EXPECT_GT(pairs, 300u);
  const EndClusters clusters(segments);
  for (std::size_t i = 0; i < ends; ++i) ASSERT_EQ(clusters.root(i), right[i]) << i;
}

// More ends than a thread takes at once, in many buckets, in random order.
TEST(EndClusters, OfALargeGridAreItsCrossings) {
  constexpr int cells = 200;
  std::vector<Segment> segments;
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j <= cells; ++j) {
      const Vec3 here{0.1 * i, 0.1 * j, 3};
      if (i < cells) segments.push_back({here, {0.1 * (i + 1), 0.1 * j, 3}, 1e-3, 1});
      if (j < cells) segments.push_back({{0.1 * i, 0.1 * (j + 1), 3}, here, 1e-3, 1});
    }
  std::shuffle(segments.begin(), segments.end(), std::mt19937(2));
  const EndClusters clusters(segments);
  std::map<std::pair<long, long>, std::size_t> first;
  for (std::size_t i = 0; i < 2 * segments.size(); ++i) {
    const Vec3 r = point(segments, i);
    const auto at = std::pair(std::lround(10 * r.x), std::lround(10 * r.y));
    ASSERT_EQ(clusters.root(i), first.try_emplace(at, i).first->second) << i;
  }
  EXPECT_EQ(first.size(), 201u * 201u);
}

/// Segments whose ends make the most of EndClusters' work, and the number of clusters.
struct HardCase {
  const char* name;
  std::vector<Segment> segments;
  std::size_t clusters;
};

std::vector<HardCase> hard_cases(int size) {
  std::vector<HardCase> cases(5);
  cases[0] = {"copies of one wire", {}, 2};
  cases[1] = {"a hub of wires of many lengths", {}, static_cast<std::size_t>(size) + 1};
  cases[2] = {"a hub that rounding blurs", {}, static_cast<std::size_t>(size) + 1};
  cases[3] = {"copies a little apart", {}, 2};
  cases[4] = {"short pieces beside a long wire", {}, static_cast<std::size_t>(size) + 3};
  for (int i = 0; i < size; ++i) {
    // Directions spread evenly over the sphere (Vogel 1979).
    const double z = (2 * i + 1.0) / size - 1, across = std::sqrt(1 - z * z),
                 angle = 2.39996 * i, length = 1 + 100.0 * i / size;
    const Vec3 away{across * std::cos(angle), across * std::sin(angle), z};
    const Vec3 off{1e-17 * i, 0, 0}, apart{1e-4 / size * i, 0, 0};
    cases[0].segments.push_back({{0, 0, 0}, {0, 0, 100}, 1e-3, 1});
    cases[1].segments.push_back({{0, 0, 0}, length * away, 1e-3, 1});
    cases[2].segments.push_back({off, away, 1e-3, 1});
    cases[3].segments.push_back({apart, apart + Vec3{0, 0, 1}, 1e-3, 1});
    cases[4].segments.push_back(
        {{1.0 * i / size, 0, 0}, {1.0 * (i + 1) / size, 0, 0}, 1e-3, 1});
  }
  cases[4].segments.push_back({{0, 1, 0}, {0, 1, 100}, 1e-3, 1});
  return cases;
}

// The work, and not the time: twice the ends take about twice the comparisons.
TEST(EndClusters, TakeWorkInProportionToTheEnds) {
  for (const HardCase& c : hard_cases(20000)) {
    const EndClusters clusters(c.segments);
    std::size_t count = 0;
    for (std::size_t i = 0; i < 2 * c.segments.size(); ++i)
      count += clusters.root(i) == i ? 1 : 0;
    EXPECT_EQ(count, c.clusters) << c.name;
    EXPECT_LT(clusters.comparisons(), 150 * c.segments.size()) << c.name;
  }
}

}  // namespace
}  // namespace thinwire
