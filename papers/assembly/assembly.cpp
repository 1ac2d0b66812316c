#include "papers/assembly/assembly.h"

#include <omp.h>

#include <algorithm>

#include "kernels/base/simd_clones.h"

namespace thinwire {
namespace {

/// Rows that a thread takes at a time, at most: it makes the gradients of the elements at
/// them once. Of a cube's inner rows in chunks of 2,000, two for each row instead of
/// eight.
constexpr std::size_t max_chunk_rows = 2048;

/// Returns a chunk of rows small enough for every thread to get some.
std::size_t rows_of_chunk(std::size_t rows) {
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  return std::clamp<std::size_t>(rows / (4 * threads), 32, max_chunk_rows);
}

/// Blocks of corner a with all corners b, [i][j][b].
struct StiffnessRow {
  double at[3][3][8];
};

THINWIRE_SIMD_CLONES
void integrate(const ElementGradients& gradients, std::size_t a, Elasticity material,
               StiffnessRow& row) {
  double p[3][3][8] = {};
  for (std::size_t point = 0; point < 8; ++point)
    for (std::size_t i = 0; i < 3; ++i) {
      const double of_a = gradients.at[point][i][a];
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t b = 0; b < 8; ++b)
          p[i][j][b] += of_a * gradients.at[point][j][b];
    }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t b = 0; b < 8; ++b) {
        const double trace = p[0][0][b] + p[1][1][b] + p[2][2][b];
        row.at[i][j][b] =
            stiffness(material, p[i][j][b], p[j][i][b], i == j ? trace : 0.0);
      }
}

ElementGradients gradients_of(const HexahedralMesh& mesh, std::size_t element) {
  Vec3 corner[8];
  for (std::size_t c = 0; c < 8; ++c) corner[c] = mesh.node[mesh.element[element][c]];
  return element_gradients(corner);
}

/// Adds to the blocks of one node; columns, value: of its row.
void add_row(const StiffnessRow& row, const std::array<std::uint32_t, 8>& corners,
             std::span<const std::uint32_t> columns, double* value) {
  const auto n = static_cast<std::uint32_t>(columns.size());
  for (std::size_t b = 0; b < 8; ++b) {
    double* block = value + block_values * block_place(columns.data(), n, corners[b]);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) block[3 * i + j] += row.at[i][j][b];
  }
}

std::span<const std::uint32_t> columns_of(const BlockPattern& pattern, std::size_t row) {
  return {pattern.column.data() + pattern.row_ptr[row],
          pattern.column.data() + pattern.row_ptr[row + 1]};
}

void add_element(const ElasticBody& body, const BlockPattern& pattern,
                 std::size_t element, double* value) {
  const ElementGradients gradients = gradients_of(body.mesh, element);
  const auto& corners = body.mesh.element[element];
  StiffnessRow row;
  for (std::size_t a = 0; a < 8; ++a) {
    integrate(gradients, a, body.material, row);
    add_row(row, corners, columns_of(pattern, corners[a]),
            value + block_values * pattern.row_ptr[corners[a]]);
  }
}

/// Some rows, on one thread. value: of the first of them.
class Chunk {
 public:
  void assemble(const ElasticBody& body, const Connectivity& connectivity,
                std::size_t first, std::size_t last, double* value) {
    const auto& [at_node, pattern] = connectivity;
    make_gradients(body.mesh, at_node, first, last);
    const std::int64_t first_block = pattern.row_ptr[first];
    std::fill_n(value, block_values * (pattern.row_ptr[last] - first_block), 0.0);
    StiffnessRow row;
    for (std::size_t node = first; node < last; ++node)
      for (std::int64_t k = at_node.first[node]; k < at_node.first[node + 1]; ++k) {
        const std::uint32_t element = at_node.place[k] / 8, a = at_node.place[k] % 8;
        integrate(gradients_[number(element)], a, body.material, row);
        add_row(row, body.mesh.element[element], columns_of(pattern, node),
                value + block_values * (pattern.row_ptr[node] - first_block));
      }
  }

 private:
  void make_gradients(const HexahedralMesh& mesh, const NodeElements& at_node,
                      std::size_t first, std::size_t last) {
    elements_.clear();
    for (std::int64_t k = at_node.first[first]; k < at_node.first[last]; ++k)
      elements_.push_back(at_node.place[k] / 8);
    std::sort(elements_.begin(), elements_.end());
    elements_.erase(std::unique(elements_.begin(), elements_.end()), elements_.end());
    gradients_.clear();
    for (const std::uint32_t element : elements_)
      gradients_.push_back(gradients_of(mesh, element));
  }
  std::size_t number(std::uint32_t element) const {
    return static_cast<std::size_t>(
        std::lower_bound(elements_.begin(), elements_.end(), element) -
        elements_.begin());
  }

  std::vector<std::uint32_t> elements_;
  std::vector<ElementGradients> gradients_;
};

}  // namespace

LargeVector<double> zero_values(std::size_t count) {
  LargeVector<double> value(count);
  clear(value);
  return value;
}

void clear(std::span<double> value) {
#pragma omp parallel for
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = 0;
}

void assemble_rows(const ElasticBody& body, const Connectivity& connectivity,
                   std::size_t first, std::size_t last, std::span<double> value) {
  const BlockPattern& pattern = connectivity.pattern;
  const std::size_t chunk_rows = rows_of_chunk(last - first);
#pragma omp parallel
  {
    Chunk chunk;
#pragma omp for schedule(dynamic)
    for (std::size_t row = first; row < last; row += chunk_rows)
      chunk.assemble(
          body, connectivity, row, std::min(last, row + chunk_rows),
          value.data() + block_values * (pattern.row_ptr[row] - pattern.row_ptr[first]));
  }
}

void assemble_in_order(const ElasticBody& body, const Connectivity& connectivity,
                       std::span<double> value) {
  std::fill(value.begin(), value.end(), 0.0);
  for (std::size_t element = 0; element < body.mesh.elements(); ++element)
    add_element(body, connectivity.pattern, element, value.data());
}

void add_colours(const ElasticBody& body, const Connectivity& connectivity,
                 const Colouring& colouring, std::size_t first, std::size_t last,
                 std::span<double> value) {
  for (std::size_t colour = first; colour < last; ++colour)
#pragma omp parallel for
    for (std::size_t k = colouring.first[colour]; k < colouring.first[colour + 1]; ++k)
      add_element(body, connectivity.pattern, colouring.element[k], value.data());
}

}  // namespace thinwire
