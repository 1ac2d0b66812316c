#include "geometry/mesh_grading.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace thinwire {
namespace {

/// Lengths and distances that are the same on paper differ by rounding, and by the
/// tolerance within which ends are joined.
constexpr double same = 1.01;
/// A segment whose distance from a point is below this fraction of its length ends there:
/// twice the tolerance within which ends are joined.
constexpr double touching = 2e-3;
/// Halvings on wires beside a point: more change nothing (docs/theory/method.md).
constexpr int halvings_beside = 3;

double distance(Vec3 point, Vec3 from, Vec3 to) {
  const Vec3 along = to - from;
  const double t = dot(point - from, along) / dot(along, along);
  return norm(point - from - std::clamp(t, 0.0, 1.0) * along);
}

/// One segment on its way to being cut.
struct Cutter {
  Vec3 start_m, along_m;
  double longest = 1;  ///< fraction of the segment
  double finest = 0;   ///< fraction of the segment
  std::span<const SteepPoint> points = {};
  std::vector<double> cuts = {};

  bool too_long(double low, double high) const {
    const double fraction = high - low, length = fraction * norm(along_m);
    if (fraction < finest) return false;
    if (fraction > longest) return true;
    const Vec3 from = start_m + low * along_m, to = start_m + high * along_m;
    return std::any_of(points.begin(), points.end(), [&](const SteepPoint& p) {
      return fraction > std::ldexp(1.0, -p.halvings) &&
             length > same * distance(p.at_m, from, to);
    });
  }

  void halve(double low, double high) {
    if (!too_long(low, high)) return;
    const double middle = 0.5 * (low + high);
    halve(low, middle);
    cuts.push_back(middle);
    halve(middle, high);
  }
};

}  // namespace

MeshGrading::MeshGrading(std::vector<SteepPoint> points, double finest_per_radius)
    : finest_per_radius_(finest_per_radius), points_(std::move(points)) {
  std::vector<Vec3> places;
  places.reserve(points_.size());
  for (const SteepPoint& p : points_) places.push_back(p.at_m);
  index_ = PointIndex(places);
}

std::vector<double> MeshGrading::cuts(Vec3 start_m, Vec3 end_m, double radius_m,
                                      double longest_fraction) const {
  const double length = norm(end_m - start_m);
  // This ball holds everything that is nearer to the segment than its length.
  const Vec3 centre_m = 0.5 * (start_m + end_m);
  const double ball_m = 1.5 * length;
  const Vec3 corner_m = {ball_m, ball_m, ball_m};
  std::vector<SteepPoint> near;
  index_.visit(centre_m - corner_m, centre_m + corner_m, [&](std::size_t i) {
    const SteepPoint& p = points_[i];
    if (const double away = distance(p.at_m, start_m, end_m);
        length > p.longer_than_m && length > same * away) {
      near.push_back(p);
      if (away > touching * length)
        near.back().halvings = std::min(p.halvings, halvings_beside);
    }
  });
  Cutter cutter{start_m, end_m - start_m, longest_fraction,
                finest_per_radius_ * radius_m / length, near};
  cutter.halve(0, 1);
  return std::move(cutter.cuts);
}

}  // namespace thinwire
