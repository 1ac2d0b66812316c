#pragma once

#include "kernels/device/complex.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/per_rhs.cuh"
#include "kernels/device/sums.cuh"
#include "kernels/device/tuning.h"

namespace thinwire::device {

/// Passes over the basis of GMRES, see recurrence.h. For hundreds of vectors they read
/// gigabytes, and all else is small beside that.

/// Where project_kernel's parts meet: like SumSpace, with a ticket for each group of
/// vectors.
struct ProjectSpace {
  double* partial;   // [project_blocks][2 project_group]
  unsigned* ticket;  // [project_blocks], zeroed once
};
inline constexpr int project_group = tuning::project_group;
inline constexpr int project_blocks = tuning::project_blocks;

/// op(j, op.vector(j)^H op.input) for j < op.count(). A block takes a group of eight
/// vectors and a piece of all of them:
///
///              piece 0       piece 1       piece 2
///     v_0    |=============|=============|=============|
///     ...    |   block 0   |   block 1   |   block 2   |    each entry of w serves eight
///     v_7    |=============|=============|=============|    products
///     v_8    |   block 3   | ...
///
/// so that few vectors fill the GPU as many do, and w is read an eighth as often as with
/// a block for each vector. The last block of a group adds the pieces in their order.
/// blockIdx.y is the side.
template <class Op, int RhsCount>
__global__ void __launch_bounds__(tuning::vector_threads)
    project_kernel(std::size_t n, const __grid_constant__ PerRhs<Op, RhsCount> ops,
                   ProjectSpace all_space) {
  const Op& op = ops.here();
  wait_for_kernel_before();
  let_next_kernel_start();
  if (*op.skip != 0) return;
  constexpr int group = project_group, threads = tuning::vector_threads;
  const ProjectSpace space = {
      all_space.partial + std::size_t{blockIdx.y} * project_blocks * 2 * group,
      all_space.ticket + blockIdx.y * project_blocks};
  const double2* w = op.input();
  const int count = op.count(), groups = (count + group - 1) / group;
  const int wanted =
      static_cast<int>((n + tuning::project_piece - 1) / tuning::project_piece);
  const int pieces = max(1, min(wanted, static_cast<int>(gridDim.x) / groups));
  const std::size_t length = (n + pieces - 1) / pieces;
  for (int g = blockIdx.x / pieces; g < groups; g += gridDim.x / pieces) {
    const int piece = blockIdx.x % pieces, first = group * g;
    // Blocks beyond the last whole set of pieces.
    if (blockIdx.x / pieces >= gridDim.x / pieces) return;
    const double2* v[group];
#pragma unroll
    for (int j = 0; j < group; ++j) v[j] = op.vector(min(first + j, count - 1));
    double sum[2 * group] = {};
    const std::size_t end = min(n, (piece + 1) * length);
#pragma unroll 2
    for (std::size_t i = piece * length + threadIdx.x; i < end; i += threads) {
      const double2 of_w = w[i];
#pragma unroll
      for (int j = 0; j < group; ++j) {
        const double2 of_v = v[j][i];
        sum[2 * j] = fma(of_v.x, of_w.x, fma(of_v.y, of_w.y, sum[2 * j]));
        sum[2 * j + 1] = fma(of_v.x, of_w.y, fma(-of_v.y, of_w.x, sum[2 * j + 1]));
      }
    }
    block_sum<2 * group, threads>(sum);
    __shared__ bool last;
    if (threadIdx.x == 0) {
      for (int k = 0; k < 2 * group; ++k)
        space.partial[std::size_t{blockIdx.x} * 2 * group + k] = sum[k];
      __threadfence();
      last = atomicInc(space.ticket + blockIdx.x / pieces, pieces - 1) ==
             static_cast<unsigned>(pieces - 1);
    }
    __syncthreads();
    if (last && threadIdx.x < group && first + static_cast<int>(threadIdx.x) < count) {
      __threadfence();
      double2 total = {0, 0};
      for (int p = 0; p < pieces; ++p) {
        const double* part = space.partial +
                             (std::size_t{blockIdx.x} - piece + p) * 2 * group +
                             2 * threadIdx.x;
        total = total + double2{__ldcg(part), __ldcg(part + 1)};
      }
      op(first + static_cast<int>(threadIdx.x), total);
    }
    __syncthreads();  // `last` and, with one piece, `partial` are used again
  }
}

/// Vectors up to which combine_project() reads the basis once; what is beyond takes the
/// second pass in add_products_kernel.
inline constexpr int combined_vectors = 1024;

/// value[k] summed over the warp, all eight at once: at each of the first three steps a
/// lane gives away half of its values. Lanes 4 k .. 4 k + 3 end with the sum of value[k].
__device__ inline double warp_sum_of_eight(double (&value)[8]) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int half = 4, bit = 16; half > 0; half /= 2, bit /= 2)
#pragma unroll
    for (int k = 0; k < half; ++k) {
      const bool upper = (lane & bit) != 0;
      const double mine = upper ? value[k + half] : value[k],
                   theirs = upper ? value[k] : value[k + half];
      value[k] = mine + __shfl_xor_sync(0xffffffffu, theirs, bit);
    }
  for (int bit = 2; bit > 0; bit /= 2)
    value[0] += __shfl_xor_sync(0xffffffffu, value[0], bit);
  return value[0];
}

/// y = combine.input + sum_j factor(j) vector(j), and of each block the part of
/// vector(j)^H y in products[side][block][2 combined_vectors]. A block takes 64 entries
/// of all vectors at a time:
///
///              64 entries
///     v_0    |============|    1. four groups of threads sum the vectors, each a quarter
///     v_1    |============|       of them;  y of these entries is known
///     ...    |============|    2. a warp takes four vectors at a time, which are still
///     in v_k    |============|       L2, and multiplies them with y
///
/// so that the basis comes from memory once for both.
template <class Combine, class Project, int RhsCount>
__global__ void __launch_bounds__(tuning::vector_threads, 3)
    combine_project_kernel(std::size_t n,
                           const __grid_constant__ PerRhs<Combine, RhsCount> combines,
                           const __grid_constant__ PerRhs<Project, RhsCount> projects,
                           double* products) {
  static_assert(Combine::sums == 0);
  const Combine& combine = combines.here();
  const Project& project = projects.here();
  wait_for_kernel_before();
  let_next_kernel_start();
  if (*combine.skip != 0) return;
  constexpr int tile = tuning::combine_project_tile, threads = tuning::vector_threads,
                groups = threads / tile, warps = threads / 32, at_once = 4;
  static_assert(tile == 64 && threads % tile == 0);
  __shared__ double2 part[groups][tile];
  __shared__ double2 y[tile];
  __shared__ double sum[2 * combined_vectors];
  const int count = combine.count(), kept = min(count, combined_vectors);
  const int group = threadIdx.x / tile, entry = threadIdx.x % tile,
            warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int j = threadIdx.x; j < 2 * kept; j += threads) sum[j] = 0;
  for (std::size_t first = std::size_t{blockIdx.x} * tile; first < n;
       first += std::size_t{gridDim.x} * tile) {
    const std::size_t i = first + entry;
    double2 value = {0, 0};
    if (i < n) {
#pragma unroll 8
      for (int j = group; j < count; j += groups)
        add_product(value, combine.factor(j), combine.vector(j)[i]);
    }
    part[group][entry] = value;
    __syncthreads();
    if (group == 0) {
      value = {0, 0};
      if (i < n) {
        value = combine.input(i);
        for (int g = 0; g < groups; ++g) value = value + part[g][entry];
        combine(i, value, static_cast<double*>(nullptr));
      }
      y[entry] = value;
    }
    __syncthreads();
    const std::size_t low = first + lane, high = low + 32;
    for (int j = at_once * warp; j < kept; j += at_once * warps) {
      double products_of[2 * at_once];
#pragma unroll
      for (int v = 0; v < at_once; ++v) {
        const double2* vector = project.vector(min(j + v, kept - 1));
        const double2 a = low < n ? conj(vector[low]) : double2{0, 0},
                      b = high < n ? conj(vector[high]) : double2{0, 0};
        double2 product = a * y[lane];
        add_product(product, b, y[lane + 32]);
        products_of[2 * v] = product.x;
        products_of[2 * v + 1] = product.y;
      }
      const double total = warp_sum_of_eight(products_of);
      const int at = 2 * j + lane / 4;
      if (lane % 4 == 0 && at < 2 * kept) sum[at] += total;
    }
    __syncthreads();  // y and part are written again
  }
  __syncthreads();
  double* to = products +
               (std::size_t{blockIdx.y} * gridDim.x + blockIdx.x) * 2 * combined_vectors;
  for (int j = threadIdx.x; j < 2 * kept; j += threads) to[j] = sum[j];
}

/// Adds the blocks' parts in their order, a block for each vector, and calls op(j,
/// total).
template <class Op, int RhsCount>
__global__ void __launch_bounds__(tuning::vector_threads)
    add_products_kernel(std::size_t n, const __grid_constant__ PerRhs<Op, RhsCount> ops,
                        const double* products) {
  const Op& op = ops.here();
  wait_for_kernel_before();
  let_next_kernel_start();
  if (*op.skip != 0) return;
  constexpr std::size_t blocks = tuning::combine_project_blocks;
  constexpr int threads = tuning::vector_threads;
  for (int j = blockIdx.x; j < op.count(); j += gridDim.x) {
    double sum[2] = {};
    if (j < combined_vectors) {
      const double* from = products + blockIdx.y * blocks * 2 * combined_vectors + 2 * j;
      for (std::size_t b = threadIdx.x; b < blocks; b += threads) {
        sum[0] += __ldcg(from + b * 2 * combined_vectors);
        sum[1] += __ldcg(from + b * 2 * combined_vectors + 1);
      }
    } else {
      const double2 *v = op.vector(j), *w = op.input();
      for (std::size_t i = threadIdx.x; i < n; i += threads) {
        const double2 product = conj(v[i]) * w[i];
        sum[0] += product.x;
        sum[1] += product.y;
      }
    }
    block_sum<2, threads>(sum);
    if (threadIdx.x == 0) op(j, double2{sum[0], sum[1]});
  }
}

}  // namespace thinwire::device
