#include "geometry/end_nodes.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "geometry/end_clusters.h"
#include "geometry/wires_below.h"
#include "kernels/base/error.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

std::string name_of(const Structure& structure, std::size_t segment) {
  return fmt::format("segment {} (tag {}, its segment {})", segment + 1,
                     structure.segments()[segment].tag, structure.within_tag(segment));
}

std::size_t least(std::size_t a, std::size_t b) {
  return std::min(a, b);
}

/// The first i below count for which bad(i); count where there is none.
template <class Bad>
std::size_t first_bad(std::size_t count, const Bad& bad) {
  return joined_cheap(count, count, least,
                      [&](std::size_t i) { return bad(i) ? i : count; });
}

EndNodes nodes_of(const Structure& structure, const Monitor& monitor) {
  const auto& segments = structure.segments();
  const EndClusters clusters(segments, monitor.part(0, 0.7));
  const std::size_t ends = 2 * segments.size();
  EndNodes nodes;
  nodes.of_end.resize(ends);
  {
    const LargeVector<std::size_t> before = running_sum(
        ends, [&](std::size_t i) { return std::size_t{clusters.root(i) == i}; });
    nodes.position.resize(before[ends]);
    for_each_cheap(ends, [&](std::size_t i) {
      const std::size_t root = clusters.root(i), node = before[root];
      nodes.of_end[i] = static_cast<std::uint32_t>(node);
      const Segment& s = segments[i / 2];
      if (root == i) nodes.position[node] = i % 2 == 0 ? s.start_m : s.end_m;
    });
  }
  monitor.report("mesh", 0.75);
  nodes.grounded.assign(nodes.count(), 0);
  nodes.ends = Grouped(nodes.of_end, nodes.count());
  return nodes;
}

/// Where segment s lies between two nodes, n being one of them: the other.
std::uint32_t across(const EndNodes& nodes, std::size_t s, std::uint32_t n) {
  return nodes.of_end[2 * s] == n ? nodes.of_end[2 * s + 1] : nodes.of_end[2 * s];
}

/// Connects nodes on the ground to it. Where a wire goes on below, or comes up from there
/// and ends, the node is like any other.
void connect_to_ground(EndNodes& nodes) {
  for (std::uint32_t n = 0; n < nodes.count(); ++n) {
    const auto goes_below = [&](std::uint32_t end) {
      return nodes.position[across(nodes, end / 2, n)].z < 0;
    };
    const auto ends = nodes.ends.of(n);
    if (nodes.position[n].z == 0 && std::none_of(ends.begin(), ends.end(), goes_below))
      nodes.grounded[n] = 1;
  }
}

/// Puts nodes that are on the ground to within the tolerance of one of their ends there,
/// but for those of wires that lie on it, above z = 0. Throws Error{geometry} for an end
/// below where there may be none.
void put_on_ground(const Structure& structure, const MeshOptions& options,
                   EndNodes& nodes) {
  std::vector<char> carries_wire(nodes.count(), 0);
  for (std::size_t s = 0; s < structure.segments().size(); ++s)
    if (lies_on_surface(structure.segments()[s]) && nodes.start_m(s).z > 0 &&
        nodes.end_m(s).z > 0)
      carries_wire[nodes.of_end[2 * s]] = carries_wire[nodes.of_end[2 * s + 1]] = 1;
  for (std::size_t i = 0; i < nodes.of_end.size(); ++i) {
    Vec3& r = nodes.position[nodes.of_end[i]];
    const double tolerance = surface_tolerance_m(structure.segments()[i / 2]);
    if (r.z < -tolerance && !options.wires_below)
      throw Error(ErrorKind::geometry,
                  fmt::format("{}: {} reaches below the ground (z = {:g} m). "
                              "Raise the wire to z >= 0.",
                              structure.origin(i / 2), name_of(structure, i / 2), r.z));
    if (std::abs(r.z) <= tolerance && carries_wire[nodes.of_end[i]] == 0) r.z = 0;
  }
  if (options.ground_contact) connect_to_ground(nodes);
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

/// How far the axis of a segment from start to end keeps from z = 0: 0 where it ends
/// there. Of one that passes through, its farther end counts.
double distance_from_surface(Vec3 start, Vec3 end) {
  const double a = std::abs(start.z), b = std::abs(end.z);
  return start.z * end.z < 0 ? std::max(a, b) : std::min(a, b);
}

/// Whether a segment does not lie in the surface z = 0, nor with a part of its own
/// surface where its axis does not end there.
bool is_clear(double radius_m, Vec3 start, Vec3 end) {
  const double distance = distance_from_surface(start, end);
  const double level = std::hypot(end.x - start.x, end.y - start.y) / norm(end - start);
  return !(start.z == 0 && end.z == 0) &&
         !(distance > 0 && distance < (1 - 1e-9) * level * radius_m);
}

[[noreturn]] void refuse_height(const Structure& structure, std::size_t segment,
                                Vec3 start, Vec3 end, bool wires_below) {
  const char* otherwise = wires_below ? ", or bury it" : "";
  if (start.z == 0 && end.z == 0)
    throw Error(
        ErrorKind::geometry,
        fmt::format("{}: {} lies in the ground plane, where its image cancels "
                    "it. Raise it above z = 0{}.",
                    structure.origin(segment), name_of(structure, segment), otherwise));
  throw Error(ErrorKind::geometry,
              fmt::format("{}: {} dips into the ground (its axis is {:g} m {} "
                          "it, its radius {:g} m). Raise the wire or end it at z = 0{}.",
                          structure.origin(segment), name_of(structure, segment),
                          distance_from_surface(start, end),
                          start.z + end.z < 0 ? "below" : "above",
                          structure.segments()[segment].radius_m, otherwise));
}

void check_segments(const Structure& structure, const MeshOptions& options,
                    const EndNodes& nodes) {
  const auto& segments = structure.segments();
  const auto is_good = [&](std::size_t s) {
    const Vec3 start = nodes.start_m(s), end = nodes.end_m(s);
    return is_sound(segments[s].radius_m, start, end) &&
           (!options.perfect_ground || is_clear(segments[s].radius_m, start, end));
  };
  const std::size_t bad =
      first_bad(segments.size(), [&](std::size_t s) { return !is_good(s); });
  if (bad == segments.size()) return;
  const Vec3 start = nodes.start_m(bad), end = nodes.end_m(bad);
  if (!is_sound(segments[bad].radius_m, start, end))
    refuse_segment(structure, bad, start, end);
  refuse_height(structure, bad, start, end, options.wires_below);
}

/// Returns the first segment at a node that lies between the same two nodes as an earlier
/// one; the number of segments if there is none.
std::size_t first_duplicate(const EndNodes& nodes, std::uint32_t node) {
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

/// Ends of duplicates agree to this fraction of their length.
constexpr double duplicate_tolerance = 1e-6;

/// Returns how a segment lies in the place of an earlier one between the same nodes.
/// Throws Error{geometry} where it does not.
Duplicate duplicate_of(const Structure& structure, std::size_t original,
                       std::size_t segment) {
  const Segment &a = structure.segments()[original], &b = structure.segments()[segment];
  const auto apart = [](Vec3 start, Vec3 end, const Segment& s) {
    return std::max(norm(start - s.start_m), norm(end - s.end_m));
  };
  const double straight = apart(a.start_m, a.end_m, b),
               reversed = apart(a.end_m, a.start_m, b);
  if (!(std::min(straight, reversed) <= duplicate_tolerance * norm(b.end_m - b.start_m)))
    throw Error(
        ErrorKind::geometry,
        fmt::format("{}: {} and {} are the same piece of wire. Remove one of them.",
                    structure.origin(segment), name_of(structure, original),
                    name_of(structure, segment)));
  return {static_cast<std::uint32_t>(segment), static_cast<std::uint32_t>(original),
          reversed < straight};
}

/// Finds the segments that lie between the same two nodes as an earlier one.
std::vector<Duplicate> find_duplicates(const Structure& structure,
                                       const EndNodes& nodes) {
  std::vector<Duplicate> duplicates;
  const std::size_t segments = structure.segments().size();
  const std::size_t first =
      joined_cheap(nodes.count(), segments, least, [&](std::size_t n) {
        return first_duplicate(nodes, static_cast<std::uint32_t>(n));
      });
  if (first == segments) return duplicates;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> here,  // by their other node
      pairs;                                                  // later and first segment
  for (std::uint32_t n = 0; n < nodes.count(); ++n) {
    here.clear();
    for (const std::uint32_t i : nodes.ends.of(n))
      if (const std::uint32_t other = across(nodes, i / 2, n); other >= n)
        here.emplace_back(other, i / 2);
    std::sort(here.begin(), here.end());
    for (std::size_t i = 1, original = 0; i < here.size(); ++i) {
      if (here[i].first != here[original].first)
        original = i;
      else
        pairs.emplace_back(here[i].second, here[original].second);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  for (const auto& [segment, original] : pairs)
    duplicates.push_back(duplicate_of(structure, original, segment));
  return duplicates;
}

/// Gives the ends of the duplicates nodes of their own.
void set_apart(const Structure& structure, EndNodes& nodes) {
  if (nodes.duplicates.empty()) return;
  for (const Duplicate& duplicate : nodes.duplicates) {
    const Segment& s = structure.segments()[duplicate.segment];
    for (int end = 0; end < 2; ++end) {
      nodes.of_end[2 * std::size_t{duplicate.segment} + end] =
          static_cast<std::uint32_t>(nodes.count());
      nodes.position.push_back(end == 0 ? s.start_m : s.end_m);
      nodes.grounded.push_back(0);
    }
  }
  nodes.ends = Grouped(nodes.of_end, nodes.count());
}

}  // namespace

EndNodes join_ends(const Structure& structure, const MeshOptions& options,
                   const Monitor& monitor) {
  EndNodes nodes = nodes_of(structure, monitor);
  monitor.report("mesh", 0.9);
  if (options.perfect_ground) put_on_ground(structure, options, nodes);
  check_segments(structure, options, nodes);
  nodes.duplicates = find_duplicates(structure, nodes);
  set_apart(structure, nodes);
  return nodes;
}

}  // namespace thinwire
