#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kernels/fill/elements_of_share.h"
#include "tests/kernels/element/test_mesh.h"

namespace thinwire {
namespace {

using testing::dipole_array;
using testing::every_feature;
using testing::TestMesh;

/// Rows of tiles that have functions of each element.
std::vector<std::vector<std::size_t>> rows_of_elements(const TestMesh& mesh) {
  std::vector<std::vector<std::size_t>> rows(mesh.elements.size());
  for (std::size_t f = 0; f < mesh.basis.size(); ++f)
    for (const int term : {0, 1})
      if (mesh.basis[f].sign[term] != 0)
        rows[mesh.basis[f].element[term]].push_back(f / PackedTiles::tile);
  return rows;
}

TEST(ElementsOfShare, NoneThatAPairOfItsTilesHasIsMissing) {
  for (const TestMesh& mesh : {every_feature(), dipole_array(3, 3, 21)}) {
    const auto rows = rows_of_elements(mesh);
    const std::size_t last = PackedTiles{mesh.basis.size()}.rows();
    for (std::size_t from = 0; from < last; ++from)
      for (std::size_t to = from + 1; to <= last; ++to) {
        const auto needed = elements_of_share(mesh.basis, mesh.elements.size(),
                                              TileShare::of_rows(from, to));
        for (std::size_t p = 0; p < rows.size(); ++p)
          for (std::size_t q = 0; q <= p; ++q)
            for (const std::size_t i : rows[p])
              for (const std::size_t j : rows[q])
                EXPECT_TRUE(needed[p] || std::max(i, j) < from || std::max(i, j) >= to)
                    << p << " " << q;
      }
  }
}

TEST(ElementsOfShare, AlongWiresFewAreOfTwoShares) {
  const TestMesh mesh = dipole_array(5, 5, 21);
  const std::size_t rows = PackedTiles{mesh.basis.size()}.rows();
  std::size_t needed = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto of_row = elements_of_share(mesh.basis, mesh.elements.size(),
                                          TileShare::of_rows(row, row + 1));
    needed += std::accumulate(of_row.begin(), of_row.end(), std::size_t{0});
  }
  EXPECT_GE(needed, mesh.elements.size());
  EXPECT_LE(needed, mesh.elements.size() + 2 * rows);
}

}  // namespace
}  // namespace thinwire
