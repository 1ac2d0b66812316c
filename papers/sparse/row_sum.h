#pragma once

#include "papers/sparse/packed_rows.h"

namespace thinwire {

/// One row of A x, in each format: what one thread does on CPU and GPU. V: plain number
/// of the vectors. All in order of the columns, runs before single entries.

template <class A, class V>
THINWIRE_HD inline V row_sum(const CsrView<A>& matrix, std::size_t row, const V* x) {
  V sum{};
  const std::int64_t end = matrix.row_ptr[row + 1];
  for (std::int64_t k = matrix.row_ptr[row]; k < end; ++k)
    add_product(sum, read(matrix.value + k), read(x + read(matrix.column + k)));
  return sum;
}

template <class A, class V>
THINWIRE_HD inline V row_sum(const EllView<A>& matrix, std::size_t row, const V* x) {
  V sum{};
  const std::size_t length = matrix.length != nullptr ? matrix.length[row] : matrix.width;
  for (std::size_t k = 0, at = row; k < length; ++k, at += matrix.rows)
    add_product(sum, read(matrix.value + at), read(x + read(matrix.column + at)));
  return sum;
}

/// Algorithm 4 of the paper.
template <class A, class V>
THINWIRE_HD inline V row_sum(const RbpCsrView<A>& matrix, std::size_t row, const V* x) {
  V sum = {};
  const std::int64_t end = matrix.value_ptr[row + 1];
  std::int64_t q = matrix.column_ptr[row];
  for (std::int64_t v = matrix.value_ptr[row]; v < end; q += 2) {
    const std::uint32_t last = read(matrix.column + q + 1);
    for (std::uint32_t column = read(matrix.column + q); column <= last; ++column, ++v)
      add_product(sum, read(matrix.value + v), read(x + column));
  }
  const V singles = row_sum(matrix.singles, row, x);
  return sum + singles;
}

/// Algorithm 5: the row ends where its length says, its pairs are used up or a pair is
/// padding.
template <class A, class V>
THINWIRE_HD inline V row_sum(const RbpEllView<A>& matrix, std::size_t row, const V* x) {
  V sum{};
  const EllView<A>& runs = matrix.runs;
  const std::size_t length = runs.length != nullptr ? runs.length[row] : runs.width;
  std::size_t k = 0, value = row, pair = row;
  for (std::size_t c = 0; c < matrix.column_width && k < length; c += 2) {
    const std::uint32_t first = read(runs.column + pair),
                        last = read(runs.column + pair + runs.rows);
    if (first == last) break;
    for (std::uint32_t column = first; column <= last; ++column, ++k) {
      add_product(sum, read(runs.value + value), read(x + column));
      value += runs.rows;
    }
    pair += 2 * runs.rows;
  }
  const V singles = row_sum(matrix.singles, row, x);
  return sum + singles;
}

}  // namespace thinwire
