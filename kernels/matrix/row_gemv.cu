#include "kernels/matrix/row_gemv.h"

#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"

namespace thinwire {
namespace {

/// One thread, one row.
///
///     normal                              transposed
///     thread 0  a00 a01 a02 ...           thread 0  a00
///     thread 1  a10 a11 a12 ...                     a10 ...   threads read a row of
///     thread 2  a20 a21 a22 ...                     a20       the matrix: `leading`
///               |                                             entries apart
///               at each step the threads of a warp read one column, side by side
__global__ void row_gemv_kernel(std::size_t n, std::size_t row_step,
                                std::size_t column_step, const double2* a,
                                const double2* x, double2* y) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double2* entry = a + i * row_step;
  double2 sum = {0, 0};
  for (std::size_t j = 0; j < n; ++j, entry += column_step)
    add_product(sum, *entry, x[j]);
  y[i] = sum;
}

}  // namespace

void device_row_gemv(const RowGemv& shape, const Complex* a, const Complex* x, Complex* y,
                     const DeviceStream& stream) {
  if (shape.threads < 1 || shape.threads > 1024)
    throw Error(ErrorKind::usage, "row product: threads a block must be 1 .. 1024 (got " +
                                      std::to_string(shape.threads) + ").");
  const auto threads = static_cast<unsigned>(shape.threads);
  const auto blocks = static_cast<unsigned>((shape.n + threads - 1) / threads);
  row_gemv_kernel<<<blocks, threads, 0, stream.get()>>>(
      shape.n, shape.transposed ? shape.leading : 1, shape.transposed ? 1 : shape.leading,
      parts(a), parts(x), parts(y));
  check_launch("one thread a row");
}

}  // namespace thinwire
