#include <algorithm>

#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"
#include "papers/assembly/node_blocks.h"

namespace thinwire {
namespace {

using device::pass_blocks;
using device::pass_threads;

__global__ void factor_kernel(BlockMatrixView matrix, double* factors, char* sound) {
  const std::size_t row = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row < matrix.rows)
    sound[row] = factor_node_block(matrix, row, factors + block_values * row);
}

/// A thread a node.
__global__ void solve_kernel(const double* factors, std::size_t nodes, const double2* r,
                             double2* z) {
  const std::size_t node = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  const double* of_node = factors + block_values * node;
  double re[3], im[3], solved_re[3], solved_im[3];
  for (int i = 0; i < 3; ++i) {
    const double2 value = r[3 * node + i];
    re[i] = value.x;
    im[i] = value.y;
  }
  solve_node_block(of_node, re, solved_re);
  solve_node_block(of_node, im, solved_im);
  for (int i = 0; i < 3; ++i) z[3 * node + i] = {solved_re[i], solved_im[i]};
}

}  // namespace

DeviceNodeBlockPreconditioner::DeviceNodeBlockPreconditioner(
    const BlockMatrixView& matrix)
    : factors_(block_values * matrix.rows, "diagonal blocks") {
  if (matrix.rows == 0) return;
  const DeviceStream stream;
  DeviceBuffer<char> sound(matrix.rows, "diagonal blocks");
  factor_kernel<<<pass_blocks(matrix.rows), pass_threads, 0, stream.get()>>>(
      matrix, factors_.data(), sound.data());
  check_launch("factor_kernel");
  std::vector<char> all(matrix.rows);
  sound.download(all, stream);
  const auto bad = std::find(all.begin(), all.end(), 0);
  if (bad != all.end()) throw_no_node_block(static_cast<std::size_t>(bad - all.begin()));
}

void DeviceNodeBlockPreconditioner::multiply(const Complex* r, Complex* z,
                                             const DeviceStream& stream) const {
  const std::size_t nodes = factors_.size() / block_values;
  if (nodes == 0) return;
  solve_kernel<<<pass_blocks(nodes), pass_threads, 0, stream.get()>>>(
      factors_.data(), nodes, reinterpret_cast<const double2*>(r),
      reinterpret_cast<double2*>(z));
  check_launch("solve_kernel");
}

}  // namespace thinwire
