#pragma once

#include <cstddef>
#include <cstdint>

#include "cg/linear_operator.h"
#include "kernels/device/device.h"

namespace thinwire {

/// A complex-symmetric matrix of a batch, n x n, and its right-hand sides: where they
/// start in arrays on the GPU that have those of all.
struct BatchedMatrix {
  std::uint32_t n = 0, rhs_count = 0;
  std::uint64_t z = 0;    ///< of the whole matrix, [n][n]; its diagonal is saved at `row`
  std::uint64_t v = 0;    ///< of the right-hand sides, [rhs_count][n]
  std::uint64_t row = 0;  ///< of what has an entry for each row, [n]
  std::uint64_t rhs = 0;  ///< of arrays with a number per right-hand side, [rhs_count]
};

/// Quality of the elimination without pivots, as of SplitLdlt.
struct EliminationReport {
  double growth = 0;          ///< SplitLdlt::growth; not finite: a pivot was zero
  double smallest_pivot = 0;  ///< SplitLdlt::smallest_pivot
};

/// Many small dense systems at once on the GPU: Z = L D L^T without pivoting, what
/// SplitLdlt is on the CPU, and the solutions with their residuals.
///
/// All on the GPU. matrices: [count]. z: whole symmetric matrices; of each the lower
/// triangle, entry (i, j) at [j * n + i], j <= i, is overwritten, the other one stays.
/// v: right-hand sides. x: [as v], gets the solutions. diagonal: [rows of all], gets the
/// diagonals of z. relative_residual: [rhs_count of all], of the solutions.
/// reports: [count].
struct LdltBatch {
  const BatchedMatrix* matrices = nullptr;
  std::size_t count = 0;
  std::size_t largest = 0;  ///< largest n + rhs_count of a matrix
  Complex* z = nullptr;
  const Complex* v = nullptr;
  Complex *x = nullptr, *diagonal = nullptr;
  double* relative_residual = nullptr;
  EliminationReport* reports = nullptr;
};

/// 4/3 n^3 + 16 n^2 flop each. `largest` is at most max_batched_rows(). The same bits
/// every time, whatever else is in the batch. Does not wait.
void solve_batch(const LdltBatch& batch, const DeviceStream& stream);

/// Rows, right-hand sides among them, of a matrix whose narrow panel fits into a block's
/// shared memory on every GPU that has 99 KiB of it.
constexpr std::size_t max_batched_rows() {
  return 792;
}

/// z[place[i]] += value[i], i < count; no place occurs twice. All on the GPU.
void add_to_batch(const std::uint64_t* place, const Complex* value, std::size_t count,
                  Complex* z, const DeviceStream& stream);

}  // namespace thinwire
