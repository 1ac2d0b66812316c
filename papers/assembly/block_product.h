#pragma once

#include <complex>
#include <span>

#include "kernels/device/device.h"
#include "papers/assembly/block_crs.h"

namespace thinwire {

/// y = A x, the matrix real, the vectors complex. x, y: [3 rows], may not alias. Sums
/// have a fixed order.
void multiply_blocks(const BlockMatrixView& matrix,
                     std::span<const std::complex<double>> x,
                     std::span<std::complex<double>> y);

/// Multiplies on the current GPU, with 16-byte aligned arrays there. Enqueues the work on
/// the stream and does not wait.
void multiply_blocks(const BlockMatrixView& matrix, const std::complex<double>* x,
                     std::complex<double>* y, const DeviceStream& stream);

/// hold_nodes() on the current GPU. held: [rows] there; value: of the matrix.
void hold_nodes(const BlockMatrixView& matrix, const char* held, double* value,
                const DeviceStream& stream);

}  // namespace thinwire
