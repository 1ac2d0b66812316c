#include "kernels/device/check.cuh"
#include "papers/assembly/device_assembly.h"
#include "papers/assembly/gradients.cuh"
#include "papers/tuning.h"

namespace thinwire {
namespace {

using device::GradientLane;
constexpr int warps = tuning::assembly_warps;
constexpr unsigned all = 0xffffffff;

/// Doubles from one (point, axis) of the gradients to the next in shared memory: 8 are
/// used; 9, so that lanes that write the same corner meet different banks.
constexpr int gradient_stride = 9;
constexpr int gradient_space = 24 * gradient_stride;

/// Shared memory of a warp: gradients of the current element; numbers, positions and sums
/// of the row's columns.
struct WarpSpace {
  double *gradients, *position, *sum;
  std::uint32_t* column;

  __host__ __device__ static std::size_t doubles(unsigned longest_row) {
    return gradient_space + (3 + block_values) * std::size_t{longest_row} +
           (longest_row + 1) / 2;
  }
  __device__ WarpSpace(double* shared, int warp, unsigned longest_row)
      : gradients(shared + warp * doubles(longest_row)),
        position(gradients + gradient_space),
        sum(position + 3 * longest_row),
        column(reinterpret_cast<std::uint32_t*>(sum + block_values * longest_row)) {}
};

__device__ inline double pick(const double (&p)[3], int k) {
  return k == 0 ? p[0] : k == 1 ? p[1] : p[2];
}

/// Adds the block of corners a, b of an element: lane 3 b + i its row i, to `block`. All
/// lanes call it, the last eight for nothing.
__device__ inline void add_blocks(const double* gradients, int a, int lane,
                                  Elasticity material, double* block) {
  const int b = lane / 3, i = lane % 3;
  double p[3] = {};
#pragma unroll
  for (int point = 0; point < 8; ++point) {
    const double* at = gradients + 3 * point * gradient_stride;
    const double of_a = at[i * gradient_stride + a];
    for (int j = 0; j < 3; ++j) p[j] += of_a * at[j * gradient_stride + b];
  }
  const double own = pick(p, i);
  const double trace = __shfl_sync(all, own, 3 * b) + __shfl_sync(all, own, 3 * b + 1) +
                       __shfl_sync(all, own, 3 * b + 2);
  double entry[3];  // (i, i), (i, i + 1), (i, i + 2), counted round
  entry[0] = stiffness(material, own, own, trace);
#pragma unroll
  for (int step = 1; step < 3; ++step) {
    const int j = (i + step) % 3;
    const double p_ji = __shfl_sync(all, pick(p, (i + 3 - step) % 3), 3 * b + j);
    entry[step] = stiffness(material, pick(p, j), p_ji, 0);
  }
  if (b >= 8) return;
  for (int step = 0; step < 3; ++step) block[3 * i + (i + step) % 3] += entry[step];
}

/// A warp sums up a row of blocks, element after element:
///
///     columns, positions      --> shared memory, once
///     4 elements x 8 corners  --> a lane each: place of the corner in the row
///     element: 8 points x 3 axes    lanes make gradients --> shared memory
///              8 corners x 3 rows   lanes integrate      --> sums of the row
///     sums                    --> memory, in one stretch
///
/// Nothing else touches the row, so that no colours are needed and nothing is cleared.
__global__ void __launch_bounds__(32 * warps)
    rows_kernel(BodyView body, std::size_t first, std::size_t last, double* value) {
  extern __shared__ double shared[];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::size_t row = first + std::size_t{blockIdx.x} * warps + warp;
  if (row >= last) return;
  const WarpSpace space(shared, warp, body.longest_row);
  const GradientLane gradient(lane);

  const std::int64_t begin = body.row_ptr[row];
  const auto blocks = static_cast<unsigned>(body.row_ptr[row + 1] - begin);
  for (unsigned k = lane; k < blocks; k += 32) {
    const std::uint32_t column = body.column[begin + k];
    const Vec3 r = body.node[column];
    space.column[k] = column;
    space.position[3 * k] = r.x;
    space.position[3 * k + 1] = r.y;
    space.position[3 * k + 2] = r.z;
  }
  for (unsigned k = lane; k < block_values * blocks; k += 32) space.sum[k] = 0;
  __syncwarp();

  const std::int64_t end = body.at_first[row + 1];
  for (std::int64_t batch = body.at_first[row]; batch < end; batch += 4) {
    const std::int64_t mine = batch + lane / 8;
    std::uint32_t at = 0, place = 0;
    if (mine < end) {
      at = body.at_place[mine];
      const std::size_t corner = std::size_t{at / 8} * 8 + lane % 8;
      place = block_place(space.column, blocks, body.corner[corner]);
    }
    const int elements = end - batch < 4 ? static_cast<int>(end - batch) : 4;
    for (int element = 0; element < elements; ++element) {
      double x[8], derivative[8];
#pragma unroll
      for (int c = 0; c < 8; ++c)
        x[c] =
            space.position[3 * __shfl_sync(all, place, 8 * element + c) + gradient.axis];
      gradient.make(x, derivative);
      double* to =
          space.gradients + (3 * gradient.point + gradient.axis) * gradient_stride;
      if (!gradient.idle)
        for (int c = 0; c < 8; ++c) to[c] = derivative[c];
      __syncwarp();
      const int a = __shfl_sync(all, at, 8 * element) % 8;
      const unsigned to_block = __shfl_sync(all, place, 8 * element + lane / 3 % 8);
      add_blocks(space.gradients, a, lane, body.material,
                 space.sum + block_values * to_block);
      __syncwarp();
    }
  }

  double* to = value + block_values * (begin - body.row_ptr[first]);
  for (unsigned k = lane; k < block_values * blocks; k += 32) to[k] = space.sum[k];
}

std::size_t shared_bytes(unsigned longest_row) {
  return warps * WarpSpace::doubles(longest_row) * sizeof(double);
}

/// Lets the kernel have what a row needs, where that is more than any kernel may.
void allow_shared(unsigned longest_row) {
  int index = 0, most = 0;
  check_cuda(cudaGetDevice(&index), "assembly", "cudaGetDevice");
  check_cuda(
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, index),
      "assembly", "cudaDeviceGetAttribute");
  const std::size_t bytes = shared_bytes(longest_row);
  if (bytes > static_cast<std::size_t>(most))
    throw Error(ErrorKind::geometry,
                "assembly on a GPU: a node has too many neighbours (" +
                    std::to_string(longest_row) + ", which take " +
                    std::to_string(bytes) + " bytes of " + std::to_string(most) +
                    " on a multiprocessor). Assemble on the CPU.");
  check_cuda(
      cudaFuncSetAttribute(rows_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(bytes)),
      "assembly", "cudaFuncSetAttribute");
}

}  // namespace

DeviceAssembly::DeviceAssembly(const ElasticBody& body, const Connectivity& connectivity)
    : body_(body),
      connectivity_(connectivity),
      longest_row_(static_cast<unsigned>(thinwire::longest_row(connectivity.pattern))) {
  allow_shared(longest_row_);
  const DeviceStream stream;
  node_ = uploaded(body.mesh.node, "nodes", stream);
  element_ = uploaded(body.mesh.element, "elements", stream);
  at_first_ = uploaded(connectivity.at_node.first, "elements at nodes", stream);
  at_place_ = uploaded(connectivity.at_node.place, "elements at nodes", stream);
  row_ptr_ = uploaded(connectivity.pattern.row_ptr, "pattern of the matrix", stream);
  column_ = uploaded(connectivity.pattern.column, "pattern of the matrix", stream);
}

BodyView DeviceAssembly::view() const {
  return {node_.data(),     reinterpret_cast<const std::uint32_t*>(element_.data()),
          at_first_.data(), at_place_.data(),
          row_ptr_.data(),  column_.data(),
          body_.material,   longest_row_};
}

void DeviceAssembly::rows(std::size_t first, std::size_t last, double* value,
                          const DeviceStream& stream) const {
  if (first >= last) return;
  const auto blocks = static_cast<unsigned>((last - first + warps - 1) / warps);
  rows_kernel<<<blocks, 32 * warps, shared_bytes(longest_row_), stream.get()>>>(
      view(), first, last, value);
  check_launch("rows_kernel");
}

}  // namespace thinwire
