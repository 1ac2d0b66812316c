#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"
#include "papers/assembly/block_product.h"

namespace thinwire {
namespace {

using device::pass_blocks;
using device::pass_threads;

/// A warp a row, 27 lanes at work: lane 9 q + 3 i + j has entry (i, j) of every third
/// block from the q-th on, so that a warp reads 216 bytes in one stretch. Lanes of the
/// same i then add up, in fixed order.
__global__ void multiply_kernel(BlockMatrixView matrix, const double2* x, double2* y) {
  constexpr unsigned all = 0xffffffff;
  const std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (row >= matrix.rows) return;
  const int lane = threadIdx.x % 32, entry = lane % 9;
  double2 sum = {0, 0};
  if (lane < 27)
    for (std::int64_t k = matrix.row_ptr[row] + lane / 9; k < matrix.row_ptr[row + 1];
         k += 3) {
      const double a = matrix.value[block_values * k + entry];
      const double2 at = x[3 * std::size_t{matrix.column[k]} + entry % 3];
      sum.x += a * at.x;
      sum.y += a * at.y;
    }
  const auto add = [&](int step) {
    sum.x += __shfl_down_sync(all, sum.x, step);
    sum.y += __shfl_down_sync(all, sum.y, step);
  };
  // Sums over q: lanes 0 .. 8 get those of 9 .. 17, and of 18 .. 26.
  const double2 second = {__shfl_down_sync(all, sum.x, 18),
                          __shfl_down_sync(all, sum.y, 18)};
  add(9);
  sum.x += second.x;
  sum.y += second.y;
  // Sums over j: lanes 0, 3 and 6.
  const double2 third = {__shfl_down_sync(all, sum.x, 2),
                         __shfl_down_sync(all, sum.y, 2)};
  add(1);
  if (lane < 9 && entry % 3 == 0)
    y[3 * row + entry / 3] = {sum.x + third.x, sum.y + third.y};
}

__global__ void hold_kernel(BlockMatrixView matrix, const char* held, double* value) {
  const std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (row >= matrix.rows) return;
  const std::int64_t first = matrix.row_ptr[row];
  const std::int64_t entries = block_values * (matrix.row_ptr[row + 1] - first);
  for (std::int64_t e = threadIdx.x % 32; e < entries; e += 32) {
    const std::uint32_t column = matrix.column[first + e / 9];
    if (held[row] || held[column])
      value[block_values * first + e] = row == column && e % 9 % 4 == 0 ? 1 : 0;
  }
}

}  // namespace

void multiply_blocks(const BlockMatrixView& matrix, const std::complex<double>* x,
                     std::complex<double>* y, const DeviceStream& stream) {
  if (matrix.rows == 0) return;
  multiply_kernel<<<pass_blocks(32 * matrix.rows), pass_threads, 0, stream.get()>>>(
      matrix, reinterpret_cast<const double2*>(x), reinterpret_cast<double2*>(y));
  check_launch("multiply_kernel");
}

void hold_nodes(const BlockMatrixView& matrix, const char* held, double* value,
                const DeviceStream& stream) {
  if (matrix.rows == 0) return;
  hold_kernel<<<pass_blocks(32 * matrix.rows), pass_threads, 0, stream.get()>>>(
      matrix, held, value);
  check_launch("hold_kernel");
}

}  // namespace thinwire
