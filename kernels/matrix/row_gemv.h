#pragma once

#include <span>

#include "kernels/base/complex.h"
#include "kernels/device/device.h"

namespace thinwire {

/// The matrix-vector product of the paper that this program began with (Katsuda et al.
/// 2012, section 3): the whole matrix, column-major, one thread for each row. Kept as the
/// baseline that tuning sweeps show; symv.h is what the solvers use.

/// Entry (i, j) is at a[i + j * leading]; leading >= n. The paper pads n to a multiple of
/// 8 with dummies (leading > n), so that every column starts on a 128-byte line.
struct RowGemv {
  std::size_t n = 0;
  std::size_t leading = 0;
  bool transposed = false;  ///< y = A^T x: neighbouring threads read far apart
  int threads = 64;  ///< a block, N_T in the paper, 1 .. 1024; used on the GPU only
};

/// y = A x or A^T x. a: [leading * n], x, y: [n]. 8 n^2 flop; reads 16 n^2 bytes.
void row_gemv(const RowGemv& shape, std::span<const Complex> a,
              std::span<const Complex> x, std::span<Complex> y);

/// Multiplies on the current GPU, all arrays there. Throws Error{usage} unless threads is
/// 1 .. 1024.
void device_row_gemv(const RowGemv& shape, const Complex* a, const Complex* x, Complex* y,
                     const DeviceStream& stream);

}  // namespace thinwire
