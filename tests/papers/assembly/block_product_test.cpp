#include "papers/assembly/block_product.h"

#include <gtest/gtest.h>

#include "papers/assembly/assembly.h"
#include "papers/sparse/sparse_bench.h"
#include "papers/sparse/sparse_product.h"
#include "tests/papers/assembly/body.h"

namespace thinwire {
namespace {

using namespace testing;

TEST(BlockProduct, IsThatOfTheEntries) {
  const HexahedralMesh mesh = shaken_cube(4);
  const Connectivity connectivity = connect(mesh);
  const BlockPattern& pattern = connectivity.pattern;
  std::vector<double> value = zeros(pattern);
  assemble_rows({mesh, steel_like}, connectivity, 0, mesh.nodes(), value);
  const auto x = sparse_vector<std::complex<double>>(3 * mesh.nodes());
  std::vector<std::complex<double>> y(x.size()), expected(x.size());
  multiply_blocks(
      {pattern.rows(), pattern.row_ptr.data(), pattern.column.data(), value.data()}, x,
      y);
  make_sparse_product<double, std::complex<double>>(sparse_method_named("csr"),
                                                    to_csr(pattern, value))
      ->multiply(1, x, 0, expected);
  // Sums of 81 terms below 1.
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_LT(std::abs(y[i] - expected[i]), 1e-14);
}

TEST(HexahedralMesh, APullOnTopIsOneAUnitArea) {
  const HexahedralMesh mesh = cube_mesh(3);
  const std::vector<Vec3> force = pull_on_top(mesh, 3);
  double sum = 0;
  for (std::size_t i = 0; i < mesh.nodes(); ++i) {
    const Vec3 r = mesh.node[i];
    const auto part = [](double t) { return t == 0 || t == 3 ? 0.5 : 1.0; };
    EXPECT_EQ(force[i], (Vec3{0, 0, r.z == 3 ? part(r.x) * part(r.y) : 0}));
    sum += force[i].z;
  }
  EXPECT_EQ(sum, 9);
}

}  // namespace
}  // namespace thinwire
