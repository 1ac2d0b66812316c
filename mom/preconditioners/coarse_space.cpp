#include "mom/preconditioners/coarse_space.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <lapacke.h>
#include <omp.h>

#include "cg/blas_threads.h"
#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/base/grouped.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

/// A wire between two of the nodes of a FlowGraph, counted from 0.
struct FlowWire {
  std::uint32_t element;
  std::array<std::uint32_t, 2> node;
  double length_m;
};

/// The wires and nodes over which one coarse function flows.
struct FlowGraph {
  std::vector<std::uint32_t> nodes;  ///< those of the mesh
  std::vector<FlowWire> wires;
  std::vector<double> outflow_per_m;  ///< [nodes] dI/ds of the wires there
  std::vector<bool> held;  ///< [nodes] in which any current may vanish: potential zero
};

/// Nodes in the order in which they are met from one at the rim on, wire by wire: the
/// graph Laplacian then has a narrow band (E. Cuthill and J. McKee 1969).
std::vector<std::uint32_t> breadth_first_order(const FlowGraph& graph) {
  const std::size_t n = graph.nodes.size();
  std::vector<std::uint32_t> first(n + 1, 0), beside(2 * graph.wires.size());
  for (const FlowWire& wire : graph.wires)
    for (const std::uint32_t i : wire.node) ++first[i + 1];
  for (std::size_t i = 0; i < n; ++i) first[i + 1] += first[i];
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (const FlowWire& wire : graph.wires)
    for (const int end : {0, 1}) beside[next[wire.node[end]]++] = wire.node[1 - end];
  const auto from = [&](std::uint32_t start) {
    std::vector<std::uint32_t> order = {start};
    std::vector<bool> met(n, false);
    met[start] = true;
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::uint32_t b = first[order[i]]; b < first[order[i] + 1]; ++b)
        if (!met[beside[b]]) {
          met[beside[b]] = true;
          order.push_back(beside[b]);
        }
    return order;
  };
  return from(from(0).back());  // the last one met is at the rim
}

/// Solves sum over the wires of a node of (phi_i - phi_j) / L = injection_i, held nodes
/// at zero, by Cholesky's factors of the band.
std::vector<double> potentials(const FlowGraph& graph,
                               const std::vector<double>& injection) {
  const std::vector<std::uint32_t> order = breadth_first_order(graph);
  const std::size_t n = order.size();
  std::vector<std::uint32_t> row(graph.nodes.size());
  for (std::uint32_t i = 0; i < n; ++i) row[order[i]] = i;
  std::size_t band = 0;
  for (const FlowWire& wire : graph.wires) {
    const auto [a, b] = std::minmax(row[wire.node[0]], row[wire.node[1]]);
    band = std::max<std::size_t>(band, b - a);
  }
  // Lower half, entry (i, j) at [i - j] of column j.
  std::vector<double> laplacian((band + 1) * n, 0), phi(n);
  for (const FlowWire& wire : graph.wires) {
    const auto [i, j] = wire.node;
    if (i == j) continue;
    for (const std::uint32_t at : wire.node)
      laplacian[(band + 1) * row[at]] += 1 / wire.length_m;
    if (graph.held[i] || graph.held[j]) continue;
    const auto [a, b] = std::minmax(row[i], row[j]);
    laplacian[(band + 1) * a + (b - a)] -= 1 / wire.length_m;
  }
  for (std::size_t i = 0; i < n; ++i)
    phi[i] = graph.held[order[i]] ? 0 : injection[order[i]];
  const lapack_int info = LAPACKE_dpbsv(
      LAPACK_COL_MAJOR, 'L', static_cast<lapack_int>(n), static_cast<lapack_int>(band), 1,
      laplacian.data(), static_cast<lapack_int>(band + 1), phi.data(),
      static_cast<lapack_int>(n));
  if (info != 0)
    throw Error(ErrorKind::numeric,
                fmt::format("coarse space: the flow over {} nodes could not be solved "
                            "for (dpbsv returned {}). Check the geometry for wires of no "
                            "length, or use --coarse off.",
                            n, info));
  std::vector<double> of_node(graph.nodes.size(), 0);
  for (std::size_t i = 0; i < n; ++i) of_node[order[i]] = phi[i];
  return of_node;
}

/// Currents at the start and the end of each wire, along it: the least sum of L I^2, I in
/// the middle of the wire, for the charge that is given.
std::vector<std::array<double, 2>> end_currents(const FlowGraph& graph) {
  std::vector<double> gain, injection(graph.nodes.size(), 0);
  for (const FlowWire& wire : graph.wires) {
    double per_m = 0;
    for (const std::uint32_t i : wire.node) per_m += graph.outflow_per_m[i] / 2;
    gain.push_back(per_m * wire.length_m);
    for (const std::uint32_t i : wire.node) injection[i] += gain.back() / 2;
  }
  const std::vector<double> phi = potentials(graph, injection);
  std::vector<std::array<double, 2>> currents;
  for (std::size_t w = 0; w < graph.wires.size(); ++w) {
    const FlowWire& wire = graph.wires[w];
    const double middle = (phi[wire.node[0]] - phi[wire.node[1]]) / wire.length_m;
    currents.push_back({middle - gain[w] / 2, middle + gain[w] / 2});
  }
  return currents;
}

/// A coefficient of a coarse function.
struct Weight {
  std::uint32_t function;
  double value;
};

/// Whether a coarse function has no current but rounding: that between two clusters with
/// the wire between them alone, which has as much charge of either sign.
bool is_nothing(std::span<const Weight> flow) {
  return std::all_of(flow.begin(), flow.end(),
                     [](const Weight& w) { return std::abs(w.value) < 1e-9; });
}

/// Makes the coarse functions one by one.
class FlowMaker {
 public:
  FlowMaker(const Discretization& where, const NodeClusters& clusters)
      : where_(where), clusters_(clusters) {
    const WireMesh& mesh = where.mesh();
    nodes_ = Grouped(clusters.cluster, clusters.count);
    // Elements within clusters, then those across, pair by pair.
    std::vector<std::uint32_t> key(mesh.elements().size());
    for_each_cheap(key.size(), [&](std::size_t e) {
      const std::uint32_t a = clusters.cluster[mesh.node_of(e, 0)],
                          b = clusters.cluster[mesh.node_of(e, 1)];
      key[e] = a;
      if (a == b) return;
      const std::array<std::uint32_t, 2> pair = {std::min(a, b), std::max(a, b)};
      const auto at =
          std::lower_bound(clusters.joined.begin(), clusters.joined.end(), pair);
      key[e] = static_cast<std::uint32_t>(
          clusters.count + static_cast<std::size_t>(at - clusters.joined.begin()));
    });
    elements_ = Grouped(key, clusters.count + clusters.joined.size());
  }

  /// From the first cluster of a joined pair to the second.
  std::vector<Weight> between(std::size_t pair) const {
    const auto [a, b] = clusters_.joined[pair];
    FlowGraph graph;
    add_nodes(a, graph);
    const std::size_t of_first = graph.nodes.size();
    add_nodes(b, graph);
    for (const std::size_t group :
         {std::size_t{a}, std::size_t{b}, clusters_.count + pair})
      add_wires(group, graph);
    std::vector<double> wire(2, 0);
    const std::vector<double> at_node = wire_at_nodes_m(graph);
    for (std::size_t i = 0; i < at_node.size(); ++i)
      wire[i < of_first ? 0 : 1] += at_node[i];
    for (std::size_t i = 0; i < at_node.size(); ++i)
      graph.outflow_per_m.push_back(i < of_first ? 1 / wire[0] : -1 / wire[1]);
    graph.held.assign(at_node.size(), false);
    graph.held[0] = true;
    return weights(graph);
  }

  /// From a grounded cluster into the ground.
  std::vector<Weight> into_ground(std::uint32_t cluster) const {
    FlowGraph graph;
    add_nodes(cluster, graph);
    add_wires(cluster, graph);
    double wire = 0;
    for (const double at_node : wire_at_nodes_m(graph)) wire += at_node;
    graph.outflow_per_m.assign(graph.nodes.size(), 1 / wire);
    for (const std::uint32_t node : graph.nodes)
      graph.held.push_back(where_.mesh().node(node).grounded);
    return weights(graph);
  }

 private:
  void add_nodes(std::uint32_t cluster, FlowGraph& graph) const {
    const auto more = nodes_.of(cluster);
    graph.nodes.insert(graph.nodes.end(), more.begin(), more.end());
  }

  void add_wires(std::size_t group, FlowGraph& graph) const {
    const WireMesh& mesh = where_.mesh();
    // The nodes of a cluster rise; those of the second one follow.
    const std::uint32_t first_cluster = clusters_.cluster[graph.nodes.front()];
    const auto first_end =
        graph.nodes.begin() + static_cast<std::ptrdiff_t>(nodes_.size(first_cluster));
    const auto local = [&](std::size_t node) {
      const bool in_first = clusters_.cluster[node] == first_cluster;
      const auto at = in_first ? std::lower_bound(graph.nodes.begin(), first_end, node)
                               : std::lower_bound(first_end, graph.nodes.end(), node);
      return static_cast<std::uint32_t>(at - graph.nodes.begin());
    };
    for (const std::uint32_t e : elements_.of(group))
      graph.wires.push_back({e,
                             {local(mesh.node_of(e, 0)), local(mesh.node_of(e, 1))},
                             where_.elements()[e].length_m});
  }

  static std::vector<double> wire_at_nodes_m(const FlowGraph& graph) {
    std::vector<double> length(graph.nodes.size(), 0);
    for (const FlowWire& wire : graph.wires)
      for (const std::uint32_t i : wire.node) length[i] += wire.length_m / 2;
    return length;
  }

  /// The coefficients of the basis functions at the graph's nodes. A node's functions
  /// lead from each of its ends to the next, so that they carry the running sums of the
  /// inflow; on the ground each end has its own.
  std::vector<Weight> weights(const FlowGraph& graph) const {
    const std::vector<std::array<double, 2>> currents = end_currents(graph);
    std::vector<std::uint32_t> wire_of(graph.wires.size());
    for (std::uint32_t w = 0; w < wire_of.size(); ++w) wire_of[w] = w;
    const auto element = [&](std::uint32_t w) { return graph.wires[w].element; };
    std::sort(wire_of.begin(), wire_of.end(),
              [&](std::uint32_t a, std::uint32_t b) { return element(a) < element(b); });
    const auto inflow = [&](ElementEnd end) {
      const auto at = std::lower_bound(
          wire_of.begin(), wire_of.end(), end.element,
          [&](std::uint32_t w, std::uint32_t e) { return element(w) < e; });
      if (at == wire_of.end() || element(*at) != end.element) return 0.0;
      return end.end == 1 ? currents[*at][1] : -currents[*at][0];
    };
    std::vector<Weight> found;
    for (const std::uint32_t n : graph.nodes) {
      const Node node = where_.mesh().node(n);
      double sum = 0;
      for (std::size_t i = 0; i < node.ends.size(); ++i) {
        sum = (node.grounded ? 0 : sum) + inflow(node.ends[i]);
        if (!node.grounded && i + 1 == node.ends.size()) break;
        // The last one at this end leads on from it.
        const BasisWeight& of =
            where_.basis().at(node.ends[i].element, node.ends[i].end).back();
        if (sum != 0) found.push_back({static_cast<std::uint32_t>(of.function), sum});
      }
    }
    std::sort(found.begin(), found.end(),
              [](const Weight& a, const Weight& b) { return a.function < b.function; });
    return found;
  }

  const Discretization& where_;
  const NodeClusters& clusters_;
  Grouped nodes_, elements_;
};

}  // namespace

double cluster_edge_m(double k_rad_per_m, double cell_m) {
  constexpr double in_a_wavelength = 6, min_cells = 2;
  return std::max(2 * pi / (in_a_wavelength * k_rad_per_m), min_cells * cell_m);
}

std::size_t coarse_size(const NodeClusters& clusters) {
  return clusters.joined.size() + clusters.grounded.size();
}

CoarseSpace coarse_space(const Discretization& where, const NodeClusters& clusters) {
  const FlowMaker maker(where, clusters);
  const std::size_t pairs = clusters.joined.size();
  std::vector<std::vector<Weight>> flows(coarse_size(clusters));
  require_blas_buffers(omp_get_max_threads());
  for_each_parallel(
      flows.size(),
      [&](std::size_t c) {
        flows[c] = c < pairs ? maker.between(c)
                             : maker.into_ground(clusters.grounded[c - pairs]);
      },
      16);
  CoarseSpace space;
  Csr<double>& restriction = space.restriction;
  restriction.columns = where.unknowns();
  restriction.row_ptr = {0};
  for (std::size_t c = 0; c < flows.size(); ++c) {
    if (is_nothing(flows[c])) continue;
    ++restriction.rows;
    space.between.push_back(
        c < pairs ? clusters.joined[c]
                  : std::array{clusters.grounded[c - pairs], CoarseSpace::no_cluster});
    for (const Weight& weight : flows[c]) {
      restriction.column.push_back(weight.function);
      restriction.value.push_back(weight.value);
    }
    restriction.row_ptr.push_back(static_cast<std::int64_t>(restriction.column.size()));
  }
  space.prolongation = transposed(restriction);
  for (const BasisFunction& f : where.basis().functions())
    space.cluster_of_function.push_back(
        clusters.cluster[where.mesh().node_of(f.element[0], f.end[0])]);
  return space;
}

}  // namespace thinwire
