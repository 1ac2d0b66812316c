#include "cg/precondition/device_two_level_schwarz.h"

#include <utility>

#include "cg/precondition/two_level_schwarz.h"
#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"

namespace thinwire {
namespace {

using namespace device;
constexpr const char* schwarz_purpose = "two-level Schwarz";

Csr<double, DeviceBuffer> on_device(const Csr<double>& matrix,
                                    const DeviceStream& stream) {
  return {matrix.rows, matrix.columns, uploaded(matrix.row_ptr, schwarz_purpose, stream),
          uploaded(matrix.column, schwarz_purpose, stream),
          uploaded(matrix.value, schwarz_purpose, stream)};
}

/// y = A x, so many threads of a warp for each row.
template <int lanes>
__global__ void multiply_rows(CsrView<double> a, const double2* x, double2* y) {
  const std::size_t row = (std::size_t{blockIdx.x} * pass_threads + threadIdx.x) / lanes;
  double2 sum = {0, 0};
  if (row < a.rows)
    for (std::int64_t k = a.row_ptr[row] + threadIdx.x % lanes; k < a.row_ptr[row + 1];
         k += lanes)
      sum = sum + a.value[k] * x[a.column[k]];
  for (int bit = lanes / 2; bit > 0; bit /= 2) {
    sum.x += __shfl_xor_sync(0xffffffffu, sum.x, bit);
    sum.y += __shfl_xor_sync(0xffffffffu, sum.y, bit);
  }
  if (row < a.rows && threadIdx.x % lanes == 0) y[row] = sum;
}

template <int lanes>
void launch_rows(const Csr<double, DeviceBuffer>& a, const Complex* x, Complex* y,
                 const DeviceStream& stream) {
  multiply_rows<lanes><<<pass_blocks(lanes * a.rows), pass_threads, 0, stream.get()>>>(
      a.view(), parts(x), parts(y));
  check_launch(schwarz_purpose);
}

/// y = r - y.
__global__ void subtract_from(const double2* r, std::size_t n, double2* y) {
  const std::size_t i = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (i < n) y[i] = r[i] - y[i];
}

/// z += y.
__global__ void add(const double2* y, std::size_t n, double2* z) {
  const std::size_t i = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (i < n) z[i] = z[i] + y[i];
}

}  // namespace

DeviceTwoLevelSchwarz::DeviceTwoLevelSchwarz(
    const DeviceOperator& z, std::unique_ptr<DeviceOverlapPreconditioner> blocks,
    const Csr<double>& prolongation, const Csr<double>& restriction,
    const DeviceTiles& coarse)
    : z_(&z),
      blocks_(std::move(blocks)),
      coarse_(coarse, products_for(coarse.layout().n)) {
  check_two_levels(z, *blocks_, prolongation, coarse.layout().n);
  const DeviceStream stream;
  prolongation_ = on_device(prolongation, stream);
  restriction_ = on_device(restriction, stream);
  moment_ = {prolongation.columns, schwarz_purpose};
  amplitude_ = {prolongation.columns, schwarz_purpose};
  y_ = {z.padded(), schwarz_purpose};
  residual_ = {z.padded(), schwarz_purpose};
  // The operator takes vectors that are zero beyond their size.
  y_.clear(stream);
  stream.synchronize();
}

void DeviceTwoLevelSchwarz::multiply(const Complex* r, Complex* z,
                                     const DeviceStream& stream) const {
  const unsigned passes = pass_blocks(size());
  launch_rows<32>(restriction_, r, moment_.data(), stream);
  coarse_.multiply(moment_.data(), amplitude_.data(), stream);
  launch_rows<4>(prolongation_, amplitude_.data(), y_.data(), stream);
  z_->multiply_roughly(y_.data(), residual_.data(), 1, stream);
  subtract_from<<<passes, pass_threads, 0, stream.get()>>>(parts(r), size(),
                                                           parts(residual_.data()));
  check_launch(schwarz_purpose);
  blocks_->multiply(residual_.data(), z, stream);
  add<<<passes, pass_threads, 0, stream.get()>>>(parts(y_.data()), size(), parts(z));
  check_launch(schwarz_purpose);
}

std::size_t DeviceTwoLevelSchwarz::bytes() const {
  return blocks_->bytes() + prolongation_.bytes() + restriction_.bytes() +
         coarse_.bytes() + moment_.bytes() + amplitude_.bytes() + y_.bytes() +
         residual_.bytes();
}

}  // namespace thinwire
