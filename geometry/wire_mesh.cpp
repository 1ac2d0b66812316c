#include "geometry/wire_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "geometry/end_clusters.h"
#include "geometry/mesh_grading.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// Halvings towards open ends and gap edges, and the longest element of a gap as a
/// fraction of its segment: these keep the dipoles of docs/physics.md within 0.5 %.
constexpr int halvings_at_ends = 8, halvings_at_gaps = 5, halvings_at_steps = 3;
constexpr double longest_in_gap = 0.125;
/// Segments that meet and differ more than this in length: the longer is halved towards
/// the shorter, as at the ends of a folded dipole.
constexpr double large_step = 4;

std::string name_of(const Structure& structure, std::size_t segment) {
  return fmt::format("segment {} (tag {}, its segment {})", segment + 1,
                     structure.segments()[segment].tag, structure.within_tag(segment));
}

/// Refuses a segment whose surface dips into the ground without its axis ending there.
void check_clearance(const Structure& structure, std::size_t segment, Vec3 start,
                     Vec3 end) {
  const double radius = structure.segments()[segment].radius_m;
  const double low = std::min(start.z, end.z);
  const double level = std::hypot(end.x - start.x, end.y - start.y) / norm(end - start);
  if (low > 0 && low < (1 - 1e-9) * level * radius)
    throw Error(
        ErrorKind::geometry,
        fmt::format("{}: {} dips into the ground (its axis is {:g} m above "
                    "it, its radius {:g} m). Raise the wire or end it at z = 0.",
                    structure.origin(segment), name_of(structure, segment), low, radius));
}

/// Where the segments' ends lie once those that touch are joined.
struct EndNodes {
  std::vector<std::size_t> of_end;  ///< node of end e of segment s at 2 s + e
  // Of each node, in order of appearance; a node lies where its first end does.
  std::vector<Vec3> position;
  std::vector<std::size_t> end_count;
  std::vector<char> grounded;

  std::size_t count() const { return position.size(); }
};

EndNodes join_ends(const Structure& structure, const MeshOptions& options) {
  const std::vector<Segment>& segments = structure.segments();
  const EndClusters clusters(segments);
  EndNodes nodes;
  nodes.of_end.resize(2 * segments.size());
  for (std::size_t i = 0; i < nodes.of_end.size(); ++i) {
    const std::size_t root = clusters.root(i);
    const Segment& s = segments[i / 2];
    if (root == i) {
      nodes.of_end[i] = nodes.count();
      nodes.position.push_back(i % 2 == 0 ? s.start_m : s.end_m);
      nodes.end_count.push_back(0);
      nodes.grounded.push_back(0);
    }
    const std::size_t node = nodes.of_end[i] = nodes.of_end[root];
    ++nodes.end_count[node];
    Vec3& r = nodes.position[node];
    const double tolerance = junction_tolerance * norm(s.end_m - s.start_m);
    if (options.perfect_ground && r.z < -tolerance)
      throw Error(ErrorKind::geometry,
                  fmt::format("{}: {} reaches below the ground (z = {:g} m). "
                              "Raise the wire to z >= 0.",
                              structure.origin(i / 2), name_of(structure, i / 2), r.z));
    if (options.perfect_ground && std::abs(r.z) <= tolerance) {
      r.z = 0;
      if (options.ground_contact) nodes.grounded[node] = 1;
    }
  }
  return nodes;
}

double mean_length(const std::vector<Segment>& segments) {
  double sum = 0;
  for (const Segment& s : segments) sum += norm(s.end_m - s.start_m);
  return sum / static_cast<double>(segments.size());
}

/// Points towards which a mesh is graded. is_gap: of each segment.
std::vector<SteepPoint> steep_points(const std::vector<Segment>& segments,
                                     const EndNodes& nodes,
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
  std::vector<SteepPoint> points;
  for (std::size_t n = 0; n < nodes.count(); ++n) {
    const bool open = nodes.end_count[n] == 1 && !nodes.grounded[n];
    if (open)
      points.push_back({nodes.position[n], halvings_at_ends});
    else if (at_gap[n])
      points.push_back({nodes.position[n], halvings_at_gaps});
    else if (longest[n] > large_step * shortest[n])
      points.push_back({nodes.position[n], halvings_at_steps, large_step * shortest[n]});
  }
  return points;
}

/// Refuses a segment from start to end, the places of its nodes, that has no meaning.
void check_segment(const Structure& structure, const MeshOptions& options,
                   std::size_t segment, Vec3 start, Vec3 end) {
  const double length = norm(end - start);
  const double radius = structure.segments()[segment].radius_m;
  if (!(length > 0))
    throw Error(ErrorKind::geometry,
                fmt::format("{}: {} has no length. Remove it or move one end.",
                            structure.origin(segment), name_of(structure, segment)));
  if (!(radius > 0) || !std::isfinite(length) || !std::isfinite(radius))
    throw Error(
        ErrorKind::geometry,
        fmt::format("{}: {}: radius must be positive and finite (got {:g} m).",
                    structure.origin(segment), name_of(structure, segment), radius));
  if (!options.perfect_ground) return;
  if (start.z == 0 && end.z == 0)
    throw Error(ErrorKind::geometry,
                fmt::format("{}: {} lies in the ground plane, where its image cancels "
                            "it. Raise it above z = 0.",
                            structure.origin(segment), name_of(structure, segment)));
  check_clearance(structure, segment, start, end);
}

/// Refuses two segments between the same two nodes.
void check_twins(const Structure& structure, const EndNodes& nodes) {
  const std::size_t segments = structure.segments().size();
  // By the two nodes, as one number.
  std::unordered_map<std::uint64_t, std::size_t> segment_between;
  segment_between.reserve(segments);
  const std::uint64_t node_count = nodes.count();
  for (std::size_t s = 0; s < segments; ++s) {
    const auto [low, high] = std::minmax(nodes.of_end[2 * s], nodes.of_end[2 * s + 1]);
    const auto [twin, is_new] = segment_between.emplace(low * node_count + high, s);
    if (!is_new)
      throw Error(
          ErrorKind::geometry,
          fmt::format("{}: {} and {} are the same piece of wire. Remove one of them.",
                      structure.origin(s), name_of(structure, twin->second),
                      name_of(structure, s)));
  }
}

/// The cuts that segments of one group need together, [groups]: all are fractions halved
/// again and again, so that those of two segments fit each other.
std::vector<std::vector<double>> cuts_of_alike(
    const std::vector<Segment>& segments, const EndNodes& nodes,
    const std::vector<char>& is_gap, const MeshGrading& grading,
    const std::vector<std::uint32_t>& cut_alike) {
  std::vector<std::vector<double>> cuts(
      *std::max_element(cut_alike.begin(), cut_alike.end()) + 1);
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const std::vector<double> wanted = grading.cuts(
        nodes.position[nodes.of_end[2 * s]], nodes.position[nodes.of_end[2 * s + 1]],
        segments[s].radius_m, is_gap[s] ? longest_in_gap : 1.0);
    std::vector<double>& known = cuts[cut_alike[s]];
    if (known == wanted) continue;
    std::vector<double> both;
    std::set_union(known.begin(), known.end(), wanted.begin(), wanted.end(),
                   std::back_inserter(both));
    known = std::move(both);
  }
  return cuts;
}

}  // namespace

WireMesh::WireMesh(const Structure& structure, const MeshOptions& options) {
  const std::vector<Segment>& segments = structure.segments();
  if (segments.empty())
    throw Error(ErrorKind::geometry,
                "geometry: there is no wire. Add a GW, GA or GH card.");
  const EndNodes nodes = join_ends(structure, options);
  for (std::size_t s = 0; s < segments.size(); ++s)
    check_segment(structure, options, s, nodes.position[nodes.of_end[2 * s]],
                  nodes.position[nodes.of_end[2 * s + 1]]);
  check_twins(structure, nodes);

  std::vector<char> is_gap(segments.size(), 0);
  MeshGrading grading;
  if (options.graded) {
    for (std::size_t s : options.gap_segments) is_gap[s] = 1;
    grading = MeshGrading(steep_points(segments, nodes, is_gap),
                          options.finest_per_radius, mean_length(segments));
  }

  std::vector<std::vector<double>> shared_cuts;
  if (options.graded && !options.cut_alike.empty())
    shared_cuts = cuts_of_alike(segments, nodes, is_gap, grading, options.cut_alike);

  nodes_.resize(nodes.count());
  for (std::size_t n = 0; n < nodes.count(); ++n) {
    nodes_[n].grounded = nodes.grounded[n] != 0;
    nodes_[n].ends.reserve(nodes.end_count[n]);
  }
  elements_.reserve(segments.size());
  node_of_.reserve(2 * segments.size());
  first_element_.reserve(segments.size() + 1);
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const std::size_t a = nodes.of_end[2 * s], b = nodes.of_end[2 * s + 1];
    const Vec3 start = nodes.position[a], end = nodes.position[b];
    const double radius = segments[s].radius_m;
    first_element_.push_back(elements_.size());
    std::vector<double> cuts =
        shared_cuts.empty()
            ? grading.cuts(start, end, radius, is_gap[s] ? longest_in_gap : 1.0)
            : shared_cuts[options.cut_alike[s]];
    cuts.push_back(1.0);
    Vec3 from = start;
    std::size_t from_node = a;
    for (double cut : cuts) {
      const bool last = cut == 1.0;
      const Vec3 to = last ? end : start + cut * (end - start);
      if (!last) nodes_.emplace_back().ends.reserve(2);
      const std::size_t to_node = last ? b : nodes_.size() - 1;
      const auto element = static_cast<std::uint32_t>(elements_.size());
      elements_.push_back({from, to, radius, static_cast<std::uint32_t>(s)});
      nodes_[from_node].ends.push_back({element, 0});
      nodes_[to_node].ends.push_back({element, 1});
      node_of_.push_back(from_node);
      node_of_.push_back(to_node);
      from = to;
      from_node = to_node;
    }
  }
  first_element_.push_back(elements_.size());
}

}  // namespace thinwire
