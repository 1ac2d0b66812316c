#include "geometry/wire_mesh.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "geometry/end_nodes.h"
#include "geometry/segment_cuts.h"
#include "kernels/base/error.h"

namespace thinwire {

WireMesh::WireMesh(const Structure& structure, const MeshOptions& options) {
  const std::vector<Segment>& segments = structure.segments();
  if (segments.empty())
    throw Error(ErrorKind::geometry,
                "geometry: there is no wire. Add a GW, GA or GH card.");
  const EndNodes nodes = join_ends(structure, options);
  const SegmentCuts cuts(segments, nodes, options);
  number_elements(cuts, segments.size());
  make_elements(structure, nodes, cuts);
  grounded_ = nodes.grounded;
  list_ends(nodes);
}

void WireMesh::number_elements(const SegmentCuts& cuts, std::size_t segments) {
  first_element_.assign(segments + 1, 0);
  for (std::size_t s = 0; s < segments; ++s)
    first_element_[s + 1] = first_element_[s] + cuts.of(s).size() + 1;
  // Nodes are at most twice as many, and their numbers have 32 bits.
  constexpr std::size_t most_elements = std::size_t{1} << 31;
  if (first_element_.back() > most_elements)
    throw Error(ErrorKind::geometry,
                fmt::format("geometry: the mesh would have {} elements (limit {}). Use "
                            "--mesh as-given or fewer segments.",
                            first_element_.back(), most_elements));
}

void WireMesh::make_elements(const Structure& structure, const EndNodes& nodes,
                             const SegmentCuts& cuts) {
  const std::size_t segments = structure.segments().size();
  elements_.resize(first_element_.back());
  node_of_.resize(2 * elements_.size());
#pragma omp parallel for schedule(static)
  for (std::size_t s = 0; s < segments; ++s) {
    const Vec3 start = nodes.start_m(s), end = nodes.end_m(s);
    const double radius = structure.segments()[s].radius_m;
    // Of the nodes within segments those of earlier ones come before.
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
    for (const double cut : cuts.of(s))
      add(start + cut * (end - start), static_cast<std::uint32_t>(inner++));
    add(end, nodes.of_end[2 * s + 1]);
  }
}

void WireMesh::list_ends(const EndNodes& nodes) {
  first_end_.assign(nodes.count() + elements_.size() - (first_element_.size() - 1) + 1,
                    2);
  first_end_[0] = 0;
  std::copy(nodes.end_count.begin(), nodes.end_count.end(), first_end_.begin() + 1);
  std::partial_sum(first_end_.begin(), first_end_.end(), first_end_.begin());
  ends_.resize(first_end_.back());
  std::vector<std::size_t> next(first_end_.begin(), first_end_.end() - 1);
  for (std::uint32_t e = 0; e < elements_.size(); ++e)
    for (std::uint8_t end = 0; end < 2; ++end)
      ends_[next[node_of_[2 * e + end]]++] = {e, end};
}

}  // namespace thinwire
