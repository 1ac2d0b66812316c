#include "papers/assembly/block_product.h"

namespace thinwire {

void multiply_blocks(const BlockMatrixView& matrix,
                     std::span<const std::complex<double>> x,
                     std::span<std::complex<double>> y) {
#pragma omp parallel for
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    std::complex<double> sum[3] = {};
    for (std::int64_t k = matrix.row_ptr[row]; k < matrix.row_ptr[row + 1]; ++k) {
      const double* block = matrix.value + block_values * k;
      const std::complex<double>* at = x.data() + 3 * std::size_t{matrix.column[k]};
      for (std::size_t i = 0; i < 3; ++i)
        sum[i] +=
            block[3 * i] * at[0] + block[3 * i + 1] * at[1] + block[3 * i + 2] * at[2];
    }
    for (std::size_t i = 0; i < 3; ++i) y[3 * row + i] = sum[i];
  }
}

}  // namespace thinwire
