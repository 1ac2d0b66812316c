#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/grid/off_plane.h"
#include "kernels/grid/uniform_grid.h"

namespace thinwire {
namespace {

using namespace device;

constexpr const char* off_plane_purpose = "elements off a plane";
constexpr int max_off = StructureExtents::max_off_plane, warps = pass_threads / 32;

/// A thread has a pair.
__global__ void __launch_bounds__(pass_threads)
    fill_matrices(SmoothView view, const std::uint32_t* off, std::size_t count,
                  std::size_t elements, ElementMatrix* matrix) {
  const std::size_t i = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (i < count * elements)
    matrix[i] = view.matrix(off[i / elements], static_cast<std::uint32_t>(i % elements));
}

/// A thread has an element e: adds the field that it has of those off the plane. part:
/// the block's share of what they have of the elements, [blocks][count][2].
__global__ void __launch_bounds__(pass_threads)
    add_pairs(const std::uint32_t* off, int count, std::size_t elements,
              const ElementMatrix* matrix, const double2* end_current, double2* end_field,
              double2* part) {
  __shared__ double2 sums[warps][max_off][2];
  const std::size_t e = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  double2 mine[2] = {}, field[2] = {};
  if (e < elements)
    for (int j = 0; j < 2; ++j) mine[j] = end_current[2 * e + j];
  bool in_plane = e < elements;
  for (int o = 0; o < count; ++o) {
    const std::size_t other = off[o];
    in_plane = in_plane && other != e;
    ElementMatrix m{};
    if (e < elements) m = matrix[o * elements + e];
    double2 sum[2] = {};
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        const double2 z = {m.z[i][j].re, m.z[i][j].im};
        add_product(field[j], z, end_current[2 * other + i]);
        add_product(sum[i], z, mine[j]);
      }
    for (int step = 16; step > 0; step /= 2)
      for (double2& s : sum) {
        s.x += __shfl_xor_sync(0xffffffffu, s.x, step);
        s.y += __shfl_xor_sync(0xffffffffu, s.y, step);
      }
    if (lane < 2) sums[warp][o][lane] = lane == 0 ? sum[0] : sum[1];
  }
  if (in_plane)
    for (int j = 0; j < 2; ++j) end_field[2 * e + j] = end_field[2 * e + j] + field[j];
  __syncthreads();
  for (int i = threadIdx.x; i < 2 * count; i += pass_threads) {
    double2 sum = {0, 0};
    for (int w = 0; w < warps; ++w) sum = sum + sums[w][i / 2][i % 2];
    part[std::size_t{blockIdx.x} * 2 * count + i] = sum;
  }
}

/// A block has an end of an element off the plane: the sum of all blocks' parts.
__global__ void __launch_bounds__(pass_threads)
    add_parts(const std::uint32_t* off, unsigned blocks, const double2* part,
              double2* end_field) {
  __shared__ double2 sums[pass_threads];
  double2 sum = {0, 0};
  for (unsigned b = threadIdx.x; b < blocks; b += pass_threads)
    sum = sum + part[std::size_t{b} * gridDim.x + blockIdx.x];
  sums[threadIdx.x] = sum;
  for (int half = pass_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    end_field[2 * std::size_t{off[blockIdx.x / 2]} + blockIdx.x % 2] = sums[0];
}

}  // namespace

DeviceOffPlane::DeviceOffPlane(std::span<const std::uint32_t> off, std::size_t elements,
                               const SmoothView& view, bool adds,
                               const DeviceStream& stream)
    : elements_(elements),
      blocks_(adds ? pass_blocks(elements) : 0),
      off_(uploaded(off, off_plane_purpose, stream)),
      matrix_(adds ? off.size() * elements : 0, off_plane_purpose),
      part_(blocks_ * 2 * off.size(), off_plane_purpose) {
  if (!adds) return;
  fill_matrices<<<pass_blocks(matrix_.size()), pass_threads, 0, stream.get()>>>(
      view, off_.data(), off.size(), elements, matrix_.data());
  check_launch(off_plane_purpose);
  stream.synchronize();
}

void DeviceOffPlane::add(const Complex* end_current, Complex* end_field,
                         const DeviceStream& stream) const {
  const auto count = static_cast<int>(off_.size());
  auto* const part = reinterpret_cast<double2*>(part_.data());
  if (blocks_ > 0)
    add_pairs<<<blocks_, pass_threads, 0, stream.get()>>>(
        off_.data(), count, elements_, matrix_.data(), parts(end_current),
        parts(end_field), part);
  add_parts<<<static_cast<unsigned>(2 * count), pass_threads, 0, stream.get()>>>(
      off_.data(), blocks_, part, parts(end_field));
  check_launch(off_plane_purpose);
}

}  // namespace thinwire
