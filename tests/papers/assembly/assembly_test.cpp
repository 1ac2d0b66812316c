#include "papers/assembly/assembly.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/papers/assembly/body.h"

namespace thinwire {
namespace {

using namespace testing;
using Displacements = std::vector<Vec3>;

struct Assembled {
  ElasticBody body;
  Connectivity connectivity;
  std::vector<double> value;

  explicit Assembled(HexahedralMesh mesh)
      : body{std::move(mesh), steel_like},
        connectivity(connect(body.mesh)),
        value(zeros(connectivity.pattern)) {
    assemble_rows(body, connectivity, 0, body.mesh.nodes(), value);
  }

  template <class Function>
  Displacements field(Function&& at) const {
    Displacements u;
    for (const Vec3 node : body.mesh.node) u.push_back(at(node));
    return u;
  }

  /// Forces K u.
  Displacements forces(const Displacements& u) const {
    const auto& [row_ptr, column] = connectivity.pattern;
    Displacements f(u.size());
    for (std::size_t row = 0; row < u.size(); ++row)
      for (std::int64_t k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
        const double* block = &value[9 * k];
        const Vec3 v = u[column[k]];
        f[row] = f[row] + Vec3{dot({block[0], block[1], block[2]}, v),
                               dot({block[3], block[4], block[5]}, v),
                               dot({block[6], block[7], block[8]}, v)};
      }
    return f;
  }

  double energy(const Displacements& u) const {
    const Displacements f = forces(u);
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += 0.5 * dot(u[i], f[i]);
    return sum;
  }
};

double largest(const Displacements& vectors) {
  double most = 0;
  for (const Vec3 v : vectors) most = std::max(most, norm(v));
  return most;
}

/// Integrals over 0..1 of products of the linear functions 1 - t and t and their
/// derivatives.
double integral(std::size_t a, bool derivative_a, std::size_t b, bool derivative_b) {
  if (derivative_a && derivative_b) return a == b ? 1 : -1;
  if (derivative_a) return a ? 0.5 : -0.5;
  if (derivative_b) return b ? 0.5 : -0.5;
  return a == b ? 1.0 / 3 : 1.0 / 6;
}

TEST(Assembly, ACubesMatrixIsThatOfExactIntegrals) {
  const Assembled cube(cube_mesh(1));
  const Elasticity m = steel_like;
  EXPECT_NEAR(m.lambda, 0.3 / 0.52, 1e-15);
  EXPECT_NEAR(m.mu, 1 / 2.6, 1e-15);
  for (std::size_t a = 0; a < 8; ++a)
    for (std::size_t b = 0; b < 8; ++b) {
      double p[3][3];  // integral of dN_a/di dN_b/dj
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          p[i][j] = 1;
          for (std::size_t d = 0; d < 3; ++d)
            p[i][j] *= integral(a >> d & 1, d == i, b >> d & 1, d == j);
        }
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          const double expected = m.lambda * p[i][j] + m.mu * p[j][i] +
                                  (i == j ? m.mu * (p[0][0] + p[1][1] + p[2][2]) : 0);
          EXPECT_NEAR(cube.value[9 * (8 * a + b) + 3 * i + j], expected, 1e-15);
        }
    }
}

TEST(Assembly, ARigidBodyFeelsNoForces) {
  const Assembled body(shaken_cube(5));
  const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Vec3 axis : axes) {
    EXPECT_LT(largest(body.forces(body.field([&](Vec3) { return axis; }))), 1e-14);
    EXPECT_LT(largest(body.forces(body.field([&](Vec3 r) { return cross(axis, r); }))),
              1e-13);
  }
}

// The patch test: a constant strain on distorted elements. Inside nothing pulls, and the
// energy is that of the exact stress, 2 mu e + lambda trace(e), over the volume.
TEST(Assembly, AConstantStrainGivesTheExactStress) {
  const std::size_t side = 4;
  HexahedralMesh mesh = shaken_cube(side);
  const auto inside = [&](Vec3 r) {
    const auto between = [&](double t) { return t > 0.5 && t < side - 0.5; };
    return between(r.x) && between(r.y) && between(r.z);
  };
  // The surface stays that of the cube, whose volume is known.
  const HexahedralMesh straight = cube_mesh(side);
  for (std::size_t i = 0; i < mesh.nodes(); ++i)
    if (!inside(straight.node[i])) mesh.node[i] = straight.node[i];
  const Assembled body(std::move(mesh));
  const double e[3][3] = {{1, 0.2, -0.3}, {0.2, -0.5, 0.7}, {-0.3, 0.7, 0.4}};
  const Displacements u = body.field([&](Vec3 r) {
    return Vec3{dot({e[0][0], e[0][1], e[0][2]}, r), dot({e[1][0], e[1][1], e[1][2]}, r),
                dot({e[2][0], e[2][1], e[2][2]}, r)};
  });
  const double trace = e[0][0] + e[1][1] + e[2][2];
  double density = 0.5 * steel_like.lambda * trace * trace;
  for (const auto& row : e)
    for (const double entry : row) density += steel_like.mu * entry * entry;
  EXPECT_NEAR(body.energy(u) / (density * side * side * side), 1, 1e-14);
  const Displacements f = body.forces(u);
  for (std::size_t i = 0; i < f.size(); ++i)
    if (inside(straight.node[i])) {
      EXPECT_LT(norm(f[i]), 1e-14);
    }
  // On the face x = side the stress pulls with sigma_xx, sigma_xy, sigma_xz a unit area.
  Vec3 pull;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const Vec3 r = straight.node[i];
    if (r.x == side && r.y > 0 && r.y < side && r.z > 0 && r.z < side) pull = pull + f[i];
  }
  const double inner_area = (side - 1.0) * (side - 1.0);  // of nodes not on an edge
  EXPECT_NEAR(pull.x / inner_area,
              2 * steel_like.mu * e[0][0] + steel_like.lambda * trace, 1e-13);
  EXPECT_NEAR(pull.y / inner_area, 2 * steel_like.mu * e[0][1], 1e-13);
  EXPECT_NEAR(pull.z / inner_area, 2 * steel_like.mu * e[0][2], 1e-13);
}

TEST(Assembly, IsSymmetricToTheBit) {
  const Assembled body(shaken_cube(4));
  EXPECT_TRUE(is_symmetric(to_csr(body.connectivity.pattern, body.value)));
}

TEST(Assembly, RowsAndOrderAgreeToTheBitOnAnyThreads) {
  // Nodes enough for several chunks of rows.
  const Assembled body(shuffled(shaken_cube(15)));
  std::vector<double> value(body.value.size(), 7.0);
  assemble_in_order(body.body, body.connectivity, value);
  EXPECT_EQ(value, body.value);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(3);
  std::fill(value.begin(), value.end(), NAN);
  assemble_rows(body.body, body.connectivity, 0, body.body.mesh.nodes(), value);
  omp_set_num_threads(threads);
  EXPECT_EQ(value, body.value);
}

TEST(Assembly, SomeRowsAreThoseOfTheWhole) {
  const Assembled body(shaken_cube(4));
  const auto& row_ptr = body.connectivity.pattern.row_ptr;
  std::vector<double> value(9 * (row_ptr[90] - row_ptr[31]), NAN);
  assemble_rows(body.body, body.connectivity, 31, 90, value);
  EXPECT_TRUE(
      std::equal(value.begin(), value.end(),
                 body.value.begin() + static_cast<std::ptrdiff_t>(9 * row_ptr[31])));
}

TEST(Assembly, ColoursGiveTheSameMatrix) {
  const Assembled body(shuffled(shaken_cube(6)));
  const auto& [mesh, material] = body.body;
  for (const std::size_t colours : {1u, 8u, 50u}) {
    const Colouring colouring = colour_elements(mesh, body.connectivity.at_node, colours);
    std::vector<double> value = zeros(body.connectivity.pattern);
    add_colours(body.body, body.connectivity, colouring, 0, colouring.colours(), value);
    // Sums of eight terms below 1 in another order.
    for (std::size_t i = 0; i < value.size(); ++i)
      ASSERT_NEAR(value[i], body.value[i], 4e-15);
  }
}

TEST(Colouring, ElementsOfAColourShareNoNodeAndColoursAreCapped) {
  const HexahedralMesh cube = cube_mesh(8), mixed = shuffled(cube_mesh(8));
  for (const HexahedralMesh* mesh : {&cube, &mixed})
    for (const std::size_t colours : {1u, 8u, 20u, 512u}) {
      const Colouring colouring = colour_elements(*mesh, node_elements(*mesh), colours);
      ASSERT_GE(colouring.colours(), std::max<std::size_t>(8, colours));
      std::set<std::uint32_t> coloured(colouring.element.begin(),
                                       colouring.element.end());
      EXPECT_EQ(coloured.size(), 512u);
      for (std::size_t c = 0; c < colouring.colours(); ++c) {
        std::set<std::uint32_t> nodes;
        const std::size_t size = colouring.first[c + 1] - colouring.first[c];
        EXPECT_LE(size, (512 + colours - 1) / colours);
        for (std::size_t k = colouring.first[c]; k < colouring.first[c + 1]; ++k)
          for (const std::uint32_t node : mesh->element[colouring.element[k]])
            EXPECT_TRUE(nodes.insert(node).second);
      }
    }
  // In order of its elements a cube needs no more than its corners do.
  EXPECT_EQ(colour_elements(cube, node_elements(cube), 8).colours(), 8u);
}

TEST(Assembly, HeldNodesKeepTheirPlaces) {
  Assembled body(cube_mesh(2));
  std::vector<char> held(27, 0);
  std::fill_n(held.begin(), 9, 1);
  hold_nodes(body.connectivity.pattern, held, body.value);
  const Csr<double> matrix = to_csr(body.connectivity.pattern, body.value);
  EXPECT_EQ(matrix.entries(), 9u * 7 * 7 * 7);  // (3 side + 1)^3 blocks
  EXPECT_TRUE(is_symmetric(matrix));
  for (std::size_t i = 0; i < 81; ++i)
    for (std::int64_t k = matrix.row_ptr[i]; k < matrix.row_ptr[i + 1]; ++k)
      if (i < 27 || matrix.column[k] < 27) {
        EXPECT_EQ(matrix.value[k], i == matrix.column[k] ? 1 : 0);
      }
}

}  // namespace
}  // namespace thinwire
