#include "geometry/end_nodes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "geometry/end_clusters.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

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

EndNodes nodes_of(const Structure& structure, const MeshOptions& options) {
  const std::vector<Segment>& segments = structure.segments();
  const EndClusters clusters(segments);
  EndNodes nodes;
  nodes.of_end.resize(2 * segments.size());
  for (std::size_t i = 0; i < nodes.of_end.size(); ++i) {
    const std::size_t root = clusters.root(i);
    const Segment& s = segments[i / 2];
    if (root == i) {
      nodes.of_end[i] = static_cast<std::uint32_t>(nodes.count());
      nodes.position.push_back(i % 2 == 0 ? s.start_m : s.end_m);
      nodes.end_count.push_back(0);
      nodes.grounded.push_back(0);
    }
    const std::uint32_t node = nodes.of_end[i] = nodes.of_end[root];
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

/// The first segment that lies between the same two nodes as an earlier one, with that
/// one.
std::optional<std::pair<std::size_t, std::size_t>> find_twins(const EndNodes& nodes) {
  const std::size_t segments = nodes.of_end.size() / 2;
  const auto ends_of = [&](std::size_t s) {
    return std::minmax(nodes.of_end[2 * s], nodes.of_end[2 * s + 1]);
  };
  // Of each node the segments whose lower node it is.
  std::vector<std::size_t> first(nodes.count() + 1, 0);
  for (std::size_t s = 0; s < segments; ++s) ++first[ends_of(s).first + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> segment(segments);
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (std::size_t s = 0; s < segments; ++s)
    segment[next[ends_of(s).first]++] = static_cast<std::uint32_t>(s);

  std::optional<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t n = 0; n < nodes.count(); ++n) {
    const auto begin = segment.begin() + static_cast<std::ptrdiff_t>(first[n]),
               end = segment.begin() + static_cast<std::ptrdiff_t>(first[n + 1]);
    if (end - begin < 2) continue;
    std::sort(begin, end, [&](std::size_t s, std::size_t t) {
      return std::pair(ends_of(s).second, s) < std::pair(ends_of(t).second, t);
    });
    for (auto s = begin + 1; s < end; ++s)
      if (ends_of(*s).second == ends_of(s[-1]).second && (!found || *s < found->first))
        found = {*s, s[-1]};
  }
  return found;
}

}  // namespace

EndNodes join_ends(const Structure& structure, const MeshOptions& options) {
  EndNodes nodes = nodes_of(structure, options);
  for (std::size_t s = 0; s < structure.segments().size(); ++s)
    check_segment(structure, options, s, nodes.start_m(s), nodes.end_m(s));
  if (const auto twins = find_twins(nodes))
    throw Error(
        ErrorKind::geometry,
        fmt::format("{}: {} and {} are the same piece of wire. Remove one of them.",
                    structure.origin(twins->first), name_of(structure, twins->second),
                    name_of(structure, twins->first)));
  return nodes;
}

}  // namespace thinwire
