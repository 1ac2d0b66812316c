#include "geometry/mesh_grading.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace thinwire {
namespace {

/// Tips of wires of 1 m from the origin, spread evenly over the sphere (Vogel 1979).
std::vector<SteepPoint> sphere(int count) {
  std::vector<SteepPoint> points;
  for (int i = 0; i < count; ++i) {
    const double z = (2 * i + 1.0) / count - 1, across = std::sqrt(1 - z * z),
                 angle = 2.39996 * i;
    points.push_back({{across * std::cos(angle), across * std::sin(angle), z}, 8});
  }
  return points;
}

double distance(Vec3 point, Vec3 from, Vec3 to) {
  const Vec3 along = to - from;
  const double at = dot(point - from, along) / dot(along, along);
  return norm(point - from - std::clamp(at, 0.0, 1.0) * along);
}

/// Cuts of the piece between two fractions by the definition of MeshGrading: every point
/// is asked.
void cut_by_all(std::span<const SteepPoint> points, Vec3 start, Vec3 end, double low,
                double high, std::vector<double>& cuts) {
  const double whole = norm(end - start), length = (high - low) * whole;
  const Vec3 from = start + low * (end - start), to = start + high * (end - start);
  const bool halved = std::any_of(points.begin(), points.end(), [&](const SteepPoint& p) {
    const bool beside = distance(p.at_m, start, end) > 2e-3 * whole;
    return whole > p.longer_than_m &&
           high - low > std::ldexp(1, -(beside ? std::min(p.halvings, 3) : p.halvings)) &&
           length > 1.01 * distance(p.at_m, from, to);
  });
  if (!halved) return;
  const double middle = 0.5 * (low + high);
  cut_by_all(points, start, end, low, middle, cuts);
  cuts.push_back(middle);
  cut_by_all(points, start, end, middle, high, cuts);
}

/// Few points near a segment are looked at one by one, many by the index.
TEST(MeshGrading, CutsAsAllPointsDemandHoweverManyAreNear) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-1, 1);
  for (const int count : {3, 40, 1500}) {
    std::vector<SteepPoint> points = sphere(count);
    for (int i = 0; i < count; ++i)
      points.push_back({{place(random), place(random), place(random)},
                        i % 2 == 0 ? 5 : 3,
                        i % 3 == 0 ? 0.7 : 0.0});
    const MeshGrading grading(points, 0);
    for (int i = 0; i < 60; ++i) {
      const Vec3 start =
                     i % 2 == 0 ? Vec3{0, 0, 0} : points[(7 * i) % points.size()].at_m,
                 end = points[(11 * i + 1) % points.size()].at_m;
      std::vector<double> wanted;
      cut_by_all(points, start, end, 0, 1, wanted);
      EXPECT_EQ(grading.cuts(start, end, 1e-3, 1), wanted) << count << ' ' << i;
      // With the points around a wire that it is a part of.
      const Vec3 beyond = end + 2.0 * (end - start);
      const auto corner = [&](const double& (*choose)(const double&, const double&)) {
        return Vec3{choose(start.x, beyond.x), choose(start.y, beyond.y),
                    choose(start.z, beyond.z)};
      };
      const NearSteepPoints near = grading.near(
          corner(std::min<double>), corner(std::max<double>), norm(end - start));
      EXPECT_EQ(grading.cuts(start, end, 1e-3, 1, nullptr, near), wanted)
          << count << ' ' << i;
    }
  }
}

// The work, and not the time.
TEST(MeshGrading, LooksAtFewPointsForEachWireOfAJunction) {
  for (const int count : {1000, 4000, 16000}) {
    const std::vector<SteepPoint> points = sphere(count);
    const MeshGrading grading(points, 0);
    std::size_t looked_at = 0;
    for (const SteepPoint& p : points)
      (void)grading.cuts({}, p.at_m, 1e-5, 1, &looked_at);
    EXPECT_LT(looked_at, 600U * static_cast<std::size_t>(count));
  }
}

/// One search serves a whole dipole, and all its segments look at what that found.
TEST(MeshGrading, FindsFewPointsAroundEachDipoleOfAPlane) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(0, 40);
  constexpr int count = 6000, segments = 21;
  std::vector<SteepPoint> points;
  for (int i = 0; i < count; ++i) {
    const double x = place(random), y = place(random);
    points.push_back({{x, y, -0.25}, 8});
    points.push_back({{x, y, 0.25}, 8});
  }
  const MeshGrading grading(points, 0);
  std::size_t looked_at = 0;
  for (int i = 0; i < count; ++i) {
    const Vec3 low = points[2 * i].at_m, high = points[2 * i + 1].at_m,
               step = (1.0 / segments) * (high - low);
    const NearSteepPoints near = grading.near(low, high, norm(step));
    ASSERT_TRUE(near.few);
    for (int s = 0; s < segments; ++s)
      (void)grading.cuts(low + s * step, low + (s + 1.0) * step, 1e-3, 1, &looked_at,
                         near);
  }
  EXPECT_LT(looked_at, std::size_t{3} * segments * count);
}

}  // namespace
}  // namespace thinwire
