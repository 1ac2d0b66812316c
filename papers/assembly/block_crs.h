#pragma once

#include <span>

#include "kernels/spmv/csr.h"
#include "papers/assembly/hexahedral_mesh.h"

namespace thinwire {

/// A matrix of 3 x 3 blocks on the CPU, or with all arrays on a GPU.
struct BlockMatrixView {
  std::size_t rows;  ///< of blocks
  const std::int64_t* row_ptr;
  const std::uint32_t* column;
  const double* value;  ///< [blocks][9]
};

/// Where the blocks of a matrix of 3 x 3 blocks are: those of row i at row_ptr[i] ..
/// row_ptr[i + 1] - 1, their columns rising. Diagonal, upper and lower blocks stand
/// together in one CRS: a row is then one stretch of memory, which a gather writes and a
/// product reads in one go; kept apart (Ohshima et al. 2011) they are three.
struct BlockPattern {
  std::vector<std::int64_t> row_ptr;  ///< [rows + 1]
  std::vector<std::uint32_t> column;

  std::size_t rows() const { return row_ptr.size() - 1; }
  std::size_t blocks() const { return column.size(); }
  /// With values [blocks][9].
  BlockMatrixView view(const double* value) const {
    return {rows(), row_ptr.data(), column.data(), value};
  }
};

/// Doubles of a block, row by row.
inline constexpr std::size_t block_values = 9;

/// Index among the n rising columns at `column` of `wanted`, which must be among them.
THINWIRE_HD inline std::uint32_t block_place(const std::uint32_t* column, std::uint32_t n,
                                             std::uint32_t wanted) {
  std::uint32_t first = 0;
  while (n > 1) {
    const std::uint32_t half = n / 2;
    if (column[first + half] <= wanted) first += half;
    n -= half;
  }
  return first;
}

/// A block for each two nodes that share an element.
BlockPattern node_pattern(const HexahedralMesh& mesh, const NodeElements& at_node);

/// Connectivity of a mesh, made once for all positions of its nodes.
struct Connectivity {
  NodeElements at_node;
  BlockPattern pattern;
};
Connectivity connect(const HexahedralMesh& mesh);

/// Blocks of the longest row.
std::size_t longest_row(const BlockPattern& pattern);

/// Makes rows and columns of the nodes that are held those of the unit matrix; they keep
/// their places. held: [rows], value: [blocks][9].
void hold_nodes(const BlockPattern& pattern, const std::vector<char>& held,
                std::span<double> value);

/// Returns the matrix by its entries.
Csr<double> to_csr(const BlockPattern& pattern, std::span<const double> value);

}  // namespace thinwire
