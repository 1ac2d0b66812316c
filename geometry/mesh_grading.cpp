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

/// So many points around a segment are compared with each of its elements; more are
/// looked for around the element.
constexpr std::size_t few_points = 64;

/// The corner of a box around two points with the least or greatest coordinates.
Vec3 low_corner(Vec3 a, Vec3 b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
Vec3 high_corner(Vec3 a, Vec3 b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

/// A steep point as one segment has it beside itself.
struct NearPoint {
  double at = 0;        ///< foot of its perpendicular, as a fraction of the segment
  double off2_m2 = 0;   ///< square of its distance from the segment's line
  double coarsest = 0;  ///< the segment is halved down to this fraction for it

  /// Square of the distance from the piece between two fractions.
  double away2_m2(double length_m, double low, double high) const {
    const double beyond = length_m * std::max({low - at, at - high, 0.0});
    return off2_m2 + beyond * beyond;
  }
};

/// One segment on its way to being cut.
struct Cutter {
  Vec3 start_m, along_m;
  double length_m;
  double longest;  ///< fraction of the segment
  double finest;   ///< fraction of the segment
  std::span<const SteepPoint> all;
  const PointIndex& index;
  std::size_t looked_at = 0;  ///< points
  bool crowded = false;       ///< near: only points that touch the segment
  std::vector<NearPoint> near = {};
  std::vector<double> cuts = {};

  NearPoint seen_from_here(const SteepPoint& p) const {
    NearPoint seen;
    const Vec3 away = p.at_m - start_m;
    seen.at = dot(away, along_m) / (length_m * length_m);
    const Vec3 off = away - seen.at * along_m;
    seen.off2_m2 = dot(off, off);
    const double least = touching * length_m;
    const bool is_beside = seen.away2_m2(length_m, 0, 1) > least * least;
    seen.coarsest =
        std::ldexp(1, -(is_beside ? std::min(p.halvings, halvings_beside) : p.halvings));
    return seen;
  }

  /// Whether the piece is longer than its distance from the point.
  bool is_long_for(const NearPoint& p, double low, double high) const {
    const double length = (high - low) * length_m;
    return high - low > p.coarsest &&
           length * length > same * same * p.away2_m2(length_m, low, high);
  }

  /// Calls visit(point) for points within `reach_m` of a box around the piece; false ends
  /// the search.
  template <class Visit>
  void find(double low, double high, double reach_m, const Visit& visit) {
    const Vec3 from = start_m + low * along_m, to = start_m + high * along_m;
    index.visit(low_corner(from, to), high_corner(from, to), reach_m, [&](std::size_t i) {
      ++looked_at;
      return !(length_m > all[i].longer_than_m) || visit(seen_from_here(all[i]));
    });
  }

  void find_near(const NearSteepPoints& known) {
    for (const std::size_t i : known.numbers) {
      ++looked_at;
      if (!(length_m > all[i].longer_than_m)) continue;
      if (const NearPoint p = seen_from_here(all[i]); is_long_for(p, 0, 1))
        near.push_back(p);
    }
    if (known.few) return;
    find(0, 1, length_m / same, [&](const NearPoint& p) {
      crowded = looked_at > few_points;
      if (!crowded && is_long_for(p, 0, 1)) near.push_back(p);
      return !crowded;
    });
    if (!crowded) return;
    near.clear();
    const double coarsest_beside = std::ldexp(1, -halvings_beside);
    find(0, 1, touching * length_m, [&](const NearPoint& p) {
      if (p.coarsest < coarsest_beside) near.push_back(p);
      return true;
    });
  }

  bool too_long(double low, double high) {
    const double fraction = high - low;
    if (fraction < finest) return false;
    if (fraction > longest) return true;
    bool found = std::any_of(near.begin(), near.end(), [&](const NearPoint& p) {
      return is_long_for(p, low, high);
    });
    if (!found && crowded && fraction > std::ldexp(1, -halvings_beside))
      find(low, high, fraction * length_m / same, [&](const NearPoint& p) {
        found = is_long_for(p, low, high);
        return !found;
      });
    return found;
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

NearSteepPoints MeshGrading::near(Vec3 low_m, Vec3 high_m, double longest_m) const {
  NearSteepPoints found{true};
  index_.visit(low_m, high_m, longest_m / same, [&](std::size_t i) {
    found.few = found.numbers.size() < few_points;
    found.numbers.push_back(i);
    return found.few;
  });
  if (!found.few) found.numbers.clear();
  return found;
}

std::vector<double> MeshGrading::cuts(Vec3 start_m, Vec3 end_m, double radius_m,
                                      double longest_fraction, std::size_t* looked_at,
                                      const NearSteepPoints& near) const {
  const double length = norm(end_m - start_m);
  Cutter cutter{start_m,
                end_m - start_m,
                length,
                longest_fraction,
                finest_per_radius_ * radius_m / length,
                points_,
                index_};
  cutter.find_near(near);
  cutter.halve(0, 1);
  if (looked_at) *looked_at += cutter.looked_at;
  return std::move(cutter.cuts);
}

}  // namespace thinwire
