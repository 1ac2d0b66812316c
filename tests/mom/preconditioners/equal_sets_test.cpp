#include "mom/preconditioners/equal_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/fill/matrix_entries.h"
#include "mom/preconditioners/boxes.h"
#include "tests/mom/wire_grids.h"

namespace thinwire::equal_sets_test {
namespace {

using test::plate;
using test::ship;

MeshOptions as_given() {
  MeshOptions options;
  options.graded = false;
  return options;
}

constexpr double k = 2 * pi;

/// Entries of Z of a set, loads included, by the fill's own rules.
std::vector<Complex> block_of(const Discretization& where, Medium medium,
                              std::span<const MatrixUpdate> loads,
                              std::span<const std::uint32_t> functions) {
  const std::size_t m = functions.size();
  std::vector<Complex> block(m * m);
  read_entries({where.elements(), where.basis().functions(), k, GreensKernel::exact,
                medium, nullptr},
               functions, functions, block);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      for (const MatrixUpdate& load : loads)
        if ((load.row == functions[i] && load.column == functions[j]) ||
            (load.row != load.column && load.column == functions[i] &&
             load.row == functions[j]))
          block[i + j * m] += load.value;
  return block;
}

/// Some marked sets against those that they are to be equal to; how many are different.
std::size_t expect_equal_blocks(const Discretization& where, BoxSize size, Medium medium,
                                std::span<const MatrixUpdate> loads) {
  const std::vector<OverlappingSet> sets = overlapping_sets(where, size, medium, loads);
  EXPECT_NO_THROW(check_sets(sets));
  int compared = 0;
  for (const OverlappingSet& set : sets) {
    if (set.same_as == OverlappingSet::none || ++compared % 8 != 1) continue;
    const std::vector<Complex> a = block_of(where, medium, loads,
                                            sets[set.same_as].functions),
                               b = block_of(where, medium, loads, set.functions);
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, std::abs(a[i]));
      difference = std::max(difference, std::abs(a[i] - b[i]));
    }
    // Places are rounded differently; the far rules are good to 1e-7.
    EXPECT_LT(difference, 1e-7 * largest);
  }
  return OverlapExtent::of(sets).inverses;
}

TEST(EqualSets, OfAPlateHaveTheSameMatrix) {
  const Structure structure = plate(24, 0.1);
  const Discretization where(structure, as_given());
  // 36 boxes of 4 cells with one around: corners and edges, each twice where the far end
  // has one more row of nodes, the inner ones, and those that the whip comes near.
  const std::size_t inverses = expect_equal_blocks(where, {4, 1}, {}, {});
  EXPECT_EQ(FunctionPlaces(where).boxes({4, 1}).size(), 36u);
  EXPECT_LE(inverses, 9u + 4);
  EXPECT_GE(inverses, 9u);
}

TEST(EqualSets, OfAHullAreFoundAlongItsLength) {
  const Structure structure = ship(48, 4, 4, 0.1);
  const Discretization where(structure, as_given());
  const std::size_t boxes = FunctionPlaces(where).boxes({3, 1}).size(),
                    inverses = expect_equal_blocks(where, {3, 1}, {}, {});
  EXPECT_LT(inverses, 2 * boxes / 3) << boxes;
}

TEST(EqualSets, HaveTheSameLoads) {
  const Structure structure = plate(16, 0.1);
  const Discretization where(structure, as_given());
  const BoxSize size = {4, 1};
  const std::size_t unloaded = expect_equal_blocks(where, size, {}, {});
  // Loads that are equal everywhere: each function with itself and those that share its
  // first element.
  std::vector<MatrixUpdate> everywhere;
  for (std::uint32_t m = 0; m < where.unknowns(); ++m)
    everywhere.push_back({m, m, {3, 40}});
  EXPECT_EQ(expect_equal_blocks(where, size, {}, everywhere), unloaded);
  // On one function of one inner box, and on the coupling of two.
  const std::uint32_t inside = FunctionPlaces(where).boxes(size)[3].functions[5];
  const std::vector<MatrixUpdate> one = {{inside, inside, {50, 0}}};
  EXPECT_GT(expect_equal_blocks(where, size, {}, one), unloaded);
  std::vector<MatrixUpdate> uneven = everywhere;
  for (MatrixUpdate& load : uneven) load.value += 0.01 * load.row;
  EXPECT_EQ(expect_equal_blocks(where, size, {}, uneven), 16u);
}

TEST(EqualSets, OfAntennasThatFormNoLatticeAreOne) {
  // Vees at random places, their cards in either order; one is turned, one is higher.
  Structure structure;
  constexpr Vec3 places[] = {{0, 0, 1},     {1.3, 0.2, 1}, {0.4, 2.1, 1},
                             {2.2, 1.7, 1}, {3, 0.5, 1},   {1.1, 3.3, 2}};
  int tag = 0;
  for (const Vec3 foot : places) {
    const double turned = tag == 4 ? -1 : 1;
    const Vec3 left = foot + Vec3{-0.2, 0, 0.3},
               right = foot + Vec3{0.3 * turned, 0.1, 0.3};
    structure.add_wire(++tag, 9, left, foot, 1e-3);
    structure.add_wire(tag, 11, foot, right, 1e-3);
  }
  const Discretization where(structure, as_given());
  const auto different = [&](Medium medium, std::span<const MatrixUpdate> loads) {
    const std::vector<OverlappingSet> sets = marked_blocks(where, medium, loads);
    EXPECT_EQ(sets.size(), 6u);
    EXPECT_NO_THROW(check_sets(sets));
    const std::vector<std::size_t> owner = owners(sets);
    const std::vector<Complex> first = block_of(where, medium, loads, sets[0].functions);
    for (std::size_t b = 1; b < sets.size(); ++b) {
      const std::vector<Complex> block =
          block_of(where, medium, loads, sets[b].functions);
      double largest = 0, difference = 0;
      for (std::size_t i = 0; i < first.size(); ++i) {
        largest = std::max(largest, std::abs(first[i]));
        difference = std::max(difference, std::abs(first[i] - block[i]));
      }
      EXPECT_EQ(owner[b] == 0, difference < 1e-7 * largest) << b;
    }
    return OverlapExtent::of(sets).inverses;
  };
  EXPECT_EQ(different({}, {}), 2u);
  EXPECT_EQ(different(Medium::perfect_ground(), {}), 3u);
  const std::vector<MatrixUpdate> one = {{25, 25, {50, 0}}};
  EXPECT_EQ(different({}, one), 3u);
}

TEST(EqualSets, OverGroundStandAtOneHeight) {
  // A wall of 4 by 4 boxes: equal ones side by side, and over ground not above each
  // other.
  test::WireGrid grid(0.1);
  grid.add_rectangle({0, 0, 2}, 0, 16, 2, 16);
  const Discretization where(grid.structure, as_given());
  const std::size_t free = expect_equal_blocks(where, {4, 1}, {}, {}),
                    grounded =
                        expect_equal_blocks(where, {4, 1}, Medium::perfect_ground(), {});
  EXPECT_EQ(free, 9u);
  EXPECT_EQ(grounded, 3u * 4);
  EXPECT_EQ(FunctionPlaces(where).extent({4, 1}, true).inverses, grounded);
}

TEST(EqualSets, AreNoneWhereWiresAreBent) {
  // A grid on a paraboloid has no two boxes alike.
  Structure structure;
  constexpr int cells = 12;
  const auto place = [](int i, int j) {
    const double x = 0.1 * (i - 5.3), y = 0.1 * (j - 4.9);
    return Vec3{x, y, 0.4 * (x * x + y * y)};
  };
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j <= cells; ++j) {
      if (i < cells) structure.add_wire(1, 1, place(i, j), place(i + 1, j), 0.01);
      if (j < cells) structure.add_wire(1, 1, place(i, j), place(i, j + 1), 0.01);
    }
  const Discretization where(structure, as_given());
  EXPECT_EQ(expect_equal_blocks(where, {4, 1}, {}, {}),
            FunctionPlaces(where).boxes({4, 1}).size());
}

}  // namespace
}  // namespace thinwire::equal_sets_test
