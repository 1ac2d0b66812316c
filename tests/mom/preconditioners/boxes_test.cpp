#include "mom/preconditioners/boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "tests/mom/wire_grids.h"

namespace thinwire::boxes_test {
namespace {

using test::plate;
using test::ship;
using test::WireGrid;

MeshOptions as_given() {
  MeshOptions options;
  options.graded = false;
  return options;
}

/// Returns the wires of `structure`, one segment a card, in random order and direction.
Structure shuffled(const Structure& structure, unsigned seed) {
  std::vector<Segment> segments(structure.segments().begin(), structure.segments().end());
  std::mt19937_64 generator(seed);
  std::shuffle(segments.begin(), segments.end(), generator);
  Structure other;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[i];
    const bool back = generator() % 2 == 0;
    other.add_wire(static_cast<int>(i + 1), 1, back ? s.end_m : s.start_m,
                   back ? s.start_m : s.end_m, s.radius_m);
  }
  return other;
}

Vec3 place_of(const Discretization& where, std::uint32_t m) {
  const MeshElement& element =
      where.mesh().elements()[where.basis().functions()[m].element[0]];
  return where.basis().functions()[m].end[0] == 0 ? element.start_m : element.end_m;
}

TEST(CellLength, IsThatOfTheWiresWhateverTheirGrading) {
  const Structure grid = plate(6, 0.1);
  EXPECT_NEAR(cell_length_m(Discretization(grid, as_given())), 0.1, 1e-12);
  // Graded, most elements of the dipole are much shorter than its segments.
  Structure dipole;
  dipole.add_wire(1, 21, {0, 0, -0.25}, {0, 0, 0.25}, 0.001);
  MeshOptions graded;
  graded.gap_segments = {10};
  const Discretization where(dipole, graded);
  EXPECT_GT(where.elements().size(), 30u);
  EXPECT_NEAR(cell_length_m(where), 0.5 / 21, 1e-12);
}

TEST(FunctionsAlongWires, FollowAWireWhateverItsCards) {
  Structure wire;
  wire.add_wire(1, 40, {0, 0, 0}, {4, 0, 0}, 0.001);
  const Structure cards = shuffled(wire, 5);
  const Discretization where(cards, as_given());
  const std::vector<std::uint32_t> order = functions_along_wires(where);
  ASSERT_EQ(order.size(), 39u);
  const double step = place_of(where, order[1]).x - place_of(where, order[0]).x;
  EXPECT_NEAR(std::abs(step), 0.1, 1e-9);
  for (std::size_t i = 1; i < order.size(); ++i)
    EXPECT_NEAR(place_of(where, order[i]).x - place_of(where, order[i - 1]).x, step,
                1e-9);
}

TEST(FunctionsAlongWires, HoldEveryFunctionOnceAndRunThroughGrids) {
  const Structure cards = shuffled(plate(12, 0.1), 6);
  const Discretization where(cards, as_given());
  std::vector<std::uint32_t> order = functions_along_wires(where);
  int neighbours = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const BasisFunction &f = where.basis().functions()[order[i - 1]],
                        &g = where.basis().functions()[order[i]];
    for (const std::uint32_t e : f.element)
      neighbours += e == g.element[0] || e == g.element[1];
  }
  // Runs of several functions that share elements, and not of one.
  EXPECT_GT(neighbours, static_cast<int>(0.8 * static_cast<double>(order.size())));
  std::sort(order.begin(), order.end());
  for (std::uint32_t m = 0; m < order.size(); ++m) ASSERT_EQ(order[m], m);
}

/// Box by box against places found here, one by one.
void expect_boxes(const Structure& structure, BoxSize size) {
  const Discretization where(structure, as_given());
  const FunctionPlaces places(where);
  const std::vector<OverlappingSet> boxes = places.boxes(size);
  EXPECT_NO_THROW(check_sets(boxes));
  const double reach = size.overlap * places.cell_m() * (1 + 1e-4);
  for (const OverlappingSet& box : boxes) {
    Vec3 low = place_of(where, box.functions[0]), high = low;
    for (std::size_t i = 0; i < box.own; ++i) {
      const Vec3 p = place_of(where, box.functions[i]);
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    for (const double edge : {high.x - low.x, high.y - low.y, high.z - low.z})
      EXPECT_LE(edge, size.box * places.cell_m() * (1 + 1e-6));
    const std::set<std::uint32_t> members(box.functions.begin(), box.functions.end());
    for (std::uint32_t m = 0; m < where.unknowns(); ++m) {
      const Vec3 p = place_of(where, m);
      const bool near = p.x >= low.x - reach && p.x <= high.x + reach &&
                        p.y >= low.y - reach && p.y <= high.y + reach &&
                        p.z >= low.z - reach && p.z <= high.z + reach;
      EXPECT_EQ(members.contains(m), near) << "function " << m;
    }
  }
  const OverlapExtent made = OverlapExtent::of(
                          overlapping_sets(where, size, Medium::free_space(), {})),
                      predicted = places.extent(size);
  EXPECT_EQ(predicted.boxes, made.boxes);
  EXPECT_EQ(predicted.inverses, made.inverses);
  EXPECT_EQ(predicted.positions, made.positions);
  EXPECT_EQ(predicted.products, made.products);
  EXPECT_EQ(predicted.read, made.read);
  EXPECT_EQ(predicted.entries, made.entries);
  EXPECT_EQ(predicted.largest, made.largest);
  EXPECT_EQ(predicted.flops, made.flops);
}

TEST(Boxes, AreCubesByPlaceGrownByTheOverlap) {
  expect_boxes(plate(16, 0.1), {4, 1});
  expect_boxes(shuffled(plate(16, 0.02), 7), {6, 2});
  expect_boxes(ship(12, 5, 4, 0.1), {4, 2});
  expect_boxes(ship(12, 5, 4, 0.1), {3, 0});
}

TEST(Boxes, DoNotDependOnTheCards) {
  const Structure grid = plate(16, 0.1), cards = shuffled(grid, 8);
  const Discretization a(grid, as_given()), b(cards, as_given());
  const FunctionPlaces of_a(a), of_b(b);
  const BoxSize size = {4, 1};
  EXPECT_EQ(of_a.extent(size).boxes, of_b.extent(size).boxes);
  EXPECT_EQ(of_a.extent(size).boxes, 16u);
  EXPECT_EQ(of_a.blocks().size(), of_b.blocks().size());
}

TEST(Boxes, StandAlongAMortonCurve) {
  const Structure grid = plate(16, 0.1);
  const Discretization where(grid, as_given());
  // Squares of 4 by 4 of the plate: along the curve every four are one of 2 by 2.
  const std::vector<OverlappingSet> boxes = FunctionPlaces(where).boxes({4, 0});
  std::vector<std::pair<int, int>> squares;
  for (const OverlappingSet& box : boxes) {
    const Vec3 p = place_of(where, box.functions[0]);
    const std::pair square = {p.x > 0.75 ? 1 : 0, p.y > 0.75 ? 1 : 0};
    if (squares.empty() || squares.back() != square) squares.push_back(square);
  }
  EXPECT_EQ(squares, (std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {0, 1}, {1, 1}}));
}

TEST(Boxes, TellHullsFromPlatesAndDishes) {
  const auto encloses = [](const Structure& structure) {
    return FunctionPlaces(Discretization(structure, as_given())).encloses();
  };
  EXPECT_TRUE(encloses(ship(14, 5, 4, 0.02)));
  EXPECT_TRUE(encloses(ship(30, 8, 6, 0.1)));
  EXPECT_FALSE(encloses(plate(16, 0.1)));
  // Bowls of a paraboloid's shape, over a square; focal length 0.4 diameters, or with the
  // focus in the plane of the rim.
  for (const double focal_length : {0.4, 0.25}) {
    constexpr int cells = 16;
    Structure bowl;
    const auto place = [&](int i, int j) {
      const double x = (i - cells / 2) / double{cells},
                   y = (j - cells / 2) / double{cells};
      return Vec3{x, y, (x * x + y * y) / (4 * focal_length)};
    };
    for (int i = 0; i <= cells; ++i)
      for (int j = 0; j < cells; ++j) {
        bowl.add_wire(1, 1, place(i, j), place(i, j + 1), 1e-3);
        bowl.add_wire(1, 1, place(j, i), place(j + 1, i), 1e-3);
      }
    EXPECT_FALSE(encloses(bowl)) << focal_length;
  }
}

Structure dipoles(int rows, int columns) {
  Structure structure;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      structure.add_wire(1, 21, {0.5 * i, 0.5 * j, -0.25}, {0.5 * i, 0.5 * j, 0.25},
                         1e-3);
  return structure;
}

TEST(Boxes, NeverCutSmallAntennas) {
  const Structure array = dipoles(6, 6);
  const Discretization where(array, as_given());
  // Boxes of 1 m, two dipoles by two, and those half a metre around.
  const double cells_a_metre = 21 / 0.5;
  const std::vector<OverlappingSet> boxes =
      FunctionPlaces(where).boxes({cells_a_metre, 0.5 * cells_a_metre});
  EXPECT_EQ(boxes.size(), 9u);
  for (const OverlappingSet& box : boxes) {
    EXPECT_EQ(box.own, 4u * 20);
    EXPECT_EQ(box.functions.size() % 20, 0u);
    std::set<std::uint32_t> antennas;
    for (const std::uint32_t m : box.functions) antennas.insert(m / 20);
    EXPECT_EQ(antennas.size() * 20, box.functions.size());
  }
  EXPECT_EQ(boxes.front().functions.size(), 9u * 20);
}

TEST(Boxes, OfSmallBoxesWithoutOverlapAreTheAntennas) {
  const Structure array = dipoles(3, 3);
  const Discretization where(array, as_given());
  EXPECT_EQ(FunctionPlaces(where).extent({1, 0}).boxes, 9u);
  EXPECT_EQ(FunctionPlaces(where).blocks().size(), 9u);
}

TEST(Blocks, OfOneSegmentCardsAreLargeAndByPlace) {
  const Structure cards = shuffled(plate(20, 0.1), 9);
  const Discretization where(cards, as_given());
  ASSERT_GT(where.unknowns(), 1000u);
  const auto blocks = FunctionPlaces(where).blocks();
  EXPECT_EQ(blocks.size(), 4u);
  std::vector<std::size_t> sizes, predicted = FunctionPlaces(where).block_sizes();
  for (const auto& block : blocks) sizes.push_back(block.size());
  EXPECT_TRUE(std::is_permutation(sizes.begin(), sizes.end(), predicted.begin(),
                                  predicted.end()));
  std::vector<bool> seen(where.unknowns(), false);
  for (const auto& block : blocks) {
    EXPECT_LE(block.size(), largest_whole_antenna);
    EXPECT_GT(block.size(), largest_whole_antenna / 2 - 2);
    Vec3 low = place_of(where, block[0]), high = low;
    for (const std::uint32_t m : block) {
      EXPECT_FALSE(seen[m]);
      seen[m] = true;
      const Vec3 p = place_of(where, m);
      low = {std::min(low.x, p.x), std::min(low.y, p.y), 0};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), 0};
    }
    // A quarter of the plate.
    EXPECT_LE(high.x - low.x, 1.15);
    EXPECT_LE(high.y - low.y, 1.15);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0);
}

}  // namespace
}  // namespace thinwire::boxes_test
