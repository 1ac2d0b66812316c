#pragma once

#include <cmath>
#include <vector>

#include "kernels/spmv/csr.h"
#include "tests/cg/dense_system.h"

namespace thinwire::testing {

/// `coarse` columns, each over the rows of a stretch, neighbours sharing some.
inline Csr<double> hats(std::size_t n, std::size_t coarse) {
  Csr<double> p{n, coarse, {0}, {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::uint32_t c = 0; c < coarse; ++c) {
      const double at = static_cast<double>(i * coarse) / static_cast<double>(n),
                   value = 1 - std::abs(at - c - 0.5);
      if (value <= 0) continue;
      p.column.push_back(c);
      p.value.push_back(value);
    }
    p.row_ptr.push_back(static_cast<std::int64_t>(p.column.size()));
  }
  return p;
}

inline std::vector<Complex> galerkin(const DenseOperator& z, const Csr<double>& p) {
  std::vector<Complex> coarse(p.columns * p.columns);
  const auto for_row = [&p](std::size_t row, const auto& use) {
    for (std::int64_t k = p.row_ptr[row]; k < p.row_ptr[row + 1]; ++k)
      use(p.column[k], p.value[k]);
  };
  for (std::size_t i = 0; i < p.rows; ++i)
    for (std::size_t j = 0; j < p.rows; ++j)
      for_row(i, [&](std::uint32_t a, double of_a) {
        for_row(j, [&](std::uint32_t b, double of_b) {
          coarse[a + b * p.columns] += of_a * of_b * z.at(i, j);
        });
      });
  return coarse;
}

}  // namespace thinwire::testing
