#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "kernels/spmv/csr.h"

namespace thinwire::testing {

/// A random number of any of the types, parts in [-1, 1].
template <class T>
T random_number(std::mt19937_64& generator) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  if constexpr (NumberOf<T>::parts == 2) {
    const auto re = static_cast<RealOf<T>>(uniform(generator));
    return {re, static_cast<RealOf<T>>(uniform(generator))};
  } else {
    return static_cast<T>(uniform(generator));
  }
}

template <class T>
std::vector<T> random_vector(std::size_t n, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::vector<T> x(n);
  for (T& value : x) value = random_number<T>(generator);
  return x;
}

/// A matrix with these columns in its rows, values random.
template <class A>
Csr<A> with_columns(const std::vector<std::set<std::uint32_t>>& rows,
                    std::size_t columns) {
  Csr<A> matrix;
  matrix.rows = rows.size();
  matrix.columns = columns;
  matrix.row_ptr.push_back(0);
  std::mt19937_64 generator(11);
  for (const auto& row : rows) {
    for (const std::uint32_t column : row) {
      matrix.column.push_back(column);
      matrix.value.push_back(random_number<A>(generator));
    }
    matrix.row_ptr.push_back(static_cast<std::int64_t>(matrix.column.size()));
  }
  return matrix;
}

/// Whether row pointers and columns rise as they should.
template <class A>
bool is_sound(const Csr<A>& m) {
  bool sound = m.row_ptr.size() == m.rows + 1 && m.row_ptr.front() == 0 &&
               m.row_ptr.back() == static_cast<std::int64_t>(m.value.size()) &&
               m.column.size() == m.value.size();
  for (std::size_t row = 0; sound && row < m.rows; ++row)
    for (std::int64_t k = m.row_ptr[row]; k < m.row_ptr[row + 1]; ++k)
      sound = sound && m.column[k] < m.columns &&
              (k == m.row_ptr[row] || m.column[k - 1] < m.column[k]);
  return sound && std::is_sorted(m.row_ptr.begin(), m.row_ptr.end());
}

/// Rows of 0, 1, 31, 32, 33 and 300 entries, with runs, single entries and runs that end
/// with the row while the next row goes on in the column after.
template <class A>
Csr<A> uneven_matrix(std::size_t n = 700) {
  std::vector<std::set<std::uint32_t>> rows(n);
  std::mt19937_64 generator(5);
  const std::size_t lengths[] = {0, 1, 31, 32, 33, 2, 0, 300, 7};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t length = std::min(lengths[i % 9], n / 2);
    auto column = static_cast<std::uint32_t>(generator() % n);
    while (rows[i].size() < length) {
      rows[i].insert(column);
      column = generator() % 4 != 0 ? (column + 1) % static_cast<std::uint32_t>(n)
                                    : static_cast<std::uint32_t>(generator() % n);
    }
  }
  // Row 2 ends in column 41, row 3 starts in 42.
  if (n > 44) {
    rows[2] = {39, 40, 41};
    rows[3] = {42, 43, 44};
  }
  return with_columns<A>(rows, n);
}

/// Symmetric: n points on a line in groups, each row with runs of its neighbourhood and
/// some entries far away.
template <class A>
Csr<A> symmetric_matrix(std::size_t n) {
  std::vector<std::set<std::uint32_t>> rows(n);
  std::mt19937_64 generator(6);
  const auto add = [&](std::size_t i, std::size_t j) {
    rows[i].insert(static_cast<std::uint32_t>(j));
    rows[j].insert(static_cast<std::uint32_t>(i));
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 11 == 3) continue;  // a row that only others give entries to, or none
    const std::size_t first = i - std::min<std::size_t>(i, 5 + i % 37);
    for (std::size_t j = first; j <= i; ++j) add(i, j);
    for (int k = 0; k < 3; ++k) add(i, generator() % (i + 1));
  }
  Csr<A> matrix = with_columns<A>(rows, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::int64_t k = matrix.row_ptr[i]; k < matrix.row_ptr[i + 1]; ++k) {
      const std::uint32_t j = matrix.column[k];
      if (j >= i) continue;
      const auto row = matrix.column.begin() + matrix.row_ptr[j],
                 end = matrix.column.begin() + matrix.row_ptr[j + 1];
      matrix.value[k] =
          matrix.value[std::lower_bound(row, end, i) - matrix.column.begin()];
    }
  return matrix;
}

template <class T>
std::complex<long double> wide(T x) {
  return {static_cast<long double>(std::real(x)), static_cast<long double>(std::imag(x))};
}

/// alpha A x + beta y entry by entry in long double.
template <class A, class V>
std::vector<std::complex<long double>> exact_product(const Csr<A>& matrix, V alpha,
                                                     const std::vector<V>& x, V beta,
                                                     const std::vector<V>& y) {
  std::vector<std::complex<long double>> result(matrix.rows);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::int64_t k = matrix.row_ptr[i]; k < matrix.row_ptr[i + 1]; ++k)
      result[i] += wide(matrix.value[k]) * wide(x[matrix.column[k]]);
    result[i] *= wide(alpha);
    if (beta != V(0)) result[i] += wide(beta) * wide(y[i]);
  }
  return result;
}

/// Largest error of an entry, in epsilons of the type times the terms that it sums up,
/// which are of size one.
template <class A, class V>
double error_in_epsilons(const Csr<A>& matrix, const std::vector<V>& y,
                         const std::vector<std::complex<long double>>& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const auto terms = static_cast<double>(4 + matrix.row_ptr[i + 1] - matrix.row_ptr[i]);
    const double error = static_cast<double>(std::abs(wide(y[i]) - expected[i])) /
                         (terms * std::numeric_limits<RealOf<V>>::epsilon());
    largest = std::max(largest, std::isfinite(error) ? error : 1e300);
  }
  return largest;
}

}  // namespace thinwire::testing
