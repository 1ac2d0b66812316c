#include "cg/precondition/node_blocks.h"

#include <gtest/gtest.h>

#include "cg/block_crs_operator.h"
#include "cg/krylov/solver.h"
#include "kernels/assembly/assembly.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

struct HeldCube {
  HexahedralMesh mesh;
  BlockPattern<> pattern;
  std::vector<double> value;
  std::vector<Complex> pull;

  HeldCube(std::size_t side, Elasticity material) : mesh(cube_mesh(side)) {
    const Connectivity connectivity = connect(mesh);
    pattern = connectivity.pattern;
    value.resize(block_values * pattern.blocks());
    assemble_rows({mesh, material}, connectivity, 0, mesh.nodes(), value);
    hold_nodes(pattern, held_at_bottom(mesh), value);
    for (const Vec3 f : pull_on_top(mesh, static_cast<double>(side)))
      pull.insert(pull.end(), {f.x, f.y, f.z});
  }
  BlockMatrixView view() const {
    return {pattern.rows(), pattern.row_ptr.data(), pattern.column.data(), value.data()};
  }
};

TEST(NodeBlocks, SolveTheDiagonalBlocks) {
  const std::vector<std::int64_t> row_ptr = {0, 2, 3};
  const std::vector<std::uint32_t> column = {0, 1, 1};
  // The first and the last are the diagonal's: symmetric and positive definite.
  const std::vector<double> value = {4, 1, 2, 1, 5, 3, 2, 3, 6,  //
                                     9, 9, 9, 9, 9, 9, 9, 9, 9,  //
                                     2, 0, 1, 0, 3, 0, 1, 0, 4};
  const BlockMatrixView matrix = {2, row_ptr.data(), column.data(), value.data()};
  // Blocks times (1, 2, 3) and (1j, 1, -1).
  const std::vector<Complex> r = {12, 20, 26, {-1, 2}, 3, {-4, 1}};
  const std::vector<Complex> expected = {1, 2, 3, {0, 1}, 1, -1};
  std::vector<Complex> z(6);
  const NodeBlockPreconditioner m(matrix);
  m.apply(r, z);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_LT(std::abs(z[i] - expected[i]), 1e-15);
}

TEST(NodeBlocks, ARowWithoutADiagonalBlockIsNamed) {
  const std::vector<std::int64_t> row_ptr = {0, 1, 2};
  const std::vector<std::uint32_t> column = {0, 0};
  const std::vector<double> value = {1, 0, 0, 0, 1, 0, 0, 0, 1,
                                     1, 0, 0, 0, 1, 0, 0, 0, 1};
  try {
    NodeBlockPreconditioner m({2, row_ptr.data(), column.data(), value.data()});
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("block-diagonal LU: row 2"));
  }
}

// Without Poisson's ratio a column pulled with 1 a unit area is strained by 1 / E, held
// bottom or not.
TEST(NodeBlocks, ConjugateGradientsFindTheStrainOfAColumn) {
  const HeldCube cube(5, isotropic(2, 0));
  const BlockCrsOperator k(cube.view());
  const NodeBlockPreconditioner m(cube.view());
  std::vector<Complex> u(k.size());
  SolverControl control;
  control.tolerance = 1e-12;
  const SolveResult result = solve(Recurrence::cocg, k, &m, cube.pull, u, control);
  EXPECT_EQ(result.status, SolveStatus::converged);
  for (std::size_t i = 0; i < cube.mesh.nodes(); ++i) {
    EXPECT_LT(std::abs(u[3 * i]), 1e-10);
    EXPECT_LT(std::abs(u[3 * i + 1]), 1e-10);
    EXPECT_LT(std::abs(u[3 * i + 2] - 0.5 * cube.mesh.node[i].z), 1e-10);
  }
}

}  // namespace
}  // namespace thinwire
