#include "kernels/grid/grid_operator.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <omp.h>

#include "kernels/base/constants.h"
#include "tests/vectors.h"

namespace thinwire::grid_operator_test {
namespace {

constexpr double k = 2 * pi;

/// Elements of about a length in a box, the lowest at z = 0.05.
std::vector<Element> random_elements(std::size_t count, Vec3 box_m, double length_m,
                                     double radius_m, Vec3 directions) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(0, 1), sign(-1, 1);
  std::vector<Element> elements;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 at{box_m.x * unit(random), box_m.y * unit(random),
                  0.05 + box_m.z * unit(random)};
    Vec3 t{directions.x * sign(random), directions.y * sign(random),
           directions.z * sign(random)};
    t = (1 / norm(t)) * t;
    if (t.z < 0) t = -t;
    elements.push_back({at, t, length_m * (0.5 + unit(random)), radius_m});
  }
  return elements;
}

std::vector<Complex> random_vector(std::size_t size, int seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Complex> x(size);
  for (Complex& value : x) value = {normal(random), normal(random)};
  return x;
}

Complex tube_green(const SplitKernel& kernel, Vec3 r, const Element& p, const Element& q,
                   bool tubes) {
  const double a = tubes ? TubeMean(k, p.radius_m).bend_m2 : 0,
               b = tubes ? TubeMean(k, q.radius_m).bend_m2 : 0;
  return {bent(kernel.view().at<4>(dot(r, r)), r, p.tangent, q.tangent, a, b),
          -bent(BoundedWave{k}.at<4>(dot(r, r)), r, p.tangent, q.tangent, a, b)};
}

std::vector<Complex> direct_sum(const GridOperator& op, std::span<const Complex> x) {
  const GridInput& in = op.input();
  const auto& points = op.transfer().points().point;
  std::vector<Complex> y(x.size());
  for (const GridPoint& a : points)
    for (const GridPoint& b : points)
      for (int s = 0; s < in.medium.sources(); ++s) {
        const Element& p = in.elements[a.element];
        const Element q = in.medium.source(in.elements[b.element], s);
        Vec3 from = b.position_m;
        if (s == 1) from.z = -from.z;
        const Complex g =
            in.medium.factor(s) *
            tube_green(op.kernel(), a.position_m - from, p, q, op.transfer().tubes());
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j)
            y[2 * a.element + i] += Complex(0, k * eta0_ohm / (4 * pi)) * g *
                                    x[2 * b.element + j] *
                                    (dot(p.tangent, q.tangent) * a.value[i] * b.value[j] -
                                     a.derivative[i] * b.derivative[j]);
      }
  return y;
}

void expect_sums_right(std::span<const Element> elements, Medium medium, int class_index,
                       double spacing_m) {
  const GridClass& grid_class = grid_classes[class_index];
  const GridOperator op({elements, k, medium, grid_class, spacing_m});
  const auto x = random_vector(2 * elements.size(), 3);
  std::vector<Complex> y(x.size());
  op.apply(x, y);
  // Tolerances are of Z, of which the smooth part is the smaller one.
  EXPECT_LT(testing::relative_difference(y, direct_sum(op, x)),
            10 * grid_class.tolerance);
  // Symmetric: the same window takes points to the grid and back.
  const auto other = random_vector(x.size(), 4);
  std::vector<Complex> z(x.size());
  op.apply(other, z);
  Complex left = 0, right = 0;
  double size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    left += other[i] * y[i];
    right += x[i] * z[i];
    size += std::abs(other[i] * y[i]);
  }
  EXPECT_LT(std::abs(left - right), 1e-13 * size);
}

TEST(GridOperator, SumsAsManyDigitsAsItsClassSays) {
  const auto elements = random_elements(60, {1.3, 0.9, 0.7}, 0.08, 0.001, {1, 1, 1});
  for (int c = 0; c < 3; ++c) expect_sums_right(elements, {}, c, 0.1);
}

TEST(GridOperator, SumsThickTubes) {
  const auto elements = random_elements(60, {1.3, 0.9, 0.7}, 0.08, 0.016, {1, 1, 1});
  for (int c = 0; c < 3; ++c) expect_sums_right(elements, {}, c, 0.1);
}

TEST(GridOperator, SumsImagesInTheGround) {
  const auto elements = random_elements(60, {1.3, 0.9, 0.4}, 0.08, 0.004, {1, 1, 1});
  for (int c = 0; c < 3; ++c)
    expect_sums_right(elements, Medium::perfect_ground(), c, 0.1);
}

TEST(GridOperator, SumsFlatStructuresOnPlanes) {
  const struct {
    Vec3 box_m, directions;
    std::array<bool, 3> flat;
  } cases[] = {{{2, 2, 0}, {1, 1, 0}, {false, false, true}},
               {{2, 0, 1.5}, {1, 0, 1}, {false, true, false}},
               {{0, 2, 1.5}, {0, 1, 1}, {true, false, false}}};
  for (const auto& c : cases)
    for (const Medium medium : {Medium{}, Medium::perfect_ground()})
      for (const int class_index : {0, 1, 2}) {
        const auto elements = random_elements(80, c.box_m, 0.05, 0.012, c.directions);
        const UniformGrid grid = UniformGrid::around(StructureExtents(elements), 0.15,
                                                     grid_classes[class_index]);
        for (int a = 0; a < 3; ++a) EXPECT_EQ(grid.size[a] == 1, c.flat[a]);
        expect_sums_right(elements, medium, class_index, 0.15);
      }
}

TEST(GridOperator, SumsElementsOffThePlaneOfAFlatStructure) {
  auto elements = random_elements(250, {2, 0, 1.5}, 0.05, 0.012, {1, 0, 1});
  // Beside it, and from it: the first and the last.
  elements.front() = {{-0.3, 0.4, 1}, {0.6, 0.8, 0}, 0.06, 0.01};
  elements.back() = {{1, 0, 0.3}, {0, 1, 0}, 0.07, 0.012};
  const UniformGrid grid =
      UniformGrid::around(StructureExtents(elements), 0.15, grid_classes[1]);
  EXPECT_EQ(grid.size[1], 1u);
  EXPECT_EQ(grid.off_plane, (std::vector<std::uint32_t>{0, 249}));
  for (const Medium medium : {Medium{}, Medium::perfect_ground()})
    expect_sums_right(elements, medium, 1, 0.15);
  // Too many for so few elements.
  elements[7] = elements[8] = elements.front();
  EXPECT_GT(
      UniformGrid::around(StructureExtents(elements), 0.15, grid_classes[1]).size[1], 1u);
}

TEST(GridOperator, SumsStraightStructuresAndCoarseGrids) {
  expect_sums_right(random_elements(50, {0, 0, 6}, 0.1, 0.001, {0, 0, 1}), {}, 1, 0.1);
  expect_sums_right(random_elements(1, {0, 0, 0}, 0.1, 0.001, {0, 0, 1}), {}, 1, 0.1);
  expect_sums_right(random_elements(60, {4, 2, 1}, 0.2, 0.001, {1, 1, 1}), {}, 0, 0.2);
}

TEST(GridOperator, HasNoEmptyChannels) {
  EXPECT_EQ(grid_channels(random_elements(5, {1, 1, 1}, 0.1, 0.001, {0, 0, 1})).size(),
            2u);
  EXPECT_EQ(grid_channels(random_elements(5, {1, 1, 1}, 0.1, 0.001, {1, 1, 0})).size(),
            3u);
}

TEST(GridOperator, GivesTheSameBitsWithAnyNumberOfThreads) {
  const auto elements = random_elements(200, {3, 2, 1}, 0.1, 0.01, {1, 1, 1});
  const int threads = omp_get_max_threads();
  const auto x = random_vector(2 * elements.size(), 5);
  std::vector<Complex> one(x.size()), many(x.size());
  omp_set_num_threads(1);
  GridOperator({elements, k, {}, grid_classes[1], 0.1}).apply(x, one);
  omp_set_num_threads(3);
  GridOperator({elements, k, {}, grid_classes[1], 0.1}).apply(x, many);
  omp_set_num_threads(threads);
  EXPECT_TRUE(one == many);
}

TEST(GridPoints, IntegrateAFunctionOfALongElement) {
  // int u_1 cos(q s) ds over 0.4 m with q at the grid's largest wave number.
  const Element e{{0, 0, 0}, {0, 0, 1}, 0.4, 0.001};
  for (const GridClass& grid_class : grid_classes) {
    const double h = 0.02, q = grid_class.beta / (grid_class.near_cells * h);
    const std::vector<Element> elements{e};
    const GridPoints points(elements, k, h, grid_class);
    double sum = 0;
    for (const GridPoint& p : points.of(0))
      sum += p.value[1] * std::cos(q * p.position_m.z);
    // int sin(k s) cos(q s) ds = [-cos((k+q)s)/(2(k+q)) - cos((k-q)s)/(2(k-q))].
    const auto primitive = [&](double s) {
      return -std::cos((k + q) * s) / (2 * (k + q)) -
             std::cos((k - q) * s) / (2 * (k - q));
    };
    const double exact = (primitive(0.4) - primitive(0)) / std::sin(k * 0.4);
    EXPECT_NEAR(sum, exact, 0.1 * 0.02) << grid_class.tolerance;
  }
}

}  // namespace
}  // namespace thinwire::grid_operator_test
