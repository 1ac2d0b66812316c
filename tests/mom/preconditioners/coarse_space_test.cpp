#include "mom/preconditioners/coarse_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "mom/discretization/loops.h"
#include "tests/mom/operators/fft_structures.h"
#include "tests/mom/wire_grids.h"

namespace thinwire {
namespace {

using test::MeshedStructure;
using test::WireGrid;

/// The coefficients of a coarse function, [unknowns].
std::vector<Complex> column(const Discretization& where, const CoarseSpace& space,
                            std::size_t c) {
  std::vector<Complex> coefficients(where.unknowns());
  for (std::size_t row = 0; row < space.prolongation.rows; ++row)
    for (std::int64_t k = space.prolongation.row_ptr[row];
         k < space.prolongation.row_ptr[row + 1]; ++k)
      if (space.prolongation.column[k] == c)
        coefficients[row] += space.prolongation.value[k];
  return coefficients;
}

/// Currents at the start and the end of each element.
std::vector<std::array<double, 2>> end_currents(const Discretization& where,
                                                std::span<const Complex> coefficients) {
  std::vector<std::array<double, 2>> currents;
  for (std::size_t e = 0; e < where.elements().size(); ++e)
    currents.push_back({where.basis().end_current(coefficients, e, 0).real(),
                        where.basis().end_current(coefficients, e, 1).real()});
  return currents;
}

TEST(Clusters, AreCubesOfNodes) {
  Structure wire;
  wire.add_wire(1, 5, {0, 0, 0}, {5, 0, 0}, 0.001);
  const MeshedStructure line("line", std::move(wire));
  const NodeClusters of = cluster_nodes(line.antenna->mesh(), 2.5);
  EXPECT_EQ(of.count, 2u);
  ASSERT_EQ(of.joined.size(), 1u);
  std::map<std::uint32_t, int> nodes;
  for (const std::uint32_t c : of.cluster) ++nodes[c];
  EXPECT_EQ(nodes[0], 3);
  EXPECT_EQ(nodes[1], 3);
}

TEST(Clusters, KeepComponentsOfACubeApart) {
  // Two plates a tenth of a cell apart: the cubes hold nodes of both.
  Structure plates;
  int tag = 0;
  for (const double z : {0.0, 0.01})
    for (int i = 0; i <= 8; ++i)
      for (int j = 0; j < 8; ++j) {
        plates.add_wire(++tag, 1, {0.1 * i, 0.1 * j, z}, {0.1 * i, 0.1 * (j + 1), z},
                        0.001);
        plates.add_wire(++tag, 1, {0.1 * j, 0.1 * i, z}, {0.1 * (j + 1), 0.1 * i, z},
                        0.001);
      }
  const MeshedStructure both("plates", std::move(plates));
  const NodeClusters of = cluster_nodes(both.antenna->mesh(), 0.2);
  EXPECT_EQ(of.count, 2u * 4 * 4);
  EXPECT_EQ(of.joined.size(), 2u * 2 * 4 * 3);
  std::vector<std::set<double>> heights(of.count);
  for (std::size_t n = 0; n < of.cluster.size(); ++n) {
    const ElementEnd end = both.antenna->mesh().node(n).ends.front();
    heights[of.cluster[n]].insert(both.antenna->mesh().elements()[end.element].start_m.z);
  }
  for (const auto& height : heights) EXPECT_EQ(height.size(), 1u);
}

TEST(Clusters, LeaveNoSlivers) {
  // A plate of 9 cells in cubes of 2: the last ones would have a row of nodes.
  const MeshedStructure plate("plate", test::plate(9, 0.1));
  const Discretization& where = *plate.antenna;
  const NodeClusters of = cluster_nodes(where.mesh(), 0.2);
  std::vector<double> wire(of.count, 0);
  for (std::size_t e = 0; e < where.elements().size(); ++e)
    for (const int end : {0, 1})
      wire[of.cluster[where.mesh().node_of(e, end)]] += where.elements()[e].length_m / 2;
  std::vector<double> sorted = wire;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_GE(sorted.front(), 0.3 * sorted[sorted.size() / 2]);
}

// By hand: nodes 0 .. 2 and 3 .. 5 of five elements of 1 m. Either cluster has 2.5 m of
// wire, so that the current rises by 1 / 2.5 an element, and the element between them
// gains and loses nothing.
TEST(CoarseSpace, IsATrapezoidOnAStraightWire) {
  Structure wire;
  wire.add_wire(1, 5, {0, 0, 0}, {5, 0, 0}, 0.001);
  const MeshedStructure line("line", std::move(wire));
  const Discretization& where = *line.antenna;
  const CoarseSpace space = coarse_space(where, cluster_nodes(where.mesh(), 2.5));
  ASSERT_EQ(space.size(), 1u);
  const auto current = end_currents(where, column(where, space, 0));
  const double right[] = {0, 0.4, 0.8, 0.8, 0.4, 0};
  for (std::size_t e = 0; e < 5; ++e)
    for (const std::size_t end : {0u, 1u})
      EXPECT_NEAR(current[e][end], right[e + end], 1e-12) << e;
}

// By hand: a cross of four arms of two elements, its middle and the inner element of each
// arm apart from the tips. In each arm the flow from the middle is as on a wire.
TEST(CoarseSpace, DividesAtAJunctionByCharge) {
  Structure cross;
  int tag = 0;
  for (const Vec3 arm : {Vec3{3, 0, 0}, Vec3{-3, 0, 0}, Vec3{0, 3, 0}})
    cross.add_wire(++tag, 3, {0, 0, 0}, arm, 0.001);
  const MeshedStructure star("star", std::move(cross));
  const Discretization& where = *star.antenna;
  // One cluster: the middle and the nodes at 1; others: the nodes at 2 and 3 of each arm.
  NodeClusters of;
  of.cluster.resize(where.mesh().node_count());
  for (std::size_t n = 0; n < of.cluster.size(); ++n) {
    const ElementEnd end = where.mesh().node(n).ends.front();
    const MeshElement& element = where.mesh().elements()[end.element];
    const Vec3 at = end.end == 0 ? element.start_m : element.end_m;
    of.cluster[n] = norm(at) < 1.5 ? 0 : at.x > 0 ? 1 : at.x < 0 ? 2 : 3;
  }
  of.count = 4;
  of.joined = {{0, 1}, {0, 2}, {0, 3}};
  const CoarseSpace space = coarse_space(where, of);
  ASSERT_EQ(space.size(), 3u);
  // The first cluster has 3 elements and half of the one across, 3.5 m; the second 1.5 m.
  // Arms without an outlet bring their own charge: 1 / 3.5 each.
  const auto current = end_currents(where, column(where, space, 0));
  const double q = 1 / 3.5, p = 1 / 1.5, across = (q - p) / 2;
  const double first_arm[] = {2 * q, 3 * q, 3 * q + across, 0};
  for (std::size_t e = 0; e < 3; ++e)
    for (const std::size_t end : {0u, 1u})
      EXPECT_NEAR(current[e][end], first_arm[e + end], 1e-12) << e << ' ' << end;
  for (const std::size_t arm : {1u, 2u}) {
    EXPECT_NEAR(current[3 * arm][0], -q, 1e-12);
    for (std::size_t e = 3 * arm; e < 3 * arm + 3; ++e)
      EXPECT_NEAR(current[e][1], 0, 1e-12);
  }
}

/// Checks every coarse function of a structure against what defines it.
void expect_flows(const MeshedStructure& structure, double edge_m) {
  SCOPED_TRACE(structure.name);
  const Discretization& where = *structure.antenna;
  const WireMesh& mesh = where.mesh();
  const NodeClusters of = cluster_nodes(mesh, edge_m);
  const CoarseSpace space = coarse_space(where, of);
  EXPECT_LE(space.size(), coarse_size(of));
  EXPECT_GE(space.size(), 0.7 * coarse_size(of));
  ASSERT_GE(space.size(), 2u);
  // Loops from which all currents are made that leave no charge.
  const std::vector<Loop> loops =
      independent_loops(where.basis(), where.elements().size(), structure.grounded);
  for (std::size_t c = 0; c < space.size(); ++c) {
    const auto [a, b] = space.between[c];
    const bool into_ground = b == CoarseSpace::no_cluster;
    const std::vector<Complex> coefficients = column(where, space, c);
    const auto current = end_currents(where, coefficients);
    double charge = 0, most = 0;
    std::map<std::uint32_t, std::pair<double, double>> per_m;  // of wires within, least
    for (std::size_t e = 0; e < current.size(); ++e) {
      const std::uint32_t from = of.cluster[mesh.node_of(e, 0)],
                          to = of.cluster[mesh.node_of(e, 1)];
      const bool carries = (from == a || from == b) && (to == a || to == b);
      for (const double end : current[e]) {
        most = std::max(most, std::abs(end));
        if (!carries) {
          EXPECT_NEAR(end, 0, 1e-9) << "element " << e;
        }
      }
      const double q = current[e][1] - current[e][0];
      charge += q;
      if (from != to || !carries) continue;
      const double density = q / where.elements()[e].length_m;
      const auto [at, fresh] = per_m.emplace(from, std::pair(density, density));
      at->second.first = std::min(at->second.first, density);
      at->second.second = std::max(at->second.second, density);
    }
    EXPECT_NEAR(charge, into_ground ? 1 : 0, 1e-9);
    EXPECT_LT(most, 1.5);
    for (const auto& [cluster, range] : per_m) {
      EXPECT_NEAR(range.first, range.second, 1e-8 * std::abs(range.second));
      EXPECT_GT(cluster == a ? range.first : -range.first, 0);
    }
    // Least integral of |I|^2 in the middle of the wires: no loop of its wires lowers it.
    for (const Loop& loop : loops) {
      std::vector<Complex> around(where.unknowns());
      bool within = true;
      for (const BasisWeight& w : loop) around[w.function] += w.weight;
      const auto of_loop = end_currents(where, around);
      double slope = 0;
      for (std::size_t e = 0; e < current.size(); ++e) {
        const double i = (of_loop[e][0] + of_loop[e][1]) / 2;
        if (i == 0) continue;
        for (const int end : {0, 1}) {
          const std::uint32_t cluster = of.cluster[mesh.node_of(e, end)];
          within = within && (cluster == a || cluster == b);
        }
        // A loop through the ground is one of currents that may end there.
        for (const int end : {0, 1})
          within = within && (into_ground || !mesh.node(mesh.node_of(e, end)).grounded);
        slope += i * where.elements()[e].length_m * (current[e][0] + current[e][1]) / 2;
      }
      if (within) {
        EXPECT_NEAR(slope, 0, 1e-9);
      }
    }
  }
}

/// A sheet that stands on the middle of another one, and shares its nodes there.
Structure t_sheets() {
  WireGrid grid(0.1);
  grid.add_whip({0, 0, 0}, 0.25, 5, 0.003);
  grid.add_rectangle({0, 0, 0}, 0, 8, 1, 8);
  grid.add_rectangle({0, 4, 0}, 0, 8, 2, 5);
  return std::move(grid.structure);
}

TEST(CoarseSpace, HoldsKirchhoffsLawWithUniformCharge) {
  expect_flows({"plate", test::plate(9, 0.1)}, 0.2);
  expect_flows({"T of sheets", t_sheets()}, 0.25);
  expect_flows({"closed ship", test::ship(10, 5, 4, 0.1)}, 0.2);
  expect_flows({"wires of all lengths", test::uneven()}, 0.2);
  expect_flows({"helices", test::helices(3, 60)}, 0.15);
  // Two plates without a joint: each has its flows.
  expect_flows({"dipoles", test::array(2, 2)}, 0.17);
}

// Every node is a cluster of its own: the only wire between two of them has as much
// charge of either sign.
TEST(CoarseSpace, LeavesOutFlowsWithoutCurrent) {
  Structure wire;
  wire.add_wire(1, 5, {0, 0, 0}, {5, 0, 0}, 0.001);
  const MeshedStructure line("line", std::move(wire));
  const NodeClusters of = cluster_nodes(line.antenna->mesh(), 0.5);
  EXPECT_EQ(of.count, 6u);
  EXPECT_EQ(coarse_space(*line.antenna, of).size(), 0u);
}

TEST(CoarseSpace, LeadsIntoAPerfectGround) {
  Structure masts;
  masts.add_wire(1, 10, {0, 0, 0}, {0, 0, 1}, 0.001);
  masts.add_wire(2, 10, {0.5, 0, 0}, {0.5, 0, 1}, 0.001);
  masts.add_wire(3, 5, {0, 0, 1}, {0.5, 0, 1}, 0.001);
  const MeshedStructure grounded("masts", std::move(masts), true);
  const NodeClusters of = cluster_nodes(grounded.antenna->mesh(), 0.3);
  EXPECT_EQ(of.grounded.size(), 2u);
  expect_flows(grounded, 0.3);
}

TEST(CoarseSpace, IsIndependent) {
  const MeshedStructure ship("ship", test::ship(8, 4, 4, 0.1));
  const Discretization& where = *ship.antenna;
  const CoarseSpace space = coarse_space(where, cluster_nodes(where.mesh(), 0.2));
  // Each crosses elements between two clusters that no other one crosses.
  for (std::size_t c = 0; c < space.size(); ++c) {
    const auto current = end_currents(where, column(where, space, c));
    const NodeClusters of = cluster_nodes(where.mesh(), 0.2);
    double through = 0;
    for (std::size_t e = 0; e < current.size(); ++e) {
      const std::uint32_t from = of.cluster[where.mesh().node_of(e, 0)],
                          to = of.cluster[where.mesh().node_of(e, 1)];
      const double middle = (current[e][0] + current[e][1]) / 2;
      if (from == space.between[c][0] && to == space.between[c][1]) through += middle;
      if (to == space.between[c][0] && from == space.between[c][1]) through -= middle;
    }
    EXPECT_GT(through, 0.5);
  }
}

TEST(Csr, TransposesTwiceToItself) {
  const MeshedStructure plate("plate", test::plate(6, 0.1));
  const CoarseSpace space =
      coarse_space(*plate.antenna, cluster_nodes(plate.antenna->mesh(), 0.2));
  const Csr<double> back = transposed(space.prolongation);
  EXPECT_EQ(back.row_ptr, space.restriction.row_ptr);
  EXPECT_EQ(back.column, space.restriction.column);
  EXPECT_EQ(back.value, space.restriction.value);
}

}  // namespace
}  // namespace thinwire
