#include "kernels/base/point_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <set>

namespace thinwire {
namespace {

std::vector<Vec3> random_points(std::size_t count, Vec3 size) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = uniform(random), y = uniform(random);
    points.push_back({size.x * x, size.y * y, size.z * uniform(random)});
  }
  return points;
}

/// Against looking at all points, each found once.
void expect_found(const std::vector<Vec3>& points, Vec3 half_box) {
  const PointIndex index(points);
  for (std::size_t c = 0; c < points.size(); c += 7) {
    const Vec3 low = points[c] - half_box, high = points[c] + half_box;
    std::set<std::size_t> found, wanted;
    index.visit(low, high, [&](std::size_t i) { EXPECT_TRUE(found.insert(i).second); });
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3 p = points[i];
      if (p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y &&
          p.z >= low.z && p.z <= high.z)
        wanted.insert(i);
    }
    EXPECT_EQ(found, wanted);
    EXPECT_TRUE(found.contains(c));
  }
}

TEST(PointIndex, FindsWhatIsInABox) {
  const auto volume = random_points(400, {1, 2, 3});
  for (const double half : {0.0, 0.2, 1.5})
    expect_found(volume, {half, half, 0.5 * half});
  expect_found(random_points(300, {1e6, 0, 0}), {2e5, 0, 0});
  expect_found(std::vector<Vec3>(100, Vec3{1, 1, 1}), {0, 0, 0});
}

TEST(PointIndex, FindsWhatIsInASmallBoxOfUnevenPoints) {
  auto points = random_points(2000, {1, 1, 0});
  for (const Vec3 p : random_points(2000, {1e-9, 1e-9, 0})) points.push_back(p);
  points.push_back({1e12, 0, 0});
  expect_found(points, {2e-10, 2e-10, 0});
}

TEST(PointIndex, FindsWhatIsNearABox) {
  const auto points = random_points(700, {1, 2, 0.5});
  const PointIndex index(points);
  const auto beyond = [](double at, double low, double high) {
    return std::max({low - at, at - high, 0.0});
  };
  for (const double reach : {0.05, 0.3, 1.0}) {
    const Vec3 low{-0.2, 0.1, -0.4}, high{0.1, 0.1, 0.3};
    std::set<std::size_t> found, wanted;
    index.visit(low, high, reach, [&](std::size_t i) { found.insert(i); });
    for (std::size_t i = 0; i < points.size(); ++i)
      if (std::hypot(beyond(points[i].x, low.x, high.x),
                     beyond(points[i].y, low.y, high.y),
                     beyond(points[i].z, low.z, high.z)) <= reach)
        wanted.insert(i);
    EXPECT_EQ(found, wanted) << reach;
    EXPECT_FALSE(found.empty());
  }
}

TEST(PointIndex, StopsWhereAsked) {
  const std::atomic<bool> stop = true;
  EXPECT_THROW(PointIndex(random_points(100, {1, 1, 1}), Monitor({}, &stop)), Error);
}

TEST(PointIndex, EndsTheSearchWhereAVisitIsFalse) {
  const PointIndex index(random_points(1000, {1, 1, 1}));
  int visits = 0;
  index.visit({-2, -2, -2}, {2, 2, 2}, [&](std::size_t) { return ++visits < 7; });
  EXPECT_EQ(visits, 7);
}

TEST(PointIndex, HasNothingToFindInNothing) {
  PointIndex(std::span<const Vec3>()).visit({-1, -1, -1}, {1, 1, 1}, [](std::size_t) {
    FAIL();
  });
  PointIndex().visit({-1, -1, -1}, {1, 1, 1}, [](std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace thinwire
