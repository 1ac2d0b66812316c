#include "papers/assembly/node_blocks.h"

#include <gtest/gtest.h>

#include "tests/messages.h"

namespace thinwire {
namespace {

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
  EXPECT_TRUE(
      test::error_message([&] {
        NodeBlockPreconditioner m({2, row_ptr.data(), column.data(), value.data()});
      }).starts_with("block-diagonal LU: row 2"));
}

}  // namespace
}  // namespace thinwire
