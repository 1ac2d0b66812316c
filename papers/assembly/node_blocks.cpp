#include "papers/assembly/node_blocks.h"

#include <string>

#include "kernels/base/error.h"

namespace thinwire {

void throw_no_node_block(std::size_t row) {
  throw Error(ErrorKind::numeric,
              "block-diagonal LU: row " + std::to_string(row + 1) +
                  " of blocks has no positive definite diagonal block (a node without "
                  "elements, or a material that is none). Check the mesh.");
}

NodeBlockPreconditioner::NodeBlockPreconditioner(const BlockMatrixView& matrix)
    : factors_(block_values * matrix.rows) {
  for (std::size_t row = 0; row < matrix.rows; ++row)
    if (!factor_node_block(matrix, row, &factors_[block_values * row]))
      throw_no_node_block(row);
}

void NodeBlockPreconditioner::apply(std::span<const Complex> r,
                                    std::span<Complex> z) const {
#pragma omp parallel for
  for (std::size_t row = 0; row < factors_.size() / block_values; ++row) {
    const Complex of_node[3] = {r[3 * row], r[3 * row + 1], r[3 * row + 2]};
    Complex solved[3];
    solve_node_block(&factors_[block_values * row], of_node, solved);
    for (std::size_t i = 0; i < 3; ++i) z[3 * row + i] = solved[i];
  }
}

}  // namespace thinwire
