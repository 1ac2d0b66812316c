#include <algorithm>

#include "kernels/base/error.h"
#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/tuning.h"
#include "kernels/fft/half_spectra.h"

namespace thinwire {
namespace {

constexpr int max_lanes = tuning::spectra_lanes, max_threads = tuning::spectra_threads;
constexpr std::size_t shared_bytes_at_most = 224 << 10;

std::size_t shared_bytes(std::size_t functions, int lanes, int rhs_count) {
  return 2 * functions * lanes * rhs_count * sizeof(double2);
}

/// A block for `lanes` wave vectors, a thread for each and some functions i.
///
///     shared: X(q), X(-q) of all functions and right-hand sides
///     thread (t, i):  Y_i(q) = sum_j Z_ij(q) X_j(q),  Y_i(-q) = sum_j Z_ji(q) X_j(-q)
///
/// Both triangles of Z(q) pass through the block once and again while they are in its
/// caches. No other block has these q, so that Y takes the place of X.
template <int rhs_count>
__global__ void __launch_bounds__(max_threads)
    multiply_wave_vectors(const std::uint32_t* plus, const std::uint32_t* minus,
                          std::size_t count, std::size_t points, int functions,
                          const double2* __restrict__ spectra, double2* x) {
  extern __shared__ double2 shared[];
  const int lane = threadIdx.x, lanes = blockDim.x;
  const std::size_t t = std::size_t{blockIdx.x} * lanes + lane;
  const bool there = t < count;
  const int rows = rhs_count * functions;  // [rhs][functions]
  double2 *x_plus = shared, *x_minus = shared + rows * lanes;
  const std::size_t q = there ? plus[t] : 0, negative = there ? minus[t] : 0;
  if (there)
    for (int j = threadIdx.y; j < rows; j += blockDim.y) {
      x_plus[j * lanes + lane] = x[j * points + q];
      x_minus[j * lanes + lane] = x[j * points + negative];
    }
  __syncthreads();
  if (!there) return;
  for (int i = threadIdx.y; i < functions; i += blockDim.y) {
    const double2 *row = spectra + std::size_t(i) * functions * count + t,
                  *column = spectra + std::size_t(i) * count + t;
    double2 y_plus[rhs_count] = {}, y_minus[rhs_count] = {};
#pragma unroll 4
    for (int j = 0; j < functions; ++j) {
      const double2 of_row = row[j * count],
                    of_column = column[std::size_t(j) * functions * count];
#pragma unroll
      for (int r = 0; r < rhs_count; ++r) {
        const int at = (r * functions + j) * lanes + lane;
        add_product(y_plus[r], of_row, x_plus[at]);
        add_product(y_minus[r], of_column, x_minus[at]);
      }
    }
#pragma unroll
    for (int r = 0; r < rhs_count; ++r) {
      double2* y = x + std::size_t(r * functions + i) * points;
      // Where -q is q both are the same, up to rounding: the one at q stays.
      if (negative != q) y[negative] = y_minus[r];
      y[q] = y_plus[r];
    }
  }
}

}  // namespace

DeviceHalfSpectra::DeviceHalfSpectra(const HalfSpectra& half)
    : points_(half.points()),
      plus_(half.count(), "wave vectors"),
      minus_(half.count(), "wave vectors") {
  const DeviceStream stream;
  plus_.upload(half.plus, stream);
  minus_.upload(half.minus, stream);
  stream.synchronize();
}

bool DeviceHalfSpectra::fits(std::size_t functions, int rhs_count) {
  return shared_bytes(functions, 1, rhs_count) <= shared_bytes_at_most;
}

void DeviceHalfSpectra::multiply(std::size_t functions, const Complex* spectra,
                                 Complex* x, int rhs_count,
                                 const DeviceStream& stream) const {
  int lanes = max_lanes;
  while (lanes > 1 && shared_bytes(functions, lanes, rhs_count) > shared_bytes_at_most)
    lanes /= 2;
  const std::size_t bytes = shared_bytes(functions, lanes, rhs_count);
  if (!fits(functions, rhs_count))
    throw Error(ErrorKind::device,
                "toeplitz product: antennas of " + std::to_string(functions) +
                    " unknowns are too large for a GPU (limit 7000). Use --device cpu.");
  constexpr decltype(&multiply_wave_vectors<1>) kernels[] = {
      multiply_wave_vectors<1>, multiply_wave_vectors<2>, multiply_wave_vectors<3>,
      multiply_wave_vectors<4>};
  const auto kernel = kernels[rhs_count - 1];
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "toeplitz product", "cudaFuncSetAttribute");
  const dim3 threads(lanes, std::min<unsigned>(functions, max_threads / lanes));
  kernel<<<static_cast<unsigned>((count() + lanes - 1) / lanes), threads, bytes,
           stream.get()>>>(plus_.data(), minus_.data(), count(), points_,
                           static_cast<int>(functions), parts(spectra), parts(x));
  check_launch("toeplitz product");
}

}  // namespace thinwire
