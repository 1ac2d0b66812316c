#include "mom/discretization/loops.h"

#include <gtest/gtest.h>

#include <set>

#include "mom/discretization/discretization.h"
#include "tests/mom/wire_antennas.h"
#include "tests/mom/wire_grids.h"

namespace thinwire {
namespace {

/// Each loop has the same current at both ends of all elements, and its first function
/// belongs to it alone.
void expect_no_charge(const Discretization& antenna, const std::vector<Loop>& loops) {
  std::set<std::size_t> first;
  for (const Loop& loop : loops) first.insert(loop.front().function);
  EXPECT_EQ(first.size(), loops.size());
  for (const Loop& loop : loops) {
    EXPECT_EQ(loop.front().weight, 1);
    std::vector<Complex> current(antenna.unknowns());
    for (const BasisWeight& w : loop) {
      current[w.function] = w.weight;
      EXPECT_EQ(first.count(w.function), w.function == loop.front().function ? 1u : 0u);
    }
    for (std::size_t e = 0; e < antenna.elements().size(); ++e)
      EXPECT_EQ(antenna.basis().end_current(current, e, 0),
                antenna.basis().end_current(current, e, 1));
  }
}

std::size_t loops_of(const Structure& structure, const MeshOptions& options = {}) {
  const Discretization antenna(structure, options);
  const auto loops = independent_loops(antenna.basis(), antenna.elements().size(),
                                       options.perfect_ground);
  expect_no_charge(antenna, loops);
  return loops.size();
}

TEST(Loops, NoneInTrees) {
  Structure star;
  star.add_wire(1, 5, {0, 0, 0}, {1, 0, 0}, 0.001);
  EXPECT_EQ(loops_of(star), 0u);
  star.add_wire(2, 5, {0, 0, 0}, {0, 1, 0}, 0.001);
  star.add_wire(3, 5, {0, 0, 1}, {0, 0, 0}, 0.001);
  star.add_wire(4, 5, {5, 0, 1}, {5, 0, 0}, 0.001);
  EXPECT_EQ(loops_of(star), 0u);
}

TEST(Loops, OneForEachCell) {
  test::WireGrid plane(0.1);
  plane.add_rectangle({0, 0, 0}, 0, 3, 1, 3);
  EXPECT_EQ(loops_of(plane.structure), 9u);
  plane.add_rectangle({10, 0, 0}, 0, 1, 1, 2);
  EXPECT_EQ(loops_of(plane.structure), 11u);
  // One of the six faces of a box is the sum of the others.
  test::WireGrid box(0.1);
  box.add_box({0, 0, 0}, {1, 1, 1}, true);
  EXPECT_EQ(loops_of(box.structure), 5u);
}

TEST(Loops, ThroughPerfectGround) {
  Structure arch;
  arch.add_wire(1, 3, {0, 0, 0}, {0, 0, 1}, 0.001);
  arch.add_wire(2, 3, {0, 0, 1}, {1, 0, 1}, 0.001);
  MeshOptions ground;
  ground.ground_contact = ground.perfect_ground = true;
  EXPECT_EQ(loops_of(arch, ground), 0u);
  arch.add_wire(3, 3, {1, 0, 0}, {1, 0, 1}, 0.001);
  EXPECT_EQ(loops_of(arch, ground), 1u);
  EXPECT_EQ(loops_of(arch), 0u);
  arch.add_wire(4, 3, {0.5, 0, 3}, {0, 0, 1}, 0.001);
  arch.add_wire(5, 3, {2, 0, 0}, {1, 0, 1}, 0.001);
  EXPECT_EQ(loops_of(arch, ground), 2u);
}

}  // namespace
}  // namespace thinwire
