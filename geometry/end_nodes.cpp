#include "geometry/end_nodes.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "geometry/end_clusters.h"
#include "kernels/base/error.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

std::string name_of(const Structure& structure, std::size_t segment) {
  return fmt::format("segment {} (tag {}, its segment {})", segment + 1,
                     structure.segments()[segment].tag, structure.within_tag(segment));
}

/// The first i below count for which bad(i); count where there is none.
template <class Bad>
std::size_t first_bad(std::size_t count, const Bad& bad) {
  std::size_t first = count;
  const bool many = count >= worth_threads;
#pragma omp parallel for schedule(static) if (many) reduction(min : first)
  for (std::size_t i = 0; i < count; ++i)
    if (i < first && bad(i)) first = i;
  return first;
}

EndNodes nodes_of(const Structure& structure) {
  const auto& segments = structure.segments();
  const EndClusters clusters(segments);
  const std::size_t ends = 2 * segments.size();
  EndNodes nodes;
  nodes.of_end.resize(ends);
  {
    const LargeVector<std::size_t> before = running_sum(
        ends, [&](std::size_t i) { return std::size_t{clusters.root(i) == i}; });
    nodes.position.resize(before[ends]);
#pragma omp parallel for schedule(static) if (ends >= worth_threads)
    for (std::size_t i = 0; i < ends; ++i) {
      const std::size_t root = clusters.root(i), node = before[root];
      nodes.of_end[i] = static_cast<std::uint32_t>(node);
      const Segment& s = segments[i / 2];
      if (root == i) nodes.position[node] = i % 2 == 0 ? s.start_m : s.end_m;
    }
  }
  nodes.grounded.assign(nodes.count(), 0);
  nodes.ends = Grouped(nodes.of_end, nodes.count());
  return nodes;
}

/// Puts nodes that are on a perfect ground to within the tolerance of one of their ends
/// there. Throws Error{geometry} for an end below.
void put_on_ground(const Structure& structure, bool contact, EndNodes& nodes) {
  for (std::size_t i = 0; i < nodes.of_end.size(); ++i) {
    const std::uint32_t node = nodes.of_end[i];
    const Segment& s = structure.segments()[i / 2];
    Vec3& r = nodes.position[node];
    const double tolerance = junction_tolerance * norm(s.end_m - s.start_m);
    if (r.z < -tolerance)
      throw Error(ErrorKind::geometry,
                  fmt::format("{}: {} reaches below the ground (z = {:g} m). "
                              "Raise the wire to z >= 0.",
                              structure.origin(i / 2), name_of(structure, i / 2), r.z));
    if (std::abs(r.z) <= tolerance) {
      r.z = 0;
      if (contact) nodes.grounded[node] = 1;
    }
  }
}

/// Whether a segment from start to end, the places of its nodes, has a meaning.
bool is_sound(double radius_m, Vec3 start, Vec3 end) {
  const double length = norm(end - start);
  // Written so that what is no number is not sound.
  return length > 0 && radius_m > 0 && std::isfinite(length) && std::isfinite(radius_m);
}

[[noreturn]] void refuse_segment(const Structure& structure, std::size_t segment,
                                 Vec3 start, Vec3 end) {
  if (!(norm(end - start) > 0))
    throw Error(ErrorKind::geometry,
                fmt::format("{}: {} has no length. Remove it or move one end.",
                            structure.origin(segment), name_of(structure, segment)));
  throw Error(ErrorKind::geometry,
              fmt::format("{}: {}: radius must be positive and finite (got {:g} m).",
                          structure.origin(segment), name_of(structure, segment),
                          structure.segments()[segment].radius_m));
}

/// Whether it lies above a perfect ground: not in it, nor with its surface in it where
/// its axis does not end there.
bool is_clear(double radius_m, Vec3 start, Vec3 end) {
  const double low = std::min(start.z, end.z);
  const double level = std::hypot(end.x - start.x, end.y - start.y) / norm(end - start);
  return !(start.z == 0 && end.z == 0) &&
         !(low > 0 && low < (1 - 1e-9) * level * radius_m);
}

[[noreturn]] void refuse_height(const Structure& structure, std::size_t segment,
                                Vec3 start, Vec3 end) {
  if (start.z == 0 && end.z == 0)
    throw Error(ErrorKind::geometry,
                fmt::format("{}: {} lies in the ground plane, where its image cancels "
                            "it. Raise it above z = 0.",
                            structure.origin(segment), name_of(structure, segment)));
  throw Error(
      ErrorKind::geometry,
      fmt::format("{}: {} dips into the ground (its axis is {:g} m above "
                  "it, its radius {:g} m). Raise the wire or end it at z = 0.",
                  structure.origin(segment), name_of(structure, segment),
                  std::min(start.z, end.z), structure.segments()[segment].radius_m));
}

void check_segments(const Structure& structure, bool perfect_ground,
                    const EndNodes& nodes) {
  const auto& segments = structure.segments();
  const auto is_good = [&](std::size_t s) {
    const Vec3 start = nodes.start_m(s), end = nodes.end_m(s);
    return is_sound(segments[s].radius_m, start, end) &&
           (!perfect_ground || is_clear(segments[s].radius_m, start, end));
  };
  const std::size_t bad =
      first_bad(segments.size(), [&](std::size_t s) { return !is_good(s); });
  if (bad == segments.size()) return;
  const Vec3 start = nodes.start_m(bad), end = nodes.end_m(bad);
  if (!is_sound(segments[bad].radius_m, start, end))
    refuse_segment(structure, bad, start, end);
  refuse_height(structure, bad, start, end);
}

/// Where segment s lies between two nodes, n being one of them: the other.
std::uint32_t across(const EndNodes& nodes, std::size_t s, std::uint32_t n) {
  return nodes.of_end[2 * s] == n ? nodes.of_end[2 * s + 1] : nodes.of_end[2 * s];
}

/// Of the segments at a node that lie between the same two nodes as an earlier one: the
/// first; none: the number of segments.
std::size_t first_twin(const EndNodes& nodes, std::uint32_t node) {
  std::size_t first = nodes.of_end.size() / 2;
  const std::span<const std::uint32_t> ends = nodes.ends.of(node);
  if (ends.size() < 2) return first;
  if (ends.size() == 2)
    return across(nodes, ends[0] / 2, node) == across(nodes, ends[1] / 2, node)
               ? ends[1] / 2
               : first;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> segments;  // by their other node
  for (const std::uint32_t i : ends)
    segments.emplace_back(across(nodes, i / 2, node), i / 2);
  std::sort(segments.begin(), segments.end());
  for (std::size_t i = 1; i < segments.size(); ++i)
    if (segments[i].first == segments[i - 1].first)
      first = std::min<std::size_t>(first, segments[i].second);
  return first;
}

void check_twins(const Structure& structure, const EndNodes& nodes) {
  const std::size_t segments = structure.segments().size();
  std::size_t twin = segments;
  const bool many = nodes.count() >= worth_threads;
#pragma omp parallel for schedule(static) if (many) reduction(min : twin)
  for (std::uint32_t n = 0; n < nodes.count(); ++n)
    twin = std::min(twin, first_twin(nodes, n));
  if (twin == segments) return;
  // The one before it there.
  const std::uint32_t from = nodes.of_end[2 * twin], to = nodes.of_end[2 * twin + 1];
  std::size_t earlier = twin;
  for (const std::uint32_t i : nodes.ends.of(from))
    if (i / 2 < twin && across(nodes, i / 2, from) == to) earlier = i / 2;
  throw Error(ErrorKind::geometry,
              fmt::format("{}: {} and {} are the same piece of wire. Remove one of them.",
                          structure.origin(twin), name_of(structure, earlier),
                          name_of(structure, twin)));
}

}  // namespace

EndNodes join_ends(const Structure& structure, const MeshOptions& options) {
  EndNodes nodes = nodes_of(structure);
  if (options.perfect_ground) put_on_ground(structure, options.ground_contact, nodes);
  check_segments(structure, options.perfect_ground, nodes);
  check_twins(structure, nodes);
  return nodes;
}

}  // namespace thinwire
