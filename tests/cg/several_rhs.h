#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tests/cg/dense_system.h"

namespace thinwire::testing {

/// Right-hand sides that end at different iterations: each starts nearer to its solution
/// than the one before; the second is zero.
struct SeveralRhs {
  SeveralRhs(const DenseOperator& z, std::size_t count) : n(z.size()), v(n * count) {
    for (std::size_t s = 0; s < count; ++s) {
      if (s == 1) {
        start.resize(2 * n, 1);
        continue;
      }
      const std::vector<Complex> own = random_vector(n, 30 + static_cast<unsigned>(s));
      std::copy(own.begin(), own.end(), v.begin() + s * n);
      std::vector<Complex> near = testing::lapack_solution(z, own);
      for (Complex& value : near) value *= 1 - std::pow(0.1, static_cast<double>(s));
      start.insert(start.end(), near.begin(), near.end());
    }
  }
  std::span<const Complex> own(std::size_t s) const { return part(v, s); }
  std::span<const Complex> part(const std::vector<Complex>& all, std::size_t s) const {
    return std::span(all).subspan(s * n, n);
  }
  std::size_t n;
  std::vector<Complex> v, start;  // [sides][n]
};

}  // namespace thinwire::testing
