#include "kernels/spmv/csr.h"

#include <algorithm>
#include <complex>
#include <string>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorKind::numeric, "sparse matrix: its arrays contradict each other (" +
                                      why +
                                      "). Build row pointers and rising columns anew.");
}

}  // namespace

template <class A>
void check(const Csr<A>& matrix) {
  if (matrix.row_ptr.size() != matrix.rows + 1)
    refuse("row pointers must be rows + 1; got " + std::to_string(matrix.row_ptr.size()) +
           " for " + std::to_string(matrix.rows) + " rows");
  if (matrix.row_ptr.front() != 0 ||
      matrix.row_ptr.back() != static_cast<std::int64_t>(matrix.value.size()) ||
      matrix.column.size() != matrix.value.size())
    refuse("row pointers end at " + std::to_string(matrix.row_ptr.back()) + "; got " +
           std::to_string(matrix.column.size()) + " columns and " +
           std::to_string(matrix.value.size()) + " values");
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    if (matrix.row_ptr[row] > matrix.row_ptr[row + 1])
      refuse("the pointer of row " + std::to_string(row) + " is beyond the next");
    for (std::int64_t k = matrix.row_ptr[row]; k < matrix.row_ptr[row + 1]; ++k)
      if (matrix.column[k] >= matrix.columns ||
          (k > matrix.row_ptr[row] && matrix.column[k] <= matrix.column[k - 1]))
        refuse("columns of row " + std::to_string(row) + " must rise below " +
               std::to_string(matrix.columns) + "; got " +
               std::to_string(matrix.column[k]));
  }
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

template void check(const Csr<double>&);
template void check(const Csr<float>&);
template void check(const Csr<std::complex<double>>&);
template void check(const Csr<std::complex<float>>&);
template bool is_symmetric(const Csr<double>&);
template bool is_symmetric(const Csr<float>&);
template bool is_symmetric(const Csr<std::complex<double>>&);
template bool is_symmetric(const Csr<std::complex<float>>&);

}  // namespace thinwire
