#include "geometry/wire_mesh.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "geometry/segment_cuts.h"
#include "kernels/base/bytes_text.h"
#include "kernels/base/error.h"
#include "kernels/base/grouped.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

/// Memory that an element takes until it is planned how to solve: its ends, functions and
/// what joins them.
constexpr double bytes_an_element = 350;

/// The part of a segment that lies below the surface of a ground.
double fraction_below(const Segment& segment) {
  const double cut = surface_cut(segment.start_m, segment.end_m);
  if (cut > 0) return segment.start_m.z < 0 ? cut : 1 - cut;
  return segment.start_m.z + segment.end_m.z < 0 ? 1 : 0;
}

/// Elements that the mesh has at least: one a segment, and more of long wires in a
/// ground, whose elements have a longest length.
double min_elements(const LargeVector<Segment>& segments, const MeshOptions& options) {
  auto count = static_cast<double>(segments.size());
  if (!options.graded || options.longest_below_m <= 0) return count;
  for (const Segment& s : segments)
    count += fraction_below(s) * norm(s.end_m - s.start_m) / options.longest_below_m;
  return count;
}

/// Throws Error{memory} where there is no room for so many elements.
void require_memory(double elements) {
  constexpr double few = 100'000;
  if (elements < few) return;
  const double needed = bytes_an_element * elements,
               free = static_cast<double>(host_memory().free);
  if (needed > free)
    throw Error(ErrorKind::memory,
                fmt::format("geometry: {:.0f} elements need {} to be meshed, but this "
                            "process has {} free. Use fewer segments, shorter wires in "
                            "the ground, a higher limit (ulimit -v) or a machine with "
                            "more memory.",
                            elements, bytes_text(needed), bytes_text(free)));
}

}  // namespace

WireMesh::WireMesh(const Structure& structure, const MeshOptions& options,
                   const Monitor& monitor) {
  const auto& segments = structure.segments();
  if (segments.empty())
    throw Error(ErrorKind::geometry,
                "geometry: there is no wire. Add a GW, GA or GH card.");
  require_memory(min_elements(segments, options));
  EndNodes nodes = join_ends(structure, options, monitor.part(0, 0.4));
  const SegmentCuts cuts(segments, nodes, options, monitor.part(0.4, 0.6));
  monitor.report("mesh", 0.6);
  number_elements(cuts, segments.size());
  make_elements(structure, nodes, cuts);
  monitor.report("mesh", 0.8);
  list_ends(nodes);
  grounded_ = std::move(nodes.grounded);
  duplicates_ = std::move(nodes.duplicates);
}

const Duplicate* WireMesh::duplicate(std::size_t segment) const {
  const auto at =
      std::lower_bound(duplicates_.begin(), duplicates_.end(), segment,
                       [](const Duplicate& d, std::size_t s) { return d.segment < s; });
  return at != duplicates_.end() && at->segment == segment ? &*at : nullptr;
}

void WireMesh::number_elements(const SegmentCuts& cuts, std::size_t segments) {
  first_element_ =
      running_sum(segments, [&](std::size_t s) { return cuts.of(s).size() + 1; });
  // Nodes are at most twice as many, and their numbers have 32 bits.
  constexpr std::size_t max_elements = std::size_t{1} << 31;
  if (first_element_.back() > max_elements)
    throw Error(ErrorKind::geometry,
                fmt::format("geometry: the mesh would have {} elements (limit {}). Use "
                            "--mesh as-given or fewer segments.",
                            first_element_.back(), max_elements));
}

void WireMesh::make_elements(const Structure& structure, const EndNodes& nodes,
                             const SegmentCuts& cuts) {
  const std::size_t segments = structure.segments().size();
  elements_.resize(first_element_.back());
  node_of_.resize(2 * elements_.size());
  for_each_cheap(segments, [&](std::size_t s) {
    const Vec3 start = nodes.start_m(s), end = nodes.end_m(s);
    const double radius = structure.segments()[s].radius_m;
    // The nodes within earlier segments come first.
    std::size_t e = first_element_[s], inner = nodes.count() + e - s;
    Vec3 from = start;
    std::uint32_t from_node = nodes.of_end[2 * s];
    const auto add = [&](Vec3 to, std::uint32_t to_node) {
      elements_[e] = {from, to, radius, static_cast<std::uint32_t>(s)};
      node_of_[2 * e] = from_node;
      node_of_[2 * e + 1] = to_node;
      ++e;
      from = to;
      from_node = to_node;
    };
    const double at_surface = surface_cut(start, end);
    for (const double cut : cuts.of(s)) {
      Vec3 to = start + cut * (end - start);
      if (cut == at_surface) to.z = 0;  // to the last bit
      add(to, static_cast<std::uint32_t>(inner++));
    }
    add(end, nodes.of_end[2 * s + 1]);
  });
}

void WireMesh::list_ends(const EndNodes& nodes) {
  const std::size_t segments = first_element_.size() - 1, own = nodes.count(),
                    within = elements_.size() - segments;
  first_end_.resize(own + within + 1);
  ends_.resize(2 * elements_.size());
  for_each_cheap(own, [&](std::size_t n) {
    first_end_[n] = nodes.ends.first[n];
    for (std::size_t at = nodes.ends.first[n]; at < nodes.ends.first[n + 1]; ++at) {
      const std::uint32_t i = nodes.ends.members[at], s = i / 2;
      const auto end = static_cast<std::uint8_t>(i % 2);
      const std::size_t element =
          end == 0 ? first_element_[s] : first_element_[s + 1] - 1;
      ends_[at] = {static_cast<std::uint32_t>(element), end};
    }
  });
  // Two ends at each node within a segment, elements before and after it.
  for_each_cheap(segments, [&](std::size_t s) {
    for (std::size_t e = first_element_[s]; e + 1 < first_element_[s + 1]; ++e) {
      const std::size_t n = own + e - s, at = 2 * (segments + e - s);
      first_end_[n] = at;
      ends_[at] = {static_cast<std::uint32_t>(e), 1};
      ends_[at + 1] = {static_cast<std::uint32_t>(e + 1), 0};
    }
  });
  first_end_.back() = ends_.size();
}

}  // namespace thinwire
