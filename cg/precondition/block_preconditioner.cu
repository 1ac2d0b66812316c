#include "cg/precondition/block_preconditioner.h"

#include <vector>

#include "cg/precondition/precondition.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/matrix/tile_entries.cuh"

namespace thinwire {
namespace {

using namespace device;

constexpr const char* block_purpose = "block preconditioner";
constexpr int block_threads = tuning::inversion_threads;

/// Writes the blocks of Z: one CUDA block for each set.
template <class Entries>
__global__ void gather_blocks(PreconditionerBlocks m, const std::uint32_t* sets,
                              Entries z, double2* blocks) {
  const std::uint32_t first = sets[blockIdx.x], size = m.set_size[first];
  const std::uint32_t* unknown = m.unknown + first;
  double2* block = blocks + m.row_offset[first];
  for (std::size_t e = threadIdx.x; e < std::size_t{size} * size; e += blockDim.x)
    block[e] = z.at(unknown[e / size], unknown[e % size]);
}

/// The row at or below k with the largest entry in column k; the lowest of equals.
__device__ std::uint32_t find_pivot(const double2* a, std::uint32_t size,
                                    std::uint32_t k) {
  __shared__ double best_value[block_threads];
  __shared__ std::uint32_t best_row[block_threads];
  double value = -1;
  std::uint32_t row = k;
  for (std::uint32_t i = k + threadIdx.x; i < size; i += block_threads) {
    const double here = norm(a[std::size_t{i} * size + k]);
    // Written so that a number that is not one wins and shows.
    if (!(here <= value)) {
      value = here;
      row = i;
    }
  }
  best_value[threadIdx.x] = value;
  best_row[threadIdx.x] = row;
  for (int half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      const double other = best_value[threadIdx.x + half];
      const std::uint32_t other_row = best_row[threadIdx.x + half];
      const double mine = best_value[threadIdx.x];
      if (!(other <= mine) || (other == mine && other_row < best_row[threadIdx.x])) {
        best_value[threadIdx.x] = other;
        best_row[threadIdx.x] = other_row;
      }
    }
  }
  __syncthreads();
  const std::uint32_t found = best_row[0];
  __syncthreads();
  return found;
}

/// Replaces each block by its inverse: Gauss-Jordan elimination in place with row
/// pivoting, one CUDA block for each set. pivot_row, pivot_column, pivots: [n], each set
/// in its own place. status[set]: 0, k + 1 where pivot k is zero, -1 where it is not
/// finite.
__global__ void __launch_bounds__(block_threads)
    invert_blocks(PreconditionerBlocks m, const std::uint32_t* sets, double2* blocks,
                  double2* pivot_row, double2* pivot_column, std::uint32_t* pivots,
                  int* status) {
  const std::uint32_t first = sets[blockIdx.x], size = m.set_size[first];
  double2* a = blocks + m.row_offset[first];
  pivot_row += first;
  pivot_column += first;
  pivots += first;
  for (std::uint32_t k = 0; k < size; ++k) {
    const std::uint32_t p = find_pivot(a, size, k);
    const double2 pivot = a[std::size_t{p} * size + k];
    __syncthreads();  // before the row moves
    if (!(norm(pivot) > 0) || !isfinite(norm(pivot))) {
      if (threadIdx.x == 0)
        status[blockIdx.x] = norm(pivot) == 0 ? static_cast<int>(k) + 1 : -1;
      return;
    }
    const double2 inverse = double2{1, 0} / pivot;
    if (threadIdx.x == 0) pivots[k] = p;
    for (std::uint32_t j = threadIdx.x; j < size; j += block_threads) {
      const double2 of_pivot = a[std::size_t{p} * size + j];
      a[std::size_t{p} * size + j] = a[std::size_t{k} * size + j];
      pivot_row[j] = j == k ? inverse : inverse * of_pivot;
    }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < size; i += block_threads)
      pivot_column[i] = a[std::size_t{i} * size + k];
    __syncthreads();
    for (std::size_t e = threadIdx.x; e < std::size_t{size} * size; e += block_threads) {
      const auto i = static_cast<std::uint32_t>(e / size),
                 j = static_cast<std::uint32_t>(e % size);
      const double2 row = pivot_row[j];
      double2 value = j == k ? double2{0, 0} : a[e];
      const double2 factor = pivot_column[i];
      add_product(value, double2{-factor.x, -factor.y}, row);
      a[e] = i == k ? row : value;
    }
    __syncthreads();
  }
  // Row swaps of the matrix are column swaps of its inverse, in the reverse order.
  for (std::uint32_t k = size; k-- > 0;) {
    const std::uint32_t p = pivots[k];
    if (p != k)
      for (std::uint32_t i = threadIdx.x; i < size; i += block_threads) {
        const double2 kept = a[std::size_t{i} * size + k];
        a[std::size_t{i} * size + k] = a[std::size_t{i} * size + p];
        a[std::size_t{i} * size + p] = kept;
      }
    __syncthreads();
  }
  // Exactly symmetric, as Z is: rounding in the elimination is not.
  for (std::size_t e = threadIdx.x; e < std::size_t{size} * size; e += block_threads) {
    const std::size_t i = e / size, j = e % size;
    if (i < j) {
      const double2 mean = 0.5 * (a[i * size + j] + a[j * size + i]);
      a[i * size + j] = a[j * size + i] = mean;
    }
  }
}

void check_status(std::span<const int> status,
                  std::span<const BlockPreconditioner::IndexSet> sets) {
  for (std::size_t b = 0; b < sets.size(); ++b) {
    if (status[b] == 0) continue;
    const std::string size = std::to_string(sets[b].size());
    throw Error(ErrorKind::numeric,
                status[b] > 0
                    ? "block preconditioner: a block of " + size +
                          " unknowns is singular (pivot " + std::to_string(status[b]) +
                          " is zero). Solve without the preconditioner."
                    : "block preconditioner: a block of " + size +
                          " unknowns could not be inverted (an entry is not finite). "
                          "Check the impedance matrix.");
  }
}

}  // namespace

std::vector<std::uint32_t> DeviceBlockPreconditioner::place(
    std::span<const IndexSet> sets, const DeviceStream& stream) {
  std::vector<std::uint32_t> unknown, set_first, set_size, firsts;
  std::vector<std::size_t> row_offset;
  std::size_t entries = 0;
  for (const IndexSet& set : sets) {
    const auto first = static_cast<std::uint32_t>(unknown.size());
    firsts.push_back(first);
    for (const std::uint32_t index : set) {
      unknown.push_back(index);
      set_first.push_back(first);
      set_size.push_back(static_cast<std::uint32_t>(set.size()));
      row_offset.push_back(entries);
      entries += set.size();
    }
  }
  require_device_memory(entries * sizeof(Complex), block_purpose, size_,
                        "Solve with --precond none or with smaller blocks.");
  inverse_ = {entries, block_purpose};
  unknown_ = uploaded(unknown, block_purpose, stream);
  set_first_ = uploaded(set_first, block_purpose, stream);
  set_size_ = uploaded(set_size, block_purpose, stream);
  row_offset_ = uploaded(row_offset, block_purpose, stream);
  blocks_ = {size_,
             unknown_.data(),
             set_first_.data(),
             set_size_.data(),
             row_offset_.data(),
             inverse_.data(),
             {}};
  return firsts;
}

DeviceBlockPreconditioner::DeviceBlockPreconditioner(std::span<const IndexSet> sets,
                                                     std::span<const Complex> inverses) {
  for (const IndexSet& set : sets) size_ += set.size();
  check_partition(sets, size_);
  const DeviceStream stream;
  place(sets, stream);
  inverse_.upload(inverses, stream);
  stream.synchronize();
}

DeviceBlockPreconditioner::DeviceBlockPreconditioner(const DeviceTiles& z,
                                                     std::span<const IndexSet> sets,
                                                     DeviceExchange* others)
    : size_(z.layout().n) {
  check_partition(sets, size_);
  const DeviceStream stream;
  const std::vector<std::uint32_t> firsts = place(sets, stream);
  DeviceBuffer<std::uint32_t> device_firsts(firsts.size(), block_purpose),
      pivots(size_, block_purpose);
  DeviceBuffer<int> device_status(firsts.size(), block_purpose);
  DeviceBuffer<Complex> pivot_row(size_, block_purpose),
      pivot_column(size_, block_purpose);
  device_firsts.upload(firsts, stream);
  device_status.clear(stream);
  const auto count = static_cast<unsigned>(firsts.size());
  with_entries(z, [&](auto entries) {
    gather_blocks<<<count, pass_threads, 0, stream.get()>>>(
        blocks_, device_firsts.data(), entries, parts(inverse_.data()));
  });
  check_launch("block preconditioner, gather");
  if (others != nullptr) others->sum(inverse_.data(), inverse_.size(), stream);
  invert_blocks<<<count, block_threads, 0, stream.get()>>>(
      blocks_, device_firsts.data(), parts(inverse_.data()), parts(pivot_row.data()),
      parts(pivot_column.data()), pivots.data(), device_status.data());
  check_launch("block preconditioner, inversion");
  std::vector<int> status(firsts.size());
  device_status.download(status, stream);
  check_status(status, sets);
}

std::size_t DeviceBlockPreconditioner::bytes() const {
  return unknown_.bytes() + set_first_.bytes() + set_size_.bytes() + row_offset_.bytes() +
         inverse_.bytes();
}

void DeviceBlockPreconditioner::multiply(const Complex* r, Complex* z,
                                         const DeviceStream& stream) const {
  launch_precondition(blocks_, PerRhs<StoreResult, 1>{{{parts(r), parts(z)}}}, 1, stream);
}

}  // namespace thinwire
