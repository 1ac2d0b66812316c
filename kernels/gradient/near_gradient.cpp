#include "kernels/gradient/near_gradient.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/dual.h"
#include "kernels/element/near_pair.h"

namespace thinwire {
namespace {

template <int n>
using DualVec3 = BasicVec3<Dual<n>>;

/// An element with its derivatives along some motions.
template <int n>
class MovedElement {
 public:
  explicit MovedElement(const Element& e)
      : start_(dual(e.start_m)),
        end_(dual(e.start_m + e.length_m * e.tangent)),
        radius_(e.radius_m) {}

  void set_motion(int i, const ElementMotion& m) {
    set(start_, i, m.start_m);
    set(end_, i, m.end_m);
    radius_.slope[i] = m.radius_m;
  }
  BasicElement<Dual<n>> element() const {
    const DualVec3<n> along = end_ - start_;
    const Dual<n> length = norm(along);
    return {start_, (1 / length) * along, length, radius_};
  }

 private:
  static DualVec3<n> dual(Vec3 v) { return {v.x, v.y, v.z}; }
  static void set(DualVec3<n>& v, int i, Vec3 slope) {
    v.x.slope[i] = slope.x;
    v.y.slope[i] = slope.y;
    v.z.slope[i] = slope.z;
  }
  DualVec3<n> start_, end_;
  Dual<n> radius_;
};

/// Whether parallel elements turn against each other.
template <int n>
bool turns(const BasicElement<Dual<n>>& p, const BasicElement<Dual<n>>& q) {
  const DualVec3<n> normal = cross(p.tangent, q.tangent);
  const double length = std::min(p.length_m.value, q.length_m.value);
  double turn = 0, motion = 0;
  for (int i = 0; i < n; ++i) {
    turn = std::max({turn, std::fabs(normal.x.slope[i]), std::fabs(normal.y.slope[i]),
                     std::fabs(normal.z.slope[i])});
    for (const BasicElement<Dual<n>>& e : {p, q})
      motion = std::max({motion, std::fabs(e.start_m.x.slope[i]),
                         std::fabs(e.start_m.y.slope[i]), std::fabs(e.start_m.z.slope[i]),
                         std::fabs(e.length_m.slope[i])});
  }
  return turn * length > 1e-9 * motion;
}

/// near_pair of parallel elements side by side that turn against each other: their
/// distance varies along them, which near_parallel does not follow. By the general
/// integration, with the frame across the second element turned towards the first.
template <int n>
BasicElementMatrix<Dual<n>> turning_pair(const BasicElement<Dual<n>>& p,
                                         const BasicElement<Dual<n>>& q, double k,
                                         GreensKernel kernel) {
  const auto axis = axis_distance_kernel(p.radius_m, q.radius_m, k, kernel);
  const DualVec3<n> step = q.start_m - p.start_m,
                    across = step - dot(step, q.tangent) * q.tangent,
                    n1 = (1 / norm(across)) * across;
  const Element at_p = value_of(p), at_q = value_of(q);
  const double radii = at_p.radius_m + at_q.radius_m;
  const GeneralPair<Dual<n>> pair{
      p,
      q,
      k,
      kernel == GreensKernel::exact && !tubes_overlap(value_of(norm(across)), radii),
      axis,
      {p.tangent, q.tangent, n1, cross(q.tangent, n1), p.radius_m, q.radius_m, k}};
  return general_matrix(pair, radii, Alone());
}

template <int n>
void add_slopes(const Element& first, const Element& second,
                std::span<const PairMotion> motions, double k, GreensKernel kernel,
                std::vector<ElementMatrix>& slopes) {
  MovedElement<n> moved_first(first), moved_second(second);
  for (std::size_t i = 0; i < motions.size(); ++i) {
    moved_first.set_motion(static_cast<int>(i), motions[i].first);
    moved_second.set_motion(static_cast<int>(i), motions[i].second);
  }
  BasicElement<Dual<n>> p = moved_first.element(), q = moved_second.element();
  const PairTurns pair_turns = shaped_pair(first, second).turns;
  pair_turns.apply(p, q);
  const Element at_p = value_of(p), at_q = value_of(q);
  const Vec3 step = at_q.start_m - at_p.start_m;
  const bool side_by_side =
      elements_parallel(at_p, at_q) &&
      norm(cross(step, at_p.tangent)) > 1e-7 * (at_p.radius_m + at_q.radius_m);
  const BasicElementMatrix<Dual<n>> z =
      pair_turns.undo(side_by_side && turns(p, q)     ? turning_pair(p, q, k, kernel)
                      : elements_parallel(at_p, at_q) ? near_parallel(p, q, k, kernel)
                                                      : near_bent(p, q, k, kernel));
  for (std::size_t m = 0; m < motions.size(); ++m) {
    ElementMatrix slope;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        slope.z[i][j] = {z.z[i][j].re.slope[m], z.z[i][j].im.slope[m]};
    slopes.push_back(slope);
  }
}

}  // namespace

bool PairMotion::moves_as_one() const {
  if (first.radius_m != 0 || second.radius_m != 0) return false;
  const Vec3& shift = first.start_m;
  const double rounding = 1e-10 * norm(shift);
  return norm(first.end_m - shift) <= rounding &&
         norm(second.start_m - shift) <= rounding &&
         norm(second.end_m - shift) <= rounding;
}

std::vector<ElementMatrix> near_pair_slopes(const Element& first, const Element& second,
                                            std::span<const PairMotion> motions, double k,
                                            GreensKernel kernel) {
  constexpr std::size_t at_once = 4;
  std::vector<ElementMatrix> slopes;
  slopes.reserve(motions.size());
  while (!motions.empty()) {
    const std::size_t count = std::min(at_once, motions.size());
    if (count == 1)
      add_slopes<1>(first, second, motions.first(1), k, kernel, slopes);
    else
      add_slopes<at_once>(first, second, motions.first(count), k, kernel, slopes);
    motions = motions.subspan(count);
  }
  return slopes;
}

}  // namespace thinwire
