#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>

#include "cg/direct/block_ldlt.h"
#include "cg/linear_operator.h"

namespace thinwire::testing {

/// The arithmetic in complex double, by plain loops.
struct PlainExecutor {
  std::size_t base;

  /// Gauss-Jordan without pivots; reads the lower triangle.
  void invert_base(Block<Complex> a, std::size_t) const {
    const auto at = [&](std::size_t i, std::size_t j) -> Complex& {
      return a.first[i + j * a.leading];
    };
    for (std::size_t j = 0; j < base; ++j)
      for (std::size_t i = 0; i < j; ++i) at(i, j) = at(j, i);
    for (std::size_t k = 0; k < base; ++k) {
      const Complex pivot = 1.0 / at(k, k);
      at(k, k) = 1;
      for (std::size_t j = 0; j < base; ++j) at(k, j) *= pivot;
      for (std::size_t i = 0; i < base; ++i) {
        if (i == k) continue;
        const Complex factor = at(i, k);
        at(i, k) = 0;
        for (std::size_t j = 0; j < base; ++j) at(i, j) -= factor * at(k, j);
      }
    }
  }
  void copy(std::size_t rows, std::size_t columns, Block<Complex> a,
            Block<Complex> to) const {
    for (std::size_t j = 0; j < columns; ++j)
      std::copy_n(a.at(0, j).first, rows, to.at(0, j).first);
  }
  void transpose(std::size_t rows, std::size_t columns, Block<Complex> a,
                 Block<Complex> to) const {
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t i = 0; i < rows; ++i) *to.at(j, i).first = *a.at(i, j).first;
  }
  void multiply(const Product& p, Block<Complex> a, Block<Complex> b,
                Block<Complex> c) const {
    for (std::size_t j = 0; j < p.columns; ++j)
      for (std::size_t i = 0; i < p.rows; ++i) {
        Complex sum = 0;
        for (std::size_t k = 0; k < p.depth; ++k)
          sum += *(p.transposed_a ? a.at(k, i) : a.at(i, k)).first *
                 *(p.transposed_b ? b.at(j, k) : b.at(k, j)).first;
        Complex& entry = *c.at(i, j).first;
        // As in BLAS, nothing of c is used where beta is zero.
        entry = p.alpha * sum + (p.beta == 0 ? Complex(0) : p.beta * entry);
      }
  }
};

}  // namespace thinwire::testing
