#include "kernels/spmv/csr.h"

#include <complex>

namespace thinwire {

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
