#include "kernels/matrix/row_gemv.h"

#include <cstdint>

namespace thinwire {

void row_gemv(const RowGemv& shape, std::span<const Complex> a,
              std::span<const Complex> x, std::span<Complex> y) {
  const std::size_t row_step = shape.transposed ? shape.leading : 1,
                    column_step = shape.transposed ? 1 : shape.leading;
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(shape.n); ++row) {
    const Complex* entry = a.data() + static_cast<std::size_t>(row) * row_step;
    double re = 0, im = 0;
    for (std::size_t j = 0; j < shape.n; ++j, entry += column_step) {
      re += entry->real() * x[j].real() - entry->imag() * x[j].imag();
      im += entry->real() * x[j].imag() + entry->imag() * x[j].real();
    }
    y[row] = {re, im};
  }
}

}  // namespace thinwire
