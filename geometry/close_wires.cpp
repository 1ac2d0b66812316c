#include "geometry/close_wires.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "kernels/element/close_pairs.h"

namespace thinwire {
namespace {

class Search {
 public:
  Search(const Structure& structure, const WireMesh& mesh, const Monitor& monitor)
      : segments_(structure.segments()), mesh_(mesh), monitor_(monitor) {
    for (std::uint32_t s = 0; s < segments_.size(); ++s)
      (length(s) > shortest_radii * segments_[s].radius_m ? long_ : short_).push_back(s);
  }

  PairSearch run() {
    const ReachIndex of_long =
        index_of(long_, [this](std::size_t s) { return reach(s); });
    find(long_, [&](std::uint32_t i, const auto& candidate) {
      const std::size_t a = long_[i];
      of_long.visit(i, centre(a), [&](std::uint32_t j) {
        const std::size_t b = long_[j];
        return candidate(
            b, first_of(of_long, i, j) && (slenderness(a) + slenderness(b) > 0 ||
                                           axes_meet(a, b) || are_beside(a, b)));
      });
    });
    // The sum of both slendernesses must be positive: what is long enough is looked at.
    find(short_, [&](std::uint32_t i, const auto& candidate) {
      const double thickness = -slenderness(short_[i]);
      of_long.visit_reaching(thickness, centre(short_[i]), reach(short_[i]),
                             [&](std::uint32_t j) {
                               const std::size_t b = long_[j];
                               return candidate(b, slenderness(b) > thickness);
                             });
    });
    // Short pairs count where their axes meet.
    const ReachIndex long_axes =
        index_of(long_, [this](std::size_t s) { return 0.5 * length(s); });
    find(short_, [&](std::uint32_t i, const auto& candidate) {
      const std::size_t a = short_[i];
      long_axes.visit_reaching(0, centre(a), 0.5 * length(a), [&](std::uint32_t j) {
        const std::size_t b = long_[j];
        return candidate(b, slenderness(b) <= -slenderness(a) && axes_meet(a, b));
      });
    });
    const ReachIndex of_short =
        index_of(short_, [this](std::size_t s) { return 0.5 * length(s); });
    find(short_, [&](std::uint32_t i, const auto& candidate) {
      const std::size_t a = short_[i];
      of_short.visit(i, centre(a), [&](std::uint32_t j) {
        const std::size_t b = short_[j];
        return candidate(b, first_of(of_short, i, j) && axes_meet(a, b));
      });
    });
    return std::move(search_);
  }

 private:
  /// A segment that is shorter is no piece of a wire beside another.
  static constexpr double shortest_radii = 0.1;

  double length(std::size_t s) const {
    return norm(segments_[s].end_m - segments_[s].start_m);
  }
  Vec3 centre(std::size_t s) const {
    return 0.5 * (segments_[s].start_m + segments_[s].end_m);
  }
  double reach(std::size_t s) const {
    return 0.5 * length(s) + close_radii * segments_[s].radius_m;
  }
  /// How much longer half a segment is than its thickness reaches.
  double slenderness(std::size_t s) const {
    return 0.5 * length(s) - close_radii * segments_[s].radius_m;
  }

  bool axes_meet(std::size_t a, std::size_t b) const {
    return norm(centre(a) - centre(b)) <= 0.5 * (length(a) + length(b)) &&
           segment_distance(segments_[a], segments_[b]) == 0;
  }
  /// Whether the axis of each segment passes the other one's, nearly in parallel.
  bool are_beside(std::size_t a, std::size_t b) const {
    const Segment &s = segments_[a], &t = segments_[b];
    const Vec3 of_s = s.end_m - s.start_m, of_t = t.end_m - t.start_m,
               apart = centre(b) - centre(a);
    const double cosine = std::abs(dot(of_s, of_t)) / (length(a) * length(b)),
                 limit = (1 - 1e-6) * 0.5;
    return cosine > beside_cosine &&
           std::abs(dot(apart, of_s)) <
               limit * length(a) * (length(a) + cosine * length(b)) &&
           std::abs(dot(apart, of_t)) <
               limit * length(b) * (length(b) + cosine * length(a));
  }

  /// True if the pair of i and j, which an index may find from both, belongs to i.
  static bool first_of(const ReachIndex& index, std::uint32_t i, std::uint32_t j) {
    return j < i || index.level_of(j) > index.level_of(i);
  }

  template <class Reach>
  ReachIndex index_of(const std::vector<std::uint32_t>& some, const Reach& reach) const {
    std::vector<Vec3> centres;
    std::vector<double> reaches;
    for (const std::uint32_t s : some) {
      centres.push_back(centre(s));
      reaches.push_back(reach(s));
    }
    return {centres, reaches, monitor_};
  }

  /// Adds pairs of some segments with those that visit(i, candidate) names for the i-th,
  /// by candidate(b, wanted).
  template <class Visit>
  void find(const std::vector<std::uint32_t>& some, const Visit& visit) {
    constexpr double searches = 4;
    const double first = part_ / searches;
    search_pairs(
        some.size(), monitor_.part(first, ++part_ / searches),
        [&](std::size_t i, const auto& pair_with) {
          std::size_t candidates = 0;
          visit(static_cast<std::uint32_t>(i), [&](std::size_t b, bool wanted) {
            if (wanted && are_close(some[i], b)) pair_with(some[i], b);
            return ++candidates < max_candidates_each;
          });
          return candidates;
        },
        search_);
  }

  bool are_close(std::size_t a, std::size_t b) const {
    if (mesh_.duplicate(a) || mesh_.duplicate(b)) return false;
    const double reach = close_radii * (segments_[a].radius_m + segments_[b].radius_m);
    return norm(centre(a) - centre(b)) <= 0.5 * (length(a) + length(b)) + reach &&
           !joined(a, b) && segment_distance(segments_[a], segments_[b]) < reach;
  }

  bool joined(std::size_t a, std::size_t b) const {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        if (mesh_.node_of(a, i) == mesh_.node_of(b, j)) return true;
    return false;
  }

  const LargeVector<Segment>& segments_;
  const WireMesh& mesh_;
  const Monitor& monitor_;
  /// Numbers of segments: those that may be pieces of wires beside others, and the rest.
  std::vector<std::uint32_t> long_, short_;
  int part_ = 0;  ///< of the work
  PairSearch search_;
};

}  // namespace

double segment_distance(const Segment& a, const Segment& b) {
  const Vec3 u = a.end_m - a.start_m, v = b.end_m - b.start_m, r = a.start_m - b.start_m;
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ur = dot(u, r),
               vr = dot(v, r);
  const double determinant = uu * vv - uv * uv;
  double s = determinant > 1e-12 * uu * vv
                 ? std::clamp((uv * vr - ur * vv) / determinant, 0.0, 1.0)
                 : 0.0;
  double t = (uv * s + vr) / vv;
  if (t < 0 || t > 1) {
    t = std::clamp(t, 0.0, 1.0);
    s = std::clamp((uv * t - ur) / uu, 0.0, 1.0);
  }
  return norm(r + s * u - t * v);
}

double wire_between_m(const WireMesh& mesh, std::size_t from, int end, std::size_t to,
                      double limit_m) {
  std::map<std::size_t, double> reached = {{mesh.node_of(from, end), 0.0}};
  std::vector<std::size_t> waiting = {mesh.node_of(from, end)};
  while (!waiting.empty()) {
    const std::size_t node = waiting.back();
    waiting.pop_back();
    for (const ElementEnd& e : mesh.node(node).ends) {
      if (e.element == from || e.element == to) continue;
      const MeshElement& element = mesh.elements()[e.element];
      const std::size_t next = mesh.node_of(e.element, 1 - e.end);
      const double way_m = reached[node] + norm(element.end_m - element.start_m);
      const auto known = reached.find(next);
      if (way_m > limit_m || (known != reached.end() && known->second <= way_m)) continue;
      reached[next] = way_m;
      waiting.push_back(next);
    }
  }
  double least = std::numeric_limits<double>::infinity();
  for (const int other_end : {0, 1}) {
    const auto at = reached.find(mesh.node_of(to, other_end));
    if (at != reached.end()) least = std::min(least, at->second);
  }
  return least;
}

PairSearch close_wires(const Structure& structure, const WireMesh& mesh,
                       const Monitor& monitor) {
  return Search(structure, mesh, monitor).run();
}

}  // namespace thinwire
