#include "papers/assembly/block_crs.h"

#include <algorithm>
#include <numeric>

namespace thinwire {
namespace {

/// The nodes that share an element with `node`, itself included, rising.
void neighbours(const HexahedralMesh& mesh, const NodeElements& at_node, std::size_t node,
                std::vector<std::uint32_t>& result) {
  result.clear();
  for (std::int64_t k = at_node.first[node]; k < at_node.first[node + 1]; ++k) {
    const auto& corners = mesh.element[at_node.place[k] / 8];
    result.insert(result.end(), corners.begin(), corners.end());
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
}

}  // namespace

BlockPattern node_pattern(const HexahedralMesh& mesh, const NodeElements& at_node) {
  BlockPattern pattern;
  pattern.row_ptr.assign(mesh.nodes() + 1, 0);
#pragma omp parallel
  {
    std::vector<std::uint32_t> row;
#pragma omp for
    for (std::size_t node = 0; node < mesh.nodes(); ++node) {
      neighbours(mesh, at_node, node, row);
      pattern.row_ptr[node + 1] = static_cast<std::int64_t>(row.size());
    }
#pragma omp single
    {
      std::partial_sum(pattern.row_ptr.begin(), pattern.row_ptr.end(),
                       pattern.row_ptr.begin());
      pattern.column.resize(pattern.row_ptr.back());
    }
#pragma omp for
    for (std::size_t node = 0; node < mesh.nodes(); ++node) {
      neighbours(mesh, at_node, node, row);
      std::copy(row.begin(), row.end(), pattern.column.begin() + pattern.row_ptr[node]);
    }
  }
  return pattern;
}

Connectivity connect(const HexahedralMesh& mesh) {
  Connectivity connectivity{node_elements(mesh), {}};
  connectivity.pattern = node_pattern(mesh, connectivity.at_node);
  return connectivity;
}

std::size_t longest_row(const BlockPattern& pattern) {
  std::int64_t longest = 0;
  for (std::size_t row = 0; row < pattern.rows(); ++row)
    longest = std::max(longest, pattern.row_ptr[row + 1] - pattern.row_ptr[row]);
  return static_cast<std::size_t>(longest);
}

void hold_nodes(const BlockPattern& pattern, const std::vector<char>& held,
                std::span<double> value) {
#pragma omp parallel for
  for (std::size_t row = 0; row < pattern.rows(); ++row)
    for (std::int64_t k = pattern.row_ptr[row]; k < pattern.row_ptr[row + 1]; ++k) {
      const std::size_t column = pattern.column[k];
      if (!held[row] && !held[column]) continue;
      for (std::size_t i = 0; i < block_values; ++i)
        value[block_values * k + i] = row == column && i % 4 == 0 ? 1 : 0;
    }
}

Csr<double> to_csr(const BlockPattern& pattern, std::span<const double> value) {
  Csr<double> matrix;
  matrix.rows = matrix.columns = 3 * pattern.rows();
  matrix.row_ptr.resize(matrix.rows + 1);
  matrix.column.resize(block_values * pattern.blocks());
  matrix.value.resize(block_values * pattern.blocks());
#pragma omp parallel for
  for (std::size_t row = 0; row < pattern.rows(); ++row) {
    const std::int64_t first = pattern.row_ptr[row], end = pattern.row_ptr[row + 1];
    std::int64_t to = block_values * first;
    for (std::size_t i = 0; i < 3; ++i) {
      matrix.row_ptr[3 * row + i] = to;
      for (std::int64_t k = first; k < end; ++k)
        for (std::uint32_t j = 0; j < 3; ++j, ++to) {
          matrix.column[to] = 3 * pattern.column[k] + j;
          matrix.value[to] = value[block_values * k + 3 * i + j];
        }
    }
  }
  matrix.row_ptr.back() = static_cast<std::int64_t>(matrix.value.size());
  return matrix;
}

}  // namespace thinwire
