#include "kernels/fields/far_field.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/device/check.cuh"
#include "kernels/device/device.h"
#include "kernels/device/pass.cuh"
#include "kernels/device/tuning.h"
#include "kernels/fields/far_field_terms.h"

namespace thinwire {
namespace {

constexpr int direction_threads = tuning::far_field_threads;
constexpr int per_thread = tuning::far_field_directions;
constexpr int numbers = CurrentMoments::numbers;
constexpr int far_staged = tuning::far_field_staged;  // pieces in shared memory at a time

/// sums[part][6][directions]: N of transverse_field over one part of the pieces.
///
///     pieces      | staged | staged | ...     a block walks its part of them
///     directions  each thread keeps the six sums of a few in registers
///
/// All threads read the same piece at a time: a broadcast.
__global__ void __launch_bounds__(direction_threads)
    sum_pieces(const double* pieces, std::size_t count, std::size_t a_part,
               const Direction* directions, std::size_t direction_count, double k,
               double* sums) {
  __shared__ __align__(16) double shared[far_staged][numbers];
  const std::size_t first = blockIdx.y * a_part, last = min(first + a_part, count);
  Vec3 u[per_thread];
  double sum[per_thread][6] = {};
  const std::size_t at =
      std::size_t{blockIdx.x} * (direction_threads * per_thread) + threadIdx.x;
#pragma unroll
  for (int d = 0; d < per_thread; ++d) {
    const std::size_t mine = at + d * direction_threads;
    const Direction way = mine < direction_count ? directions[mine] : Direction{0, 0};
    u[d] = {sin(way.theta) * cos(way.phi), sin(way.theta) * sin(way.phi), cos(way.theta)};
  }
  for (std::size_t start = first; start < last; start += far_staged) {
    const int here = static_cast<int>(min(last - start, std::size_t{far_staged}));
    __syncthreads();
    for (int e = threadIdx.x; e < here * numbers; e += direction_threads)
      shared[e % here][e / here] = pieces[(e / here) * count + start + e % here];
    __syncthreads();
    for (int m = 0; m < here; ++m) {
      const double* p = shared[m];
      const double* t = p + CurrentMoments::tangent;
#pragma unroll
      for (int d = 0; d < per_thread; ++d) {
        const HdComplex seen = seen_along(
            u[d], [&](int c) { return p[c]; }, k);
        for (int c = 0; c < 3; ++c) {
          sum[d][2 * c] += t[c] * seen.re;
          sum[d][2 * c + 1] += t[c] * seen.im;
        }
      }
    }
  }
#pragma unroll
  for (int d = 0; d < per_thread; ++d)
    if (at + d * direction_threads < direction_count)
      for (int c = 0; c < 6; ++c)
        sums[(blockIdx.y * 6 + c) * direction_count + at + d * direction_threads] =
            sum[d][c];
}

/// total[6][directions]: the parts added in order.
__global__ void add_parts(const double* sums, std::size_t parts, std::size_t values,
                          double* total) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= values) return;
  double sum = 0;
  for (std::size_t part = 0; part < parts; ++part) sum += sums[part * values + i];
  total[i] = sum;
}

}  // namespace

void device_far_field(const CurrentMoments& moments,
                      std::span<const Direction> directions, double k,
                      std::span<Complex> e_theta_v, std::span<Complex> e_phi_v,
                      std::size_t directions_in_all) {
  const char* what = "far field";
  const std::size_t count = moments.size(), ways = directions.size();
  if (ways == 0) return;
  const auto blocks_of = [](std::size_t of) {
    return (of + direction_threads * per_thread - 1) / (direction_threads * per_thread);
  };
  const std::size_t blocks = blocks_of(ways);
  // Parts enough to fill the GPU where the directions are few.
  const std::size_t part_count =
      std::clamp(tuning::far_field_blocks / blocks_of(std::max(ways, directions_in_all)),
                 std::size_t{1}, std::max(count / far_staged, std::size_t{1}));
  const std::size_t a_part =
      std::max((count + part_count - 1) / part_count, std::size_t{1});

  const DeviceStream stream;
  DeviceBuffer<double> pieces(std::max<std::size_t>(numbers * count, 1), what),
      sums(part_count * 6 * ways, what), total(6 * ways, what);
  DeviceBuffer<Direction> device_directions(ways, what);
  for (int c = 0; c < numbers; ++c)
    copy_bytes(pieces.data() + count * c, moments.number[c].data(),
               count * sizeof(double), stream);
  device_directions.upload(directions, stream);
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(part_count));
  sum_pieces<<<grid, direction_threads, 0, stream.get()>>>(
      pieces.data(), count, a_part, device_directions.data(), ways, k, sums.data());
  check_launch("far field");
  add_parts<<<device::pass_blocks(6 * ways), device::pass_threads, 0, stream.get()>>>(
      sums.data(), part_count, 6 * ways, total.data());
  check_launch("far field, sums");
  std::vector<double> n(6 * ways);
  total.download(n, stream);

#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(ways); ++i) {
    const auto d = static_cast<std::size_t>(i);
    transverse_field(directions[d], {n[d], n[ways + d]},
                     {n[2 * ways + d], n[3 * ways + d]},
                     {n[4 * ways + d], n[5 * ways + d]}, k, e_theta_v[d], e_phi_v[d]);
  }
}

}  // namespace thinwire
