#include "geometry/segment_cuts.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>

#include "geometry/mesh_grading.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

/// Halvings towards open ends and gap edges, and the longest element of a gap as a
/// fraction of its segment: these keep the dipoles of docs/theory/method.md within 0.5 %.
constexpr int halvings_at_ends = 8, halvings_at_gaps = 5, halvings_at_steps = 3,
              halvings_at_rims = 5;
/// Halvings towards the point where a wire passes through the surface of a ground: the
/// charge is steep on both of its sides.
constexpr int halvings_at_surface = 5;
constexpr double longest_in_gap = 0.125;
/// Segments that meet and differ more than this in length: the longer is halved towards
/// the shorter, as at the ends of a folded dipole.
constexpr double max_length_ratio = 4;
/// The charge is steep at the rim of a wire that ends at thinner ones: by this factor
/// where one of them goes on in line with it, by the smaller one elsewhere.
constexpr double max_radius_ratio = 1.9, max_radius_ratio_at_bends = 1.05;
/// Rims matter where a segment at them is shorter than so many radii of the thicker wire.
constexpr double rim_reach_radii = 30;
/// Cosine of the angle up to which a wire goes on in line with another.
constexpr double in_line = 0.95;

/// Cosine of the angle between two wires from which they bend sharply (50 degrees), where
/// MeshOptions::bends asks for it.
constexpr double min_cosine_of_bends = -0.64;

/// The direction of a segment away from its end; of end e of segment s: 2 s + e.
Vec3 away_from(std::span<const Segment> segments, std::uint32_t end) {
  const Segment& s = segments[end / 2];
  const Vec3 along = end % 2 == 0 ? s.end_m - s.start_m : s.start_m - s.end_m;
  return (1 / norm(along)) * along;
}

/// Whether the thickest of the wires that meet at a node shows its rim there.
bool shows_rim(std::span<const Segment> segments, std::span<const std::uint32_t> ends,
               double shortest_m) {
  if (ends.size() < 2) return false;
  const auto radius = [&](std::uint32_t end) { return segments[end / 2].radius_m; };
  const std::uint32_t thickest = *std::max_element(
      ends.begin(), ends.end(),
      [&](std::uint32_t a, std::uint32_t b) { return radius(a) < radius(b); });
  if (shortest_m > rim_reach_radii * radius(thickest)) return false;
  const Vec3 away = away_from(segments, thickest);
  return std::all_of(ends.begin(), ends.end(), [&](std::uint32_t end) {
    const double ratio = dot(away_from(segments, end), away) < -in_line
                             ? max_radius_ratio
                             : max_radius_ratio_at_bends;
    return end == thickest || radius(thickest) > ratio * radius(end);
  });
}

/// Whether two wires meet at a sharp angle.
bool bends_sharply(std::span<const Segment> segments, std::span<const std::uint32_t> ends,
                   double shortest_m) {
  return ends.size() == 2 &&
         shortest_m <= rim_reach_radii * segments[ends[0] / 2].radius_m &&
         dot(away_from(segments, ends[0]), away_from(segments, ends[1])) >
             min_cosine_of_bends;
}

/// Points towards which a mesh is graded. is_gap: of each segment.
std::vector<SteepPoint> steep_points(std::span<const Segment> segments,
                                     const EndNodes& nodes, const MeshOptions& options,
                                     const std::vector<char>& is_gap) {
  std::vector<double> shortest(nodes.count(), 1e300), longest(nodes.count(), 0);
  std::vector<char> at_gap(nodes.count(), 0);
  for (std::size_t i = 0; i < nodes.of_end.size(); ++i) {
    const std::size_t n = nodes.of_end[i];
    const double length = norm(segments[i / 2].end_m - segments[i / 2].start_m);
    shortest[n] = std::min(shortest[n], length);
    longest[n] = std::max(longest[n], length);
    if (is_gap[i / 2]) at_gap[n] = 1;
  }
  std::vector<char> apart(nodes.count(), 0);
  for (const Duplicate& duplicate : nodes.duplicates)
    for (int end = 0; end < 2; ++end)
      apart[nodes.of_end[2 * std::size_t{duplicate.segment} + end]] = 1;
  std::vector<SteepPoint> points;
  for (std::size_t n = 0; n < nodes.count(); ++n) {
    if (apart[n]) continue;
    const bool open = nodes.ends.size(n) == 1 && !nodes.grounded[n];
    const bool at_surface =
        options.wires_below && nodes.position[n].z == 0 && !nodes.grounded[n];
    if (open)
      points.push_back({nodes.position[n], halvings_at_ends});
    else if (at_gap[n])
      points.push_back({nodes.position[n], halvings_at_gaps});
    else if (at_surface)
      points.push_back({nodes.position[n], halvings_at_surface});
    else if (shows_rim(segments, nodes.ends.of(n), shortest[n]) ||
             (options.bends && bends_sharply(segments, nodes.ends.of(n), shortest[n])))
      points.push_back({nodes.position[n], halvings_at_rims});
    else if (longest[n] > max_length_ratio * shortest[n])
      points.push_back(
          {nodes.position[n], halvings_at_steps, max_length_ratio * shortest[n]});
  }
  if (!options.wires_below) return points;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const Vec3 start = nodes.start_m(s), end = nodes.end_m(s);
    if (const double cut = surface_cut(start, end); cut > 0)
      points.push_back({start + cut * (end - start), halvings_at_surface});
  }
  return points;
}

/// Finds the steep points around segments, which are asked for in their order: one search
/// for up to 32 that follow one another on a wire.
class NearPoints {
 public:
  NearPoints(const EndNodes& nodes, const MeshGrading& grading)
      : nodes_(nodes), grading_(grading) {}

  const NearSteepPoints& of(std::size_t segment) {
    if (segment >= last_) search_from(segment);
    return near_;
  }

 private:
  void search_from(std::size_t segment) {
    constexpr std::size_t at_once = 32;
    Vec3 low = nodes_.start_m(segment), high = low;
    double longest_m = 0;
    last_ = segment;
    do {
      const Vec3 from = nodes_.start_m(last_), to = nodes_.end_m(last_);
      low = {std::min(low.x, to.x), std::min(low.y, to.y), std::min(low.z, to.z)};
      high = {std::max(high.x, to.x), std::max(high.y, to.y), std::max(high.z, to.z)};
      longest_m = std::max(longest_m, norm(to - from));
      ++last_;
    } while (last_ < segment + at_once && 2 * last_ < nodes_.of_end.size() &&
             nodes_.of_end[2 * last_ - 1] == nodes_.of_end[2 * last_]);
    near_ = grading_.near(low, high, longest_m);
  }

  const EndNodes& nodes_;
  const MeshGrading& grading_;
  std::size_t last_ = 0;  ///< of the segments searched for, and one
  NearSteepPoints near_;
};

/// The cuts of a segment, each side of the surface of a ground being cut by itself.
/// longest: of its elements, as a fraction of its length.
std::vector<double> cuts_of(Vec3 start, Vec3 end, double radius_m, double longest,
                            const MeshGrading& grading, const NearSteepPoints& near,
                            const MeshOptions& options) {
  std::vector<double> cuts;
  const Vec3 along = end - start;
  const double at_surface = options.wires_below ? surface_cut(start, end) : 0;
  const auto cut_side = [&](double from, double to) {
    const Vec3 side_start = start + from * along,
               side_end = to < 1 ? start + to * along : end;
    double most = longest;
    if (options.longest_m > 0) most = std::min(most, options.longest_m / norm(along));
    if (options.longest_below_m > 0 && side_start.z + side_end.z < 0)
      most = std::min(most, options.longest_below_m / norm(along));
    for (const double cut :
         grading.cuts(side_start, side_end, radius_m, most / (to - from), nullptr, near))
      cuts.push_back(from + cut * (to - from));
  };
  if (at_surface > 0) {
    cut_side(0, at_surface);
    cuts.push_back(at_surface);
  }
  cut_side(at_surface, 1);
  return cuts;
}

}  // namespace

double surface_cut(Vec3 start_m, Vec3 end_m) {
  return start_m.z * end_m.z < 0 ? start_m.z / (start_m.z - end_m.z) : 0;
}

SegmentCuts::SegmentCuts(std::span<const Segment> segments, const EndNodes& nodes,
                         const MeshOptions& options, const Monitor& monitor) {
  for (const Duplicate& duplicate : nodes.duplicates) whole_.push_back(duplicate.segment);
  if (options.graded)
    grade(segments, nodes, options, monitor);
  else if (options.wires_below || options.longest_m > 0)
    make_lists(
        segments.size(),
        [&] {
          return [&, grading = MeshGrading()](std::size_t s) {
            return cuts_of(nodes.start_m(s), nodes.end_m(s), segments[s].radius_m, 1.0,
                           grading, {}, options);
          };
        },
        monitor);
  monitor.report("mesh", 0.9);
  if (options.refinement > 1) refine(segments.size(), options.refinement);
}

void SegmentCuts::grade(std::span<const Segment> segments, const EndNodes& nodes,
                        const MeshOptions& options, const Monitor& monitor) {
  std::vector<char> is_gap(segments.size(), 0);
  for (std::size_t s : options.gap_segments) is_gap[s] = 1;
  for (const Duplicate& duplicate : nodes.duplicates)
    is_gap[duplicate.original] |= std::exchange(is_gap[duplicate.segment], 0);
  const MeshGrading grading(steep_points(segments, nodes, options, is_gap),
                            options.finest_per_radius);
  make_lists(
      segments.size(),
      [&] {
        return [&, near = NearPoints(nodes, grading)](std::size_t s) mutable {
          return cuts_of(nodes.start_m(s), nodes.end_m(s), segments[s].radius_m,
                         is_gap[s] ? longest_in_gap : 1.0, grading, near.of(s), options);
        };
      },
      monitor);
  if (!options.cut_alike.empty()) share(options.cut_alike);
}

/// The lists of all segments, by all threads. make_cutter: returns what gives the cuts of
/// segments one after the other.
template <class MakeCutter>
void SegmentCuts::make_lists(std::size_t segments, const MakeCutter& make_cutter,
                             const Monitor& monitor) {
  monitor.report("mesh", 0.2);
  // Threads take chunks of segments, whose cuts are joined afterwards.
  constexpr std::size_t chunk = 1024;
  const std::size_t chunks = (segments + chunk - 1) / chunk;
  std::vector<std::vector<double>> of_chunk(chunks);
  first_.assign(segments + 1, 0);
  for_each_parallel(chunks, [&](std::size_t c) {
    auto cuts_of_segment = make_cutter();
    for (std::size_t s = c * chunk;
         s < std::min(segments, (c + 1) * chunk) && !monitor.stopped(); ++s) {
      const std::vector<double> cuts = cuts_of_segment(s);
      of_chunk[c].insert(of_chunk[c].end(), cuts.begin(), cuts.end());
      first_[s + 1] = cuts.size();
    }
  });
  monitor.report("mesh", 0.7);
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  cuts_.reserve(first_.back());
  for (const std::vector<double>& cuts : of_chunk)
    cuts_.insert(cuts_.end(), cuts.begin(), cuts.end());
}

/// Gives the segments of a group all cuts that any of them needs: all are fractions
/// halved again and again, so that those of two segments fit each other.
void SegmentCuts::share(const std::vector<std::uint32_t>& cut_alike) {
  std::vector<std::vector<double>> lists(
      *std::max_element(cut_alike.begin(), cut_alike.end()) + 1);
  for (std::size_t s = 0; s < cut_alike.size(); ++s) {
    const std::span<const double> wanted = of(s);
    std::vector<double>& known = lists[cut_alike[s]];
    if (std::equal(known.begin(), known.end(), wanted.begin(), wanted.end())) continue;
    std::vector<double> both;
    std::set_union(known.begin(), known.end(), wanted.begin(), wanted.end(),
                   std::back_inserter(both));
    known = std::move(both);
  }
  list_of_ = cut_alike;
  cuts_.clear();
  first_ = {0};
  for (const std::vector<double>& list : lists) {
    cuts_.insert(cuts_.end(), list.begin(), list.end());
    first_.push_back(cuts_.size());
  }
}

/// Cuts every element into equal pieces.
void SegmentCuts::refine(std::size_t segments, int pieces) {
  if (first_.empty()) first_.assign(segments + 1, 0);
  std::vector<double> finer;
  std::vector<std::size_t> first = {0};
  for (std::size_t list = 0; list + 1 < first_.size(); ++list) {
    double from = 0;
    for (std::size_t i = first_[list]; i <= first_[list + 1]; ++i) {
      const double to = i < first_[list + 1] ? cuts_[i] : 1;
      for (int piece = 1; piece < pieces; ++piece)
        finer.push_back(from + (to - from) * piece / pieces);
      if (i < first_[list + 1]) finer.push_back(to);
      from = to;
    }
    first.push_back(finer.size());
  }
  cuts_ = std::move(finer);
  first_ = std::move(first);
}

}  // namespace thinwire
