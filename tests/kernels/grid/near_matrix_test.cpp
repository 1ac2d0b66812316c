#include "kernels/grid/near_matrix.h"

#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>
#include <omp.h>

#include "kernels/base/constants.h"
#include "kernels/fill/matrix_entries.h"
#include "tests/kernels/element/test_mesh.h"

namespace thinwire::near_matrix_test {
namespace {

constexpr double k = 2 * pi;

/// Bent wires, junctions, steps of radius, elements from a fifth of a cell to nine cells.
testing::TestMesh mixed_wires() {
  testing::TestMesh mesh;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int wire = 0; wire < 6; ++wire) {
    const Vec3 at{0.1 * normal(random), 0.1 * normal(random), 0.9 + 0.02 * wire};
    std::vector<Vec3> nodes;
    for (int i = 0; i < 12; ++i)
      nodes.push_back(at + Vec3{0.03 * i, 0.02 * std::sin(i + wire), 0.01 * i * wire});
    mesh.add_wire(nodes, wire % 2 == 0 ? 0.0005 : 0.002);
  }
  // A junction of two wires, one element long and one short, and a thick wire beside.
  const std::uint32_t stem = mesh.add_element({0, 0, 1}, {0, 0, 1.4}, 0.0005);
  const std::uint32_t twig = mesh.add_element({0, 0, 1.4}, {0.02, 0, 1.4}, 0.001);
  mesh.join(stem, twig);
  mesh.add_wire(testing::straight({0.1, 0, 1}, {0.1, 0, 1.3}, 6), 0.004);
  return mesh;
}

/// Sampled columns of the exact matrix, of the grid's part and of the near field.
struct Split {
  std::vector<std::uint32_t> columns;
  std::vector<Complex> exact, grid;  ///< [columns][n]
  NearMatrix near;
};

Split split_of(const testing::TestMesh& mesh, Medium medium, const GridClass& grid_class,
               double spacing_m) {
  const FillInput fill = {mesh.elements,       mesh.basis, k,
                          GreensKernel::exact, medium,     nullptr};
  const GridOperator grid({mesh.elements, k, medium, grid_class, spacing_m});
  const std::size_t n = mesh.basis.size();
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0u);
  Split split;
  for (std::uint32_t m = 1; m < n; m += 8) split.columns.push_back(m);
  split.columns.push_back(static_cast<std::uint32_t>(n - 6));  // of the longest element
  split.exact.resize(n * split.columns.size());
  read_entries(fill, all, split.columns, split.exact);
  for (const std::uint32_t m : split.columns) {
    const BasisFunction& f = mesh.basis[m];
    std::vector<Complex> ends(2 * mesh.elements.size()), fields(ends.size());
    for (int t = 0; t < 2; ++t) ends[2 * f.element[t] + f.end[t]] += f.sign[t];
    grid.apply(ends, fields);
    for (const BasisFunction& g : mesh.basis) {
      Complex sum = 0;
      for (int t = 0; t < 2; ++t)
        sum += static_cast<double>(g.sign[t]) * fields[2 * g.element[t] + g.end[t]];
      split.grid.push_back(sum);
    }
  }
  split.near = near_matrix(
      fill, grid,
      near_element_pairs(mesh.elements, medium, grid_class.near_cells * spacing_m));
  return split;
}

void expect_whole_right(const testing::TestMesh& mesh, Medium medium,
                        const GridClass& grid_class, double spacing_m) {
  const Split split = split_of(mesh, medium, grid_class, spacing_m);
  const std::size_t n = mesh.basis.size();
  const auto full = [n](const HalfSparse& half) {
    EXPECT_EQ(half.rows(), n);
    std::vector<double> all(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::uint64_t e = half.row[i]; e < half.row[i + 1]; ++e)
        all[i * n + half.column[e]] = all[half.column[e] * n + i] = half.value[e];
    return all;
  };
  const std::vector<double> x = full(split.near.x), r = full(split.near.r);
  double error = 0, size = 0, real_part = 0, imaginary_part = 0;
  for (std::size_t c = 0; c < split.columns.size(); ++c)
    for (std::size_t i = 0; i < n; ++i) {
      const Complex exact = split.exact[c * n + i], left = exact - split.grid[c * n + i];
      const std::size_t at = split.columns[c] * n + i;
      error += std::norm(left - Complex(r[at], x[at]));
      size += std::norm(exact);
      real_part = std::max(real_part, std::fabs(left.real() - r[at]));
      imaginary_part = std::max(imaginary_part, std::fabs(left.imag()));
    }
  // The fill's own far rules are good to 1e-7.
  EXPECT_LT(std::sqrt(error / size), std::max(1e-7, grid_class.tolerance));
  // G - G_s is real: but for bends, what is left of Z is imaginary.
  EXPECT_LT(real_part, std::max(2e-7, 0.1 * grid_class.tolerance) * imaginary_part);
}

TEST(NearMatrix, MakesTheGridsSumTheImpedanceMatrix) {
  const testing::TestMesh mesh = mixed_wires();
  for (const GridClass& grid_class : grid_classes)
    expect_whole_right(mesh, {}, grid_class, 0.06);
}

TEST(NearMatrix, CountsImages) {
  const testing::TestMesh mesh = mixed_wires();
  expect_whole_right(mesh, Medium::perfect_ground(), grid_classes[1], 0.06);
}

/// A grid over real ground less that in free space, with its near field: the reflection.
TEST(NearMatrix, MakesTheGridsReflectionThatOfTheGround) {
  testing::TestMesh mesh;
  mesh.add_wire(testing::straight({0, 0, 0.04}, {0.4, 0.1, 0.04}, 7), 0.001);
  mesh.add_wire(testing::straight({0.3, -0.2, 0.05}, {0.35, -0.2, 0.4}, 6), 0.002);
  mesh.add_wire(testing::straight({0.1, 0.4, 0.3}, {0.5, 0.5, 0.06}, 6), 0.001);
  const std::size_t n = mesh.basis.size();
  const std::vector<std::uint32_t> columns = {1, 8, 14};
  const Complex eps(13, -0.3);
  const GroundTable table(eps, 0.01 * k, 10 * k);
  const GroundAt ground{k, eps, table.view()};
  const ReflectingSurface surface{eps, k};
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0u);
  for (const bool sommerfeld : {true, false}) {
    FillInput fill = {mesh.elements, mesh.basis, k, GreensKernel::exact, {}, nullptr};
    std::vector<Complex> direct(n * columns.size()), whole(direct.size());
    read_entries(fill, all, columns, direct);
    GridInput input{mesh.elements, k, {}, grid_classes[0], 0.06};
    const GridOperator free(input);
    fill.ground = input.ground = sommerfeld ? &ground : nullptr;
    fill.surface = input.surface = sommerfeld ? nullptr : &surface;
    read_entries(fill, all, columns, whole);
    const GridOperator grid(input);
    const NearMatrix near =
        near_reflections(fill, grid, near_image_pairs(fill.elements, grid));
    double error = 0, size = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::uint32_t m = columns[c];
      std::vector<Complex> x(n), y(n), ends(2 * mesh.elements.size()),
          of_grid(ends.size()), of_free(ends.size());
      x[m] = 1;
      for (int t = 0; t < 2; ++t)
        ends[2 * mesh.basis[m].element[t] + mesh.basis[m].end[t]] +=
            mesh.basis[m].sign[t];
      grid.apply(ends, of_grid);
      free.apply(ends, of_free);
      for (std::size_t i = 0; i < n; ++i)
        for (int t = 0; t < 2; ++t) {
          const std::size_t end = 2 * mesh.basis[i].element[t] + mesh.basis[i].end[t];
          y[i] +=
              static_cast<double>(mesh.basis[i].sign[t]) * (of_grid[end] - of_free[end]);
        }
      add_product(near.x, {0, 1}, x, y);
      add_product(near.r, 1, x, y);
      for (std::size_t i = 0; i < n; ++i) {
        error += std::norm(y[i] - (whole[c * n + i] - direct[c * n + i]));
        size += std::norm(whole[c * n + i]);
      }
    }
    EXPECT_LT(std::sqrt(error / size), grid_classes[0].tolerance) << sommerfeld;
  }
}

TEST(NearMatrix, IsDenseWhereAllIsNear) {
  const testing::TestMesh mesh = testing::dipole_array(2, 1, 7);
  const Split split = split_of(mesh, {}, grid_classes[0], 0.15);
  const std::size_t n = mesh.basis.size();
  EXPECT_EQ(split.near.x.value.size(), n * (n + 1) / 2);
}

TEST(HalfSparse, ProductIsThatOfBothHalvesWithTheSameBitsForAnyThreads) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  for (const std::uint32_t n : {1u, 31u, 65u, 1000u}) {
    HalfSparse a;
    std::vector<Complex> x(n), expected(n, Complex(1, 2));
    for (Complex& value : x) value = {normal(random), normal(random)};
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::uint32_t j = i > 40 ? i - 40 : 0; j <= i; ++j) {
        if (random() % 3 == 0 || i % 17 == 5) continue;
        const double value = normal(random);
        a.column.push_back(j);
        a.value.push_back(value);
        expected[i] += Complex(0, 0.7 * value) * x[j];
        if (i != j) expected[j] += Complex(0, 0.7 * value) * x[i];
      }
      a.row.push_back(a.column.size());
    }
    const int threads = omp_get_max_threads();
    std::vector<Complex> one(n, Complex(1, 2)), many = one;
    omp_set_num_threads(1);
    add_product(a, Complex(0, 0.7), x, one);
    omp_set_num_threads(3);
    add_product(a, Complex(0, 0.7), x, many);
    omp_set_num_threads(threads);
    EXPECT_TRUE(one == many);
    for (std::uint32_t i = 0; i < n; ++i)
      EXPECT_LT(std::abs(one[i] - expected[i]), 1e-12);
  }
}

}  // namespace
}  // namespace thinwire::near_matrix_test
