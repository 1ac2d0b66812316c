#include "kernels/grid/half_sparse.h"

#include <algorithm>

namespace thinwire {

void add_product(const HalfSparse& a, Complex factor, std::span<const Complex> x,
                 std::span<Complex> y) {
  if (a.value.empty()) return;
  // Parts of rows with about as many entries each. A part sums what its rows, and their
  // mirror images as columns, give to y[low] .. y[last - 1] by itself; then every y takes
  // its sums from the parts in their order. The parts do not depend on the threads.
  constexpr std::size_t parts = 32;
  struct Part {
    std::size_t first, last, low;
    std::vector<Complex> sum;
  };
  Part part[parts];
  const std::size_t rows = a.rows();
  for (std::size_t p = 0; p < parts; ++p) {
    const auto row_at = [&](std::size_t share) {
      const std::uint64_t entry = a.value.size() * share / parts;
      return static_cast<std::size_t>(
          std::lower_bound(a.row.begin(), a.row.end() - 1, entry) - a.row.begin());
    };
    part[p].first = p == 0 ? 0 : row_at(p);
    part[p].last = p + 1 == parts ? rows : row_at(p + 1);
  }
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t p = 0; p < parts; ++p) {
    Part& mine = part[p];
    mine.low = mine.first;
    for (std::size_t i = mine.first; i < mine.last; ++i)
      if (a.row[i + 1] > a.row[i])
        mine.low = std::min<std::size_t>(mine.low, a.column[a.row[i]]);
    mine.sum.assign(mine.last - mine.low, 0.0);
    const auto sum = [&mine](std::size_t j) -> Complex& {
      return mine.sum[j - mine.low];
    };
    for (std::size_t i = mine.first; i < mine.last; ++i) {
      double re = 0, im = 0;
      const double x_re = x[i].real(), x_im = x[i].imag();
      for (std::uint64_t e = a.row[i]; e < a.row[i + 1]; ++e) {
        const std::size_t j = a.column[e];
        const double value = a.value[e];
        re += value * x[j].real();
        im += value * x[j].imag();
        if (j != i) sum(j) += Complex(value * x_re, value * x_im);
      }
      sum(i) += Complex(re, im);
    }
  }
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < rows; ++i) {
    Complex sum = 0;
    for (const Part& p : part)
      if (i >= p.low && i < p.last) sum += p.sum[i - p.low];
    y[i] += factor * sum;
  }
}

}  // namespace thinwire
