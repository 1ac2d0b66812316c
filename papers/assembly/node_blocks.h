#pragma once

#include <vector>

#include "cg/device_preconditioner.h"
#include "cg/preconditioner.h"
#include "papers/assembly/block_product.h"

namespace thinwire {

/// The diagonal 3 x 3 blocks of a matrix, factored ("block LU" of Ohshima et al. 2011).
/// L has a unit diagonal, U's is stored inverted; no pivots, which a positive definite
/// block does not want.
class NodeBlockPreconditioner final : public Preconditioner {
 public:
  /// Throws Error{numeric} where a diagonal block is missing or a pivot is not positive.
  explicit NodeBlockPreconditioner(const BlockMatrixView& matrix);

  std::size_t size() const override { return factors_.size() / 3; }
  void apply(std::span<const Complex> r, std::span<Complex> z) const override;

 private:
  std::vector<double> factors_;  // [rows][9]
};

/// Block preconditioner on the current GPU.
class DeviceNodeBlockPreconditioner final : public DevicePreconditioner {
 public:
  /// matrix: on the GPU. Throws Error{numeric}, Error{memory}.
  explicit DeviceNodeBlockPreconditioner(const BlockMatrixView& matrix);

  std::size_t size() const override { return factors_.size() / 3; }
  void multiply(const Complex* r, Complex* z, const DeviceStream& stream) const override;
  std::size_t bytes() const override { return factors_.bytes(); }

 private:
  DeviceBuffer<double> factors_;
};

/// Factors the diagonal block of a row. False: there is none, or it has a pivot that is
/// not positive.
THINWIRE_HD inline bool factor_node_block(const BlockMatrixView& matrix, std::size_t row,
                                          double* factors) {
  const std::int64_t first = matrix.row_ptr[row];
  const auto n = static_cast<std::uint32_t>(matrix.row_ptr[row + 1] - first);
  const auto node = static_cast<std::uint32_t>(row);
  if (n == 0) return false;
  const std::uint32_t place = block_place(matrix.column + first, n, node);
  if (matrix.column[first + place] != node) return false;
  const double* block = matrix.value + block_values * (first + place);
  for (std::size_t i = 0; i < block_values; ++i) factors[i] = block[i];
  for (int k = 0; k < 3; ++k) {
    if (!(factors[4 * k] > 0)) return false;
    factors[4 * k] = 1 / factors[4 * k];
    for (int i = k + 1; i < 3; ++i) {
      factors[3 * i + k] *= factors[4 * k];
      for (int j = k + 1; j < 3; ++j)
        factors[3 * i + j] -= factors[3 * i + k] * factors[3 * k + j];
    }
  }
  return true;
}

/// Solves with the factors. C: real or complex.
template <class C>
THINWIRE_HD void solve_node_block(const double* f, const C (&r)[3], C (&z)[3]) {
  const C y1 = r[1] - f[3] * r[0];
  const C y2 = r[2] - f[6] * r[0] - f[7] * y1;
  z[2] = f[8] * y2;
  z[1] = f[4] * (y1 - f[5] * z[2]);
  z[0] = f[0] * (r[0] - f[1] * z[1] - f[2] * z[2]);
}

/// Throws the error of a block without factors. row: the first such row.
[[noreturn]] void throw_no_node_block(std::size_t row);

}  // namespace thinwire
