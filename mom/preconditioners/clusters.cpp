#include "mom/preconditioners/clusters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/base/disjoint_sets.h"
#include "kernels/base/vec3.h"

namespace thinwire {
namespace {

constexpr double sliver = 0.3;  ///< of the median length of wire
/// Rounds of merging: a merged cluster may still be a sliver.
constexpr int max_rounds = 6;

Vec3 place_of(const WireMesh& mesh, std::size_t node) {
  const ElementEnd at = mesh.node(node).ends.front();
  const MeshElement& element = mesh.elements()[at.element];
  return at.end == 0 ? element.start_m : element.end_m;
}

/// The cube of each node.
std::vector<std::uint64_t> cubes_of_nodes(const WireMesh& mesh, double edge_m) {
  const std::size_t nodes = mesh.node_count();
  std::vector<std::array<double, 3>> place(nodes);
  for (std::size_t n = 0; n < nodes; ++n) {
    const Vec3 at = place_of(mesh, n);
    place[n] = {at.x, at.y, at.z};
  }
  std::vector<std::uint64_t> cube(nodes, 0);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double low = place.front()[axis], high = low;
    for (const auto& at : place) {
      low = std::min(low, at[axis]);
      high = std::max(high, at[axis]);
    }
    constexpr double max_cubes = 1 << 20;
    const double cubes = std::clamp(std::round((high - low) / edge_m), 1.0, max_cubes),
                 edge = (high - low) / cubes;
    for (std::size_t n = 0; n < nodes; ++n) {
      // Nodes on a border belong above it, whatever their rounding.
      const double along = edge > 0 ? (place[n][axis] - low) / edge + 1e-6 : 0;
      cube[n] = cube[n] << 20 |
                static_cast<std::uint64_t>(std::min(std::floor(along), cubes - 1));
    }
  }
  return cube;
}

/// Replaces labels by numbers from 0 on, in the order in which they first occur, and
/// returns how many there are. labels: below their number.
std::size_t renumber(std::vector<std::uint32_t>& labels) {
  constexpr auto none = ~std::uint32_t{0};
  std::vector<std::uint32_t> number(labels.size(), none);
  std::uint32_t count = 0;
  for (std::uint32_t& label : labels) {
    if (number[label] == none) number[label] = count++;
    label = number[label];
  }
  return count;
}

std::array<std::uint32_t, 2> clusters_of(const WireMesh& mesh,
                                         const std::vector<std::uint32_t>& cluster,
                                         std::size_t element) {
  return {cluster[mesh.node_of(element, 0)], cluster[mesh.node_of(element, 1)]};
}

/// Length of wire of each cluster: half of every element belongs to each of its nodes.
std::vector<double> wire_lengths_m(const WireMesh& mesh, const NodeClusters& of) {
  std::vector<double> length(of.count, 0);
  for (std::size_t e = 0; e < mesh.elements().size(); ++e) {
    const MeshElement& element = mesh.elements()[e];
    for (const std::uint32_t c : clusters_of(mesh, of.cluster, e))
      length[c] += norm(element.end_m - element.start_m) / 2;
  }
  return length;
}

struct Neighbour {
  std::uint32_t cluster;
  double wires;
};

/// The neighbours of each cluster, and how many elements lead there.
std::vector<std::vector<Neighbour>> neighbours(const WireMesh& mesh,
                                               const NodeClusters& of) {
  std::vector<std::array<std::uint32_t, 2>> crossing;
  for (std::size_t e = 0; e < mesh.elements().size(); ++e) {
    const auto [a, b] = clusters_of(mesh, of.cluster, e);
    if (a == b) continue;
    crossing.push_back({a, b});
    crossing.push_back({b, a});
  }
  std::sort(crossing.begin(), crossing.end());
  std::vector<std::vector<Neighbour>> found(of.count);
  for (const auto& [from, to] : crossing) {
    if (found[from].empty() || found[from].back().cluster != to)
      found[from].push_back({to, 0});
    ++found[from].back().wires;
  }
  return found;
}

/// Merges slivers, the smallest first, and returns whether there were any to merge. A
/// cluster that another one was merged with in this round stays.
bool merge_slivers(const WireMesh& mesh, NodeClusters& of) {
  const std::vector<double> length = wire_lengths_m(mesh, of);
  std::vector<double> sorted = length;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double typical = *middle;
  std::vector<std::uint32_t> small;
  for (std::uint32_t c = 0; c < of.count; ++c)
    if (length[c] < sliver * typical) small.push_back(c);
  std::stable_sort(small.begin(), small.end(), [&](std::uint32_t a, std::uint32_t b) {
    return length[a] < length[b];
  });
  const auto beside = neighbours(mesh, of);
  std::vector<std::uint32_t> into(of.count);
  std::iota(into.begin(), into.end(), 0u);
  std::vector<bool> taken(of.count, false);
  bool merged = false;
  for (const std::uint32_t c : small) {
    if (taken[c] || beside[c].empty()) continue;
    // Among neighbours with equally many wires the smaller one is taken.
    const auto weight = [&](const Neighbour& n) {
      return n.wires - 1e-3 * length[n.cluster] / typical;
    };
    const std::uint32_t best =
        std::max_element(
            beside[c].begin(), beside[c].end(),
            [&](const Neighbour& a, const Neighbour& b) { return weight(a) < weight(b); })
            ->cluster;
    if (into[best] != best) continue;
    into[c] = best;
    taken[best] = true;
    merged = true;
  }
  if (!merged) return false;
  for (std::uint32_t& c : of.cluster) c = into[c];
  of.count = renumber(of.cluster);
  return true;
}

void sort_unique(auto& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

NodeClusters cluster_nodes(const WireMesh& mesh, double edge_m) {
  NodeClusters of;
  if (mesh.node_count() == 0) return of;
  const std::vector<std::uint64_t> cube = cubes_of_nodes(mesh, edge_m);
  const std::size_t elements = mesh.elements().size();
  DisjointSets connected(mesh.node_count());
  for (std::size_t e = 0; e < elements; ++e) {
    const std::size_t a = mesh.node_of(e, 0), b = mesh.node_of(e, 1);
    if (cube[a] == cube[b]) connected.unite(a, b);
  }
  for (std::size_t n = 0; n < mesh.node_count(); ++n)
    of.cluster.push_back(static_cast<std::uint32_t>(connected.root(n)));
  of.count = renumber(of.cluster);
  for (int round = 0; round < max_rounds && merge_slivers(mesh, of); ++round) {
  }
  for (std::size_t e = 0; e < elements; ++e) {
    const auto [a, b] = clusters_of(mesh, of.cluster, e);
    if (a != b) {
      of.joined.push_back({std::min(a, b), std::max(a, b)});
    } else if (mesh.node(mesh.node_of(e, 0)).grounded ||
               mesh.node(mesh.node_of(e, 1)).grounded) {
      of.grounded.push_back(a);
    }
  }
  sort_unique(of.joined);
  sort_unique(of.grounded);
  return of;
}

}  // namespace thinwire
