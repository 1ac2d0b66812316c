#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/spmv/number.h"

namespace thinwire {

/// Arrays of a sparse matrix: std::vector on the host, DeviceBuffer on a GPU, which agree
/// in data() and size().
template <class T>
using HostArray = std::vector<T>;

template <class Array>
std::size_t array_bytes(const Array& array) {
  return array.size() * sizeof(*array.data());
}

/// View of a matrix in compressed rows, for products.
template <class A>
struct CsrView {
  std::size_t rows;
  const std::int64_t* row_ptr;
  const std::uint32_t* column;
  const A* value;
};

/// Compressed sparse rows (CSR, CRS): the entries of row i are at row_ptr[i] ..
/// row_ptr[i + 1] - 1, their columns rising. row_ptr: [rows + 1].
template <class A, template <class> class Array = HostArray>
struct Csr {
  std::size_t rows = 0, columns = 0;
  Array<std::int64_t> row_ptr;
  Array<std::uint32_t> column;
  Array<A> value;

  std::size_t entries() const { return value.size(); }
  /// The columns and the values of a row, on the host.
  std::span<const std::uint32_t> columns_of(std::size_t row) const {
    return {column.data() + row_ptr[row], column.data() + row_ptr[row + 1]};
  }
  std::span<const A> values_of(std::size_t row) const {
    return {value.data() + row_ptr[row], value.data() + row_ptr[row + 1]};
  }
  std::size_t bytes() const {
    return array_bytes(row_ptr) + array_bytes(column) + array_bytes(value);
  }
  CsrView<Plain<A>> view() const {
    return {rows, row_ptr.data(), column.data(), plain(value.data())};
  }
};

/// Returns A^T.
Csr<double> transposed(const Csr<double>& matrix);

/// Whether A = A^T, to the bit.
template <class A>
bool is_symmetric(const Csr<A>& matrix);

}  // namespace thinwire
