#include "kernels/spmv/csr.h"

#include <complex>

namespace thinwire {

Csr<double> transposed(const Csr<double>& matrix) {
  Csr<double> of{matrix.columns, matrix.rows, {}, {}, {}};
  of.row_ptr.assign(of.rows + 1, 0);
  of.column.resize(matrix.entries());
  of.value.resize(matrix.entries());
  for (const std::uint32_t column : matrix.column) ++of.row_ptr[column + 1];
  for (std::size_t row = 0; row < of.rows; ++row) of.row_ptr[row + 1] += of.row_ptr[row];
  std::vector<std::int64_t> next(of.row_ptr.begin(), of.row_ptr.end() - 1);
  for (std::size_t row = 0; row < matrix.rows; ++row)
    for (std::int64_t k = matrix.row_ptr[row]; k < matrix.row_ptr[row + 1]; ++k) {
      const std::int64_t at = next[matrix.column[k]]++;
      of.column[at] = static_cast<std::uint32_t>(row);
      of.value[at] = matrix.value[k];
    }
  return of;
}

template <class A>
bool is_symmetric(const Csr<A>& matrix) {
  if (matrix.rows != matrix.columns) return false;
  // Row by row each entry must be the next one of its column's row.
  std::vector<std::int64_t> next(matrix.row_ptr.begin(), matrix.row_ptr.end() - 1);
  for (std::size_t row = 0; row < matrix.rows; ++row)
    for (std::int64_t k = matrix.row_ptr[row]; k < matrix.row_ptr[row + 1]; ++k) {
      const std::uint32_t column = matrix.column[k];
      const std::int64_t at = next[column]++;
      if (at >= matrix.row_ptr[column + 1] || matrix.column[at] != row ||
          matrix.value[at] != matrix.value[k])
        return false;
    }
  return true;
}

template bool is_symmetric(const Csr<double>&);
template bool is_symmetric(const Csr<float>&);
template bool is_symmetric(const Csr<std::complex<double>>&);
template bool is_symmetric(const Csr<std::complex<float>>&);

}  // namespace thinwire
