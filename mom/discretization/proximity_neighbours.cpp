#include "mom/discretization/proximity_neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "geometry/close_wires.h"
#include "geometry/structure.h"
#include "kernels/base/disjoint_sets.h"
#include "kernels/base/parallel.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/wire_harmonics.h"
#include "mom/discretization/smooth_ramp.h"

namespace thinwire {
namespace {

using Beside = ProximityNeighbours::Beside;

constexpr double min_cosine = 0.9510565;   // 18 degrees
constexpr double full_cosine = 0.9781476;  // 12 degrees
constexpr double min_bend = 0.1;           ///< smaller angles (radians) are left out
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns the weight of the charges on the other leg of a bend: full for bends by 18
/// degrees or more, none below 12. cosine: of the angle by which the current turns.
double bend_weight(double cosine) {
  return cosine > 0 ? 1 - angle_weight(cosine) : 1;
}

/// Returns the weight of a bend by its angle: full up to 125 degrees, as far as surface
/// meshes confirm it, none from 140 on, where the legs run into each other.
double sharpness_weight(double cosine) {
  constexpr double sharpest = -0.7660444, full = -0.5735764;
  return smooth_ramp(cosine, sharpest, full);
}

/// Returns the weight of a bend: none where a leg is two radii long, full from three on.
double leg_weight(double radii) {
  return smooth_ramp(radii, 2, 3);
}

Segment segment_of(const Element& e) {
  return {e.start_m, e.start_m + e.length_m * e.tangent};
}

/// Returns the part of p that q lies beside, closer than reach_m and not on p's line.
std::optional<Beside> part_beside(const Element& p, const Element& q, double reach_m) {
  if (std::fabs(dot(p.tangent, q.tangent)) <= min_cosine) return {};
  const AxisView view(p, q);
  Beside beside{};
  const double end = view.t + view.cosine * q.length_m;
  beside.t0 = std::max(0.0, std::min(view.t, end));
  beside.t1 = std::min(p.length_m, std::max(view.t, end));
  if (beside.t1 - beside.t0 <= 1e-9 * p.length_m) return {};
  const double s0 = view.at(beside.t0), s1 = view.at(beside.t1),
               distances[] = {norm(view.offset(s0)), norm(view.offset(s1))};
  const double a2 = dot(view.across, view.across),
               nearest = a2 > 1e-24 ? -dot(view.start, view.across) / a2 : s0;
  beside.min_distance_m =
      norm(view.offset(std::clamp(nearest, std::min(s0, s1), std::max(s0, s1))));
  if (beside.min_distance_m >= reach_m ||
      std::max(distances[0], distances[1]) <= p.radius_m + q.radius_m)
    return {};
  return beside;
}

}  // namespace

double angle_weight(double cosine) {
  return smooth_ramp(std::fabs(cosine), min_cosine, full_cosine);
}

ProximityNeighbours::ProximityNeighbours(std::span<const Element> elements,
                                         const Basis& basis, Medium medium)
    : elements_(elements), basis_(basis) {
  for (int s = 0; s < medium.sources(); ++s)
    for (std::uint32_t e = 0; e < elements.size(); ++e) {
      if (basis.at(e, 0).empty() && basis.at(e, 1).empty()) continue;
      number_.push_back(e);
      factor_.push_back(medium.factor(s));
      wires_.push_back(medium.source(elements[e], s));
      if (s == 0) ++real_;
    }
  find_runs();
  find_bends();
  find_beside();
  find_skew();
  find_near();
}

/// Distance up to which two wires influence each other.
double ProximityNeighbours::reach_m(std::uint32_t p, std::uint32_t q) const {
  return std::min({proximity_radii * std::max(wires_[p].radius_m, wires_[q].radius_m),
                   run_reach_m_[number_[p]], run_reach_m_[number_[q]]});
}

/// Finds how far wires influence others: between junctions no farther than half their
/// length. So the cells of wire grids, whose radii stand for a surface, do not.
void ProximityNeighbours::find_runs() {
  DisjointSets runs(elements_.size());
  for (const BasisFunction& f : basis_.functions())
    if (joins_two(f)) runs.unite(f.element[0], f.element[1]);
  std::vector<char> junctions(elements_.size(), 0);
  std::vector<double> length_m(elements_.size(), 0.0);
  for (std::uint32_t e = 0; e < elements_.size(); ++e) {
    const std::size_t run = runs.root(e);
    length_m[run] += elements_[e].length_m;
    for (const int end : {0, 1})
      if (is_junction(e, end)) ++junctions[run];
  }
  constexpr double reach_of_length = 0.5;
  for (std::uint32_t e = 0; e < elements_.size(); ++e) {
    const std::size_t run = runs.root(e);
    run_reach_m_.push_back(junctions[run] == 2 ? reach_of_length * length_m[run]
                                               : infinity);
  }
}

/// True if the end of an element meets two others or more.
bool ProximityNeighbours::is_junction(std::uint32_t element, int end) const {
  const auto at = basis_.at(element, end);
  if (at.size() != 1) return at.size() > 1;
  const BasisFunction& f = basis_.functions()[at[0].function];
  return f.sign[1] != 0 && !joins_two(f);
}

/// True if a function joins two ends that meet no others.
bool ProximityNeighbours::joins_two(const BasisFunction& f) const {
  return f.sign[1] != 0 && basis_.at(f.element[0], f.end[0]).size() == 1 &&
         basis_.at(f.element[1], f.end[1]).size() == 1;
}

/// Finds the bends between two wires whose legs are long enough.
void ProximityNeighbours::find_bends() {
  for (const BasisFunction& f : basis_.functions()) {
    const Element& first = elements_[f.element[0]];
    if (!joins_two(f) ||
        run_reach_m_[f.element[0]] < 0.5 * proximity_radii * first.radius_m)
      continue;
    const Element& second = elements_[f.element[1]];
    // The current's directions are the tangents times the signs.
    const double cosine = f.sign[0] * f.sign[1] * dot(first.tangent, second.tangent);
    Bend bend{&f, std::acos(std::clamp(cosine, -1.0, 1.0)),
              std::max(first.radius_m, second.radius_m)};
    if (bend.angle < min_bend) continue;
    bend.weight = sharpness_weight(cosine);
    for (const int side : {0, 1})
      bend.weight = std::min(bend.weight, leg_weight(find_leg(bend, side)));
    if (bend.weight > 0) bends_.push_back(std::move(bend));
  }
}

/// Lists the elements of a leg, and returns its length in radii.
double ProximityNeighbours::find_leg(Bend& bend, int side) const {
  std::uint32_t e = bend.function->element[side];
  int end = bend.function->end[side];
  const Vec3 direction = (end == 0 ? 1.0 : -1.0) * elements_[e].tangent;
  double along_m = 0;
  while (true) {
    bend.leg[side].push_back(e);
    along_m += elements_[e].length_m;
    const auto at = basis_.at(e, 1 - end);
    if (along_m >= skew_radii * bend.radius_m || at.size() != 1) break;
    const BasisFunction& next = basis_.functions()[at[0].function];
    if (!joins_two(next)) break;
    const int other = next.element[0] == e && next.end[0] == 1 - end ? 1 : 0;
    e = next.element[other];
    end = next.end[other];
    if ((end == 0 ? 1 : -1) * dot(elements_[e].tangent, direction) < full_cosine) break;
  }
  return along_m / bend.radius_m;
}

void ProximityNeighbours::find_beside() {
  beside_.resize(real_);
  std::vector<Vec3> centre;
  std::vector<double> reach;
  for (std::uint32_t e = 0; e < wires_.size(); ++e) {
    centre.push_back(centre_of(wires_[e]));
    reach.push_back(0.5 * wires_[e].length_m + reach_m(e, e));
  }
  const auto part = [&](std::uint32_t p, std::uint32_t q) {
    std::optional<Beside> found;
    if (p < real_ && p != q) found = part_beside(wires_[p], wires_[q], reach_m(p, q));
    if (found) found->wire = q;
    return found;
  };
  const ElementPairs pairs =
      close_pairs(centre, centre, reach, [&](std::uint32_t p, std::uint32_t q) {
        return q < real_ && (part(q, p) || part(p, q));
      });
  for (std::uint32_t p = 0; p < wires_.size(); ++p)
    for (const std::uint32_t q : pairs.of(p)) {
      if (const auto of_q = part(q, p)) beside_[q].push_back(*of_q);
      if (const auto of_p = part(p, q)) beside_[p].push_back(*of_p);
    }
}

/// Lists the wires at an angle that act on each: those of the two legs of a bend, on
/// each other.
void ProximityNeighbours::find_skew() {
  skew_.resize(wires_.size());
  std::vector<std::uint32_t> place(elements_.size());
  for (std::uint32_t i = 0; i < real_; ++i) place[number_[i]] = i;
  for (const Bend& bend : bends_) {
    const double weight = bend.weight * bend_weight(std::cos(bend.angle));
    if (weight == 0) continue;
    for (const int side : {0, 1})
      for (const std::uint32_t p : bend.leg[side])
        for (const std::uint32_t q : bend.leg[1 - side])
          for (std::uint32_t s = 0; s < wires_.size(); s += real_)
            skew_[s + place[p]].push_back({s + place[q], weight});
  }
  for (auto& of : skew_) {
    std::sort(of.begin(), of.end());
    of.erase(std::unique(of.begin(), of.end(),
                         [](const Skew& a, const Skew& b) { return a.wire == b.wire; }),
             of.end());
  }
}

void ProximityNeighbours::find_near() {
  near_.assign(real_, {});
  std::vector<Vec3> centre;
  std::vector<double> reach;
  for (const Element& e : wires_) {
    centre.push_back(centre_of(e));
    reach.push_back(0.5 * e.length_m);
  }
  const ReachIndex index(centre, reach);
  for_each_parallel(real_, [&](std::size_t i) {
    const auto p = static_cast<std::uint32_t>(i);
    if (!has_effect(p)) return;
    const Element& wire = wires_[p];
    double thickest = wire.radius_m;
    for (const Beside& q : beside_[p])
      thickest = std::max(thickest, wires_[q.wire].radius_m);
    std::vector<std::uint32_t>& near = near_[p];
    if (!beside_[p].empty())
      index.visit_reaching(
          0, centre[p],
          0.5 * wire.length_m + std::hypot(proximity_radii, window_radii) * thickest,
          [&](std::uint32_t q) {
            const Element& e = wires_[q];
            const AxisView view(wire, e);
            if (std::fabs(view.cosine) <= min_cosine) return;
            const double end = view.t + view.cosine * e.length_m,
                         limit = window_radii * std::max(thickest, e.radius_m);
            if (std::max(view.t, end) > -limit &&
                std::min(view.t, end) < wire.length_m + limit &&
                norm(view.start + (0.5 * e.length_m) * view.across) < reach_m(p, q))
              near.push_back(q);
          });
    const auto add_skew = [&](std::uint32_t q) {
      for (const Skew& other : skew_[q]) near.push_back(other.wire);
    };
    add_skew(p);
    if (!skew_[p].empty())
      for (const Beside& q : beside_[p]) add_skew(q.wire);
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
  });
}

/// Least distance of a piece of wire p from skew wires, half a radius at least;
/// infinite where none acts.
double ProximityNeighbours::skew_distance(std::uint32_t p, double t0, double t1) const {
  const Element& wire = wires_[p];
  const Segment part = {wire.start_m + t0 * wire.tangent,
                        wire.start_m + t1 * wire.tangent};
  double least = skew_radii * wire.radius_m;
  bool any = false;
  for (const Skew& q : skew_[p]) {
    const double distance = segment_distance(part, segment_of(wires_[q.wire]));
    any = any || distance < least;
    least = std::min(least, distance);
  }
  return any ? std::max(least, 0.5 * wire.radius_m) : infinity;
}

std::vector<ProximityNeighbours::Panel> ProximityNeighbours::panels(
    std::uint32_t p) const {
  std::vector<Panel> list;
  const double length = wires_[p].length_m;
  // Adds a piece in halves that are short enough. distance: of the wires beside it.
  const auto add = [&](double t0, double t1, Panel whole, const auto& add_half) -> void {
    const double away = std::min(t0 - whole.t0_m, whole.t1_m - t1),
                 skew = skew_distance(p, t0, t1),
                 nearest = std::min(whole.nearest_m, skew);
    if (nearest == infinity) return;
    // The factor is none that lengths in proportion to distances meet exactly.
    constexpr double tolerated = 1.0137;
    if (t1 - t0 <= tolerated * std::min(std::max(whole.nearest_m, away), skew)) {
      list.push_back({t0, t1, nearest});
      return;
    }
    const double middle = 0.5 * (t0 + t1);
    add_half(t0, middle, whole, add_half);
    add_half(middle, t1, whole, add_half);
  };
  std::vector<double> cuts;
  if (!skew_[p].empty()) cuts = {0, length};
  for (const Beside& q : beside_[p]) {
    cuts.push_back(q.t0);
    cuts.push_back(q.t1);
  }
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
    if (cuts[c + 1] - cuts[c] <= 1e-9 * length) continue;
    const double middle = 0.5 * (cuts[c] + cuts[c + 1]);
    double distance = infinity;
    for (const Beside& q : beside_[p])
      if (q.t0 < middle && middle < q.t1)
        distance = std::min(
            distance,
            std::max(q.min_distance_m, wires_[p].radius_m + wires_[q.wire].radius_m));
    add(cuts[c], cuts[c + 1], {cuts[c], cuts[c + 1], distance}, add);
  }
  return list;
}

}  // namespace thinwire
