#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/device/sums.cuh"
#include "tests/cg/low_rank_operator.h"

namespace thinwire::testing {
namespace {

using namespace device;

/// dots_k = u_k^T x, a block for each k.
__global__ void project(const double2* u, const double2* x, std::size_t n,
                        double2* dots) {
  double sum[2] = {};
  for (std::size_t i = threadIdx.x; i < n; i += pass_threads) {
    const double2 product = u[blockIdx.x * n + i] * x[i];
    sum[0] += product.x;
    sum[1] += product.y;
  }
  block_sum<2, pass_threads>(sum);
  if (threadIdx.x == 0) dots[blockIdx.x] = {sum[0], sum[1]};
}

/// y = diagonal x + sum_k dots_k u_k, a thread for each unknown.
__global__ void combine(const double2* diagonal, const double2* u, const double2* dots,
                        std::size_t rank, const double2* x, double2* y, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (i >= n) return;
  double2 sum = diagonal[i] * x[i];
  for (std::size_t k = 0; k < rank; ++k) add_product(sum, dots[k], u[k * n + i]);
  y[i] = sum;
}

__global__ void divide(const double2* r, const double2* diagonal, double2* z,
                       std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (i < n) z[i] = r[i] / diagonal[i];
}

}  // namespace

void DeviceLowRankOperator::multiply(const Complex* x, Complex* y, int sides,
                                     const DeviceStream& stream) const {
  for (int side = 0; side < sides; ++side) {
    const double2* from = thinwire::parts(x + side * padded());
    project<<<static_cast<unsigned>(rank_), pass_threads, 0, stream.get()>>>(
        thinwire::parts(u_.data()), from, n_, thinwire::parts(dots_.data()));
    check_launch("test operator, dot products");
    combine<<<pass_blocks(n_), pass_threads, 0, stream.get()>>>(
        thinwire::parts(diagonal_.data()), thinwire::parts(u_.data()),
        thinwire::parts(dots_.data()), rank_, from, thinwire::parts(y + side * padded()),
        n_);
    check_launch("test operator, sums");
  }
}

void DeviceDiagonalPreconditioner::multiply(const Complex* r, Complex* z,
                                            const DeviceStream& stream) const {
  divide<<<pass_blocks(size()), pass_threads, 0, stream.get()>>>(
      thinwire::parts(r), thinwire::parts(diagonal_.data()), thinwire::parts(z), size());
  check_launch("test preconditioner");
}

}  // namespace thinwire::testing
