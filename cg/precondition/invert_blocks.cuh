#pragma once

#include <span>

#include "kernels/base/monitor.h"
#include "kernels/device/complex.cuh"
#include "kernels/device/device.h"
#include "kernels/device/libraries.cuh"

namespace thinwire::device {

/// Matrices that are inverted together: [count][leading][leading], symmetric; Entry:
/// float2 or double2. The first `dropped` rows and columns are those whose part of the
/// inverse is not wanted. Both sizes are multiples of inversion_panel.
template <class Entry>
struct InversionBatch {
  std::size_t count, leading, dropped;
  Entry* matrix;
};
inline constexpr std::size_t inversion_panel = 64;

/// Columns that are eliminated at a time: wide enough for fast products, in matrices
/// that are some times as wide.
constexpr std::size_t elimination_width(std::size_t leading) {
  return leading >= 8 * inversion_panel ? 4 * inversion_panel : inversion_panel;
}

/// For one matrix, beside the matrix.
template <class Entry>
constexpr std::size_t inversion_scratch_bytes(std::size_t leading) {
  const std::size_t width = elimination_width(leading);
  const std::size_t within =
      width > inversion_panel ? inversion_scratch_bytes<Entry>(width) : 0;
  return (2 * leading + width) * width * sizeof(Entry) + within;
}

/// Replaces rows dropped .. leading - 1 of each matrix by those of its inverse; the
/// others are lost. scratch: [count] times inversion_scratch_bytes<Entry>. status:
/// [count], on the GPU, set to 1 where a pivot is zero or not finite. Throws what the
/// monitor throws.
template <class Entry>
void invert_blocks(const InversionBatch<Entry>& batch, std::byte* scratch, int* status,
                   const Cublas& cublas, const LibraryUse& use, const Monitor& monitor,
                   const DeviceStream& stream);

}  // namespace thinwire::device
