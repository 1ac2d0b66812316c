#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/base/grouping.h"
#include "kernels/base/parallel.h"
#include "kernels/base/point_index.h"
#include "kernels/base/vec3.h"
#include "kernels/element/element.h"

namespace thinwire {

THINWIRE_HD inline Vec3 centre_of(const Element& e) {
  return e.start_m + 0.5 * e.length_m * e.tangent;
}

/// Distance between the axes of two elements, m (Ericson 2005, 5.1.9).
THINWIRE_HD inline double axis_distance(const Element& p, const Element& q) {
  const Vec3 r = p.start_m - q.start_m;
  const double c = dot(p.tangent, q.tangent), rp = dot(r, p.tangent),
               rq = dot(r, q.tangent), sine2 = 1 - c * c;
  const auto within = [](double s, double length) {
    return s < 0 ? 0.0 : s > length ? length : s;
  };
  // The nearest point of the line of p, then that of q to it, then back to p.
  double s = sine2 > 1e-12 ? within((c * rq - rp) / sine2, p.length_m) : 0;
  const double t = within(c * s + rq, q.length_m);
  s = within(c * t - rp, p.length_m);
  return norm(r + s * p.tangent - t * q.tangent);
}

/// Whether the axes come within `cut_m` and both radii of each other. For most elements
/// the distance of their centres decides.
THINWIRE_HD inline bool elements_close(const Element& p, const Element& q, double cut_m,
                                       bool the_same) {
  if (the_same) return true;
  const Vec3 apart = centre_of(p) - centre_of(q);
  const double near_m = cut_m + p.radius_m + q.radius_m,
               far_m = near_m + 0.5 * (p.length_m + q.length_m),
               apart2 = dot(apart, apart);
  if (apart2 < near_m * near_m) return true;
  return apart2 < far_m * far_m && axis_distance(p, q) < near_m;
}

/// Pairs (p, q), q <= p, ordered by p, then q: rows as of a sparse matrix.
struct ElementPairs {
  std::vector<std::uint64_t> row;     ///< [elements + 1]
  std::vector<std::uint32_t> second;  ///< q

  std::span<const std::uint32_t> of(std::size_t p) const {
    return {second.data() + row[p], second.data() + row[p + 1]};
  }
  std::size_t bytes() const {
    return row.size() * sizeof(row[0]) + second.size() * sizeof(second[0]);
  }
};

/// Places with a reach each, in an index for every octave of reaches, so that a few that
/// reach far do not make the search for all others long.
class ReachIndex {
 public:
  /// reach_m: > 0, infinity included. Throws what the monitor does.
  ReachIndex(std::span<const Vec3> places_m, std::span<const double> reach_m,
             const Monitor& monitor = {});

  /// Calls visit(q) for every q whose reach is of p's octave or a later one, and that may
  /// be within reach_p + reach_q of `at_m`; always in the same order. Where visit returns
  /// a bool, false ends the search.
  template <class Visit>
  void visit(std::size_t p, Vec3 at_m, const Visit& visit) const {
    visit_from(level_of(p), at_m, reach_m_[p], 1, visit);
  }
  /// Visits likewise every q near a place of its own that reaches `reach_m`, among those
  /// whose reach may be `min_reach_m` or more.
  template <class Visit>
  void visit_reaching(double min_reach_m, Vec3 at_m, double reach_m,
                      const Visit& visit) const {
    visit_from(level_for(min_reach_m), at_m, reach_m, 1, visit);
  }
  /// Calls visit(q) for every q whose reach is of p's octave or a later one, and that may
  /// be within p's own reach of `at_m`.
  template <class Visit>
  void visit_within(std::size_t p, Vec3 at_m, const Visit& visit) const {
    visit_from(level_of(p), at_m, reach_m_[p], 0, visit);
  }
  int level_of(std::size_t p) const { return level_[p]; }

 private:
  struct Level {
    PointIndex places;
    std::vector<std::uint32_t> number;  ///< of each place among all
    double longest_m = 0;
  };

  /// others: how many times their longest reach adds to `reach_m`.
  template <class Visit>
  void visit_from(int first_level, Vec3 at_m, double reach_m, double others,
                  const Visit& visit) const {
    bool more = true;
    for (int level = first_level; more && level < static_cast<int>(levels_.size());
         ++level) {
      const Level& there = levels_[level];
      const double reach = reach_m + others * there.longest_m;
      const Vec3 half{reach, reach, reach};
      there.places.visit(at_m - half, at_m + half, [&](std::size_t i) {
        if constexpr (std::is_same_v<decltype(visit(std::uint32_t{})), bool>)
          return more = visit(there.number[i]);
        else
          visit(there.number[i]);
      });
    }
  }
  int level_for(double reach_m) const;

  double shortest_m_ = 0, farthest_m_ = 0;
  std::vector<double> reach_m_;
  std::vector<int> level_;
  std::vector<Level> levels_;
};

/// All pairs that keep(p, q), q <= p, holds for, of those that are at most
/// reach_m[p] + reach_m[q] apart: first_m[p] from second_m[q]. The two are the same, or
/// the first are the second mirrored in z = 0: distances must not change when p and q are
/// exchanged. Takes the time of the pairs found.
template <class Keep>
ElementPairs close_pairs(std::span<const Vec3> first_m, std::span<const Vec3> second_m,
                         std::span<const double> reach_m, const Keep& keep) {
  const ReachIndex index(second_m, reach_m);
  constexpr std::size_t searched_at_once = 64, sorted_at_once = 256;
  std::vector<std::vector<std::uint32_t>> found(first_m.size());
  for_each_parallel(
      found.size(),
      [&](std::size_t i) {
        const auto p = static_cast<std::uint32_t>(i);
        index.visit(p, first_m[p], [&](std::uint32_t q) {
          if (q > p && index.level_of(q) == index.level_of(p))
            return;  // found from there
          if (keep(std::max(p, q), std::min(p, q))) found[p].push_back(q);
        });
      },
      searched_at_once);
  Groups rows = group(found.size(), found.size(), [&](std::size_t p, const auto& put) {
    const auto own = static_cast<std::uint32_t>(p);
    for (const std::uint32_t q : found[p]) put(std::max(own, q), std::min(own, q));
  });
  ElementPairs pairs{std::move(rows.first), std::move(rows.member)};
  for_each_parallel(
      found.size(),
      [&](std::size_t p) {
        std::sort(pairs.second.begin() + static_cast<std::ptrdiff_t>(pairs.row[p]),
                  pairs.second.begin() + static_cast<std::ptrdiff_t>(pairs.row[p + 1]));
      },
      sorted_at_once);
  return pairs;
}

}  // namespace thinwire
