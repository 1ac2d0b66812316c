#include "kernels/gradient/pair_moves.h"

#include <optional>

#include "kernels/element/pair_shape.h"

namespace thinwire {
namespace {

Vec3 end_of(const Element& e) {
  return e.start_m + e.length_m * e.tangent;
}

Vec3 unit(Vec3 v) {
  return (1 / norm(v)) * v;
}

/// The part of v across a unit vector.
Vec3 across(Vec3 v, Vec3 axis) {
  return v - dot(v, axis) * axis;
}

Covector cross(Vec3 a, const Covector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Which end of each two elements have in common, as near_bent finds it.
struct Joint {
  bool first_end, second_end;
};

std::optional<Joint> joint_of(const Element& first, const Element& second) {
  for (const bool p : {false, true})
    for (const bool q : {false, true}) {
      const Vec3 gap =
          (q ? end_of(second) : second.start_m) - (p ? end_of(first) : first.start_m);
      if (norm(gap) <= 1e-9 * (first.length_m + second.length_m)) return Joint{p, q};
    }
  return {};
}

/// Along the first element, then across it in the plane of both, then out of that plane
/// towards the second: directions in which a move of the second changes something.
std::vector<Vec3> frame_of(const Element& first, const Element& second) {
  const Vec3 along = first.tangent,
             step = second.start_m + 0.5 * second.length_m * second.tangent -
                    (first.start_m + 0.5 * first.length_m * first.tangent);
  if (elements_parallel(first, second)) {
    if (!side_by_side(first, second)) return {along};
    return {along, unit(across(step, along))};
  }
  const Vec3 normal = unit(cross(along, second.tangent));
  std::vector<Vec3> frame = {along, unit(across(second.tangent, along))};
  const double beyond = dot(step, normal);
  if (std::fabs(beyond) > 1e-11 * (first.length_m + second.length_m))
    frame.push_back(beyond < 0 ? -normal : normal);
  return frame;
}

}  // namespace

bool side_by_side(const Element& first, const Element& second) {
  return elements_parallel(first, second) &&
         norm(cross(second.start_m - first.start_m, first.tangent)) >
             1e-7 * (first.radius_m + second.radius_m);
}

std::vector<PairMotion> pair_moves(const Element& first, const Element& second,
                                   bool the_same, WantedDerivatives wanted) {
  const Vec3 along = first.tangent;
  std::vector<PairMotion> moves;
  moves.reserve(max_moves);
  if (the_same) {
    const ElementMotion longer{{}, along, 0}, thicker{{}, {}, 1};
    moves.push_back({longer, longer});
    if (wanted.radii) moves.push_back({thicker, thicker});
    return moves;
  }
  const std::optional<Joint> joint = joint_of(first, second);
  if (joint && joint->first_end)
    moves.push_back({{-along, {}, 0}, {}});
  else
    moves.push_back({{{}, along, 0}, {}});
  const bool one_shift = !wanted.turns && side_by_side(first, second);
  for (const Vec3& axis : frame_of(first, second)) {
    if (one_shift && !(axis == along)) {
      moves.push_back({{}, {axis, axis, 0}});
      continue;
    }
    if (!joint || joint->second_end) moves.push_back({{}, {axis, {}, 0}});
    if (!joint || !joint->second_end) moves.push_back({{}, {{}, axis, 0}});
  }
  if (wanted.radii) {
    moves.push_back({{{}, {}, 1}, {}});
    moves.push_back({{}, {{}, {}, 1}});
  }
  return moves;
}

PairGradient gradient_from_moves(const Element& first, const Element& second,
                                 bool the_same, std::span<const PairMotion> moves,
                                 std::span<const HdComplex> derivatives) {
  PairGradient g;
  HdComplex longer;  // by a greater length of the first
  bool by_start = false;
  for (std::size_t m = 0; m < moves.size(); ++m) {
    const ElementMotion &p = moves[m].first, &q = moves[m].second;
    g.first.radius += p.radius_m * derivatives[m];
    if (!(p.start_m == Vec3{}) || !(p.end_m == Vec3{})) {
      longer = derivatives[m];
      by_start = p.end_m == Vec3{};
    }
    if (the_same) continue;
    // Both ends of a shift have a half of what it gives.
    const double share = q.start_m == Vec3{} || q.end_m == Vec3{} ? 1 : 0.5;
    g.second.start.add(share * derivatives[m], q.start_m);
    g.second.end.add(share * derivatives[m], q.end_m);
    g.second.radius += q.radius_m * derivatives[m];
  }
  // A shift of the pair changes nothing: all forces are zero together; nor does turning
  // it, about the start of the first.
  Covector force = g.second.start, torque;
  force.add(1.0, g.second.end);
  torque.add(1.0, cross(second.start_m - first.start_m, g.second.start));
  torque.add(1.0, cross(end_of(second) - first.start_m, g.second.end));
  g.first.end.add(1 / first.length_m, cross(first.tangent, torque));
  g.first.end.add(by_start ? longer - force.along(first.tangent) : longer, first.tangent);
  g.first.start.add(-1.0, force);
  g.first.start.add(-1.0, g.first.end);
  return g;
}

}  // namespace thinwire
