#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/complex.h"

namespace thinwire {

/// A real symmetric sparse matrix: the entries on and below the diagonal, by rows,
/// columns rising.
struct HalfSparse {
  std::vector<std::uint64_t> row = {0};  ///< [rows + 1]
  std::vector<std::uint32_t> column;
  std::vector<double> value;

  std::size_t rows() const { return row.size() - 1; }
  std::size_t bytes() const {
    return row.size() * sizeof(row[0]) + column.size() * sizeof(column[0]) +
           value.size() * sizeof(value[0]);
  }
};

/// y += factor A x: the same bits with any number of threads. x, y: [rows], may not
/// alias.
void add_product(const HalfSparse& a, Complex factor, std::span<const Complex> x,
                 std::span<Complex> y);

}  // namespace thinwire
