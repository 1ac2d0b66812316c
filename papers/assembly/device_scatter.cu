#include <algorithm>

#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"
#include "papers/assembly/device_assembly.h"
#include "papers/assembly/gradients.cuh"

// Elements of a colour share no node, so that no two of them add to the same block.
namespace thinwire {
namespace {

using device::element_derivatives;
using device::GradientLane;
using device::pass_blocks;
using device::pass_threads;
using device::place_in_row;

/// As the paper has it: a block of one warp for an element. The parts have parallelism of
/// their own:
///     gradients    8 points x 3 axes
///     64 pairs     4 groups of 8 lanes, 16 turns:
///       search       a lane of each group, so up to 4 paths a warp
///       products     a lane a Gauss point     --> shared memory
///       sums         a lane an entry of the 3 x 3 block
__global__ void __launch_bounds__(32)
    fused_kernel(BodyView body, const std::uint32_t* elements, double* value) {
  __shared__ double gradients[8][3][8], product[4][8][9], integral[4][9];
  const int lane = threadIdx.x, group = lane / 8, k = lane % 8;
  const std::uint32_t element = elements[blockIdx.x];
  const GradientLane gradient(lane);
  double derivative[8];
  element_derivatives(body, element, gradient, derivative);
  if (!gradient.idle)
    for (int c = 0; c < 8; ++c)
      gradients[gradient.point][gradient.axis][c] = derivative[c];
  __syncwarp();
  const std::uint32_t* corner = body.corner + 8 * std::size_t{element};
  for (int turn = 0; turn < 16; ++turn) {
    const int pair = 4 * turn + group, a = pair / 8, b = pair % 8;
    std::uint32_t place = 0;
    if (k == 0) place = place_in_row(body, corner[a], corner[b]);
    place = __shfl_sync(0xffffffff, place, 0, 8);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        product[group][k][3 * i + j] = gradients[k][i][a] * gradients[k][j][b];
    __syncwarp();
    for (int entry = k; entry < 9; entry += 8) {
      double sum = 0;
      for (int point = 0; point < 8; ++point) sum += product[group][point][entry];
      integral[group][entry] = sum;
    }
    __syncwarp();
    double* block = value + block_values * (body.row_ptr[corner[a]] + place);
    const double* p = integral[group];
    for (int entry = k; entry < 9; entry += 8) {
      const int i = entry / 3, j = entry % 3;
      block[entry] += stiffness(body.material, p[entry], p[3 * j + i],
                                i == j ? p[0] + p[4] + p[8] : 0);
    }
    __syncwarp();
  }
}

/// A warp an element; gradients: [element of the colour][point][axis][corner].
__global__ void gradients_kernel(BodyView body, const std::uint32_t* elements,
                                 std::size_t count, double* gradients) {
  const std::size_t k = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (k >= count) return;
  const GradientLane gradient(threadIdx.x % 32);
  double derivative[8];
  element_derivatives(body, elements[k], gradient, derivative);
  if (gradient.idle) return;
  double* to = gradients + (k * 24 + 3 * gradient.point + gradient.axis) * 8;
  for (int c = 0; c < 8; ++c) to[c] = derivative[c];
}

/// A thread a pair of corners.
__global__ void search_kernel(BodyView body, const std::uint32_t* elements,
                              std::size_t count, std::uint32_t* place) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= 64 * count) return;
  const std::uint32_t* corner = body.corner + 8 * std::size_t{elements[k / 64]};
  place[k] = place_in_row(body, corner[k / 8 % 8], corner[k % 8]);
}

/// A thread a pair of corners: sums over the Gauss points, adds to the matrix.
__global__ void integrate_kernel(BodyView body, const std::uint32_t* elements,
                                 std::size_t count, const double* gradients,
                                 const std::uint32_t* place, double* value) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= 64 * count) return;
  const std::size_t a = k / 8 % 8, b = k % 8;
  const double* of_element = gradients + k / 64 * 192;
  double p[3][3] = {};
#pragma unroll
  for (int point = 0; point < 8; ++point) {
    double of_b[3];
    for (int j = 0; j < 3; ++j) of_b[j] = of_element[(3 * point + j) * 8 + b];
    for (int i = 0; i < 3; ++i) {
      const double of_a = of_element[(3 * point + i) * 8 + a];
      for (int j = 0; j < 3; ++j) p[i][j] += of_a * of_b[j];
    }
  }
  const double trace = p[0][0] + p[1][1] + p[2][2];
  const std::uint32_t row = body.corner[8 * std::size_t{elements[k / 64]} + a];
  double* block = value + block_values * (body.row_ptr[row] + place[k]);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      block[3 * i + j] +=
          stiffness(body.material, p[i][j], p[j][i], i == j ? trace : 0.0);
}

std::size_t largest_colour(const Colouring& colouring) {
  std::size_t most = 0;
  for (std::size_t c = 0; c < colouring.colours(); ++c)
    most = std::max(most, colouring.first[c + 1] - colouring.first[c]);
  return most;
}

}  // namespace

DeviceScatter::DeviceScatter(const DeviceAssembly& assembly, const Colouring& colouring,
                             AssemblyMethod method)
    : assembly_(assembly), colouring_(colouring), method_(method) {
  const DeviceStream stream;
  element_ = uploaded(colouring.element, "elements by colours", stream);
  if (method == AssemblyMethod::fused) return;
  const std::size_t most = largest_colour(colouring);
  gradients_ = DeviceBuffer<double>(192 * most, "gradients of a colour");
  place_ = DeviceBuffer<std::uint32_t>(64 * most, "places of a colour");
  if (method == AssemblyMethod::search_on_cpu) host_place_.resize(64 * most);
}

void DeviceScatter::search(std::span<const std::uint32_t> elements,
                           const DeviceStream& stream) {
  const auto& pattern = assembly_.connectivity().pattern;
  const HexahedralMesh& mesh = assembly_.body().mesh;
#pragma omp parallel for
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const auto& corners = mesh.element[elements[k]];
    for (std::size_t a = 0; a < 8; ++a) {
      const std::int64_t first = pattern.row_ptr[corners[a]];
      const auto n = static_cast<std::uint32_t>(pattern.row_ptr[corners[a] + 1] - first);
      for (std::size_t b = 0; b < 8; ++b)
        host_place_[64 * k + 8 * a + b] =
            block_place(pattern.column.data() + first, n, corners[b]);
    }
  }
  // From pageable memory: returns when host_place_ may be used again.
  copy_bytes(place_.data(), host_place_.data(),
             64 * elements.size() * sizeof(std::uint32_t), stream);
}

void DeviceScatter::add(std::size_t first, std::size_t last, double* value,
                        const DeviceStream& stream) {
  const BodyView body = assembly_.view();
  for (std::size_t colour = first; colour < last; ++colour) {
    const std::size_t begin = colouring_.first[colour];
    const std::size_t count = colouring_.first[colour + 1] - begin;
    const std::uint32_t* elements = element_.data() + begin;
    if (method_ == AssemblyMethod::fused) {
      fused_kernel<<<static_cast<unsigned>(count), 32, 0, stream.get()>>>(body, elements,
                                                                          value);
      check_launch("fused_kernel");
      continue;
    }
    gradients_kernel<<<pass_blocks(32 * count), pass_threads, 0, stream.get()>>>(
        body, elements, count, gradients_.data());
    if (method_ == AssemblyMethod::search_on_cpu)
      search({colouring_.element.data() + begin, count}, stream);
    else
      search_kernel<<<pass_blocks(64 * count), pass_threads, 0, stream.get()>>>(
          body, elements, count, place_.data());
    integrate_kernel<<<pass_blocks(64 * count), pass_threads, 0, stream.get()>>>(
        body, elements, count, gradients_.data(), place_.data(), value);
    check_launch("integrate_kernel");
  }
}

}  // namespace thinwire
