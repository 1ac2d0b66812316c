#pragma once

#include <span>
#include <vector>

#include "cg/preconditioner.h"
#include "kernels/fft/fft.h"
#include "mom/operators/toeplitz_levels.h"
#include "mom/operators/toeplitz_operator.h"

namespace thinwire {

/// ToeplitzBlocks with or without the antennas' modes, on the CPU.
class ToeplitzPreconditioner final : public Preconditioner {
 public:
  /// z must outlive this. Throws what ToeplitzBlocks does.
  ToeplitzPreconditioner(const ToeplitzOperator& z, bool two_level);

  std::size_t size() const override { return z_.size(); }
  /// One call at a time: the array is this object's own.
  void apply(std::span<const Complex> r, std::span<Complex> z) const override;

 private:
  const ToeplitzOperator& z_;
  ToeplitzBlocks blocks_;
  Fft fft_;
  std::vector<Complex> correction_;       // [places]; empty without modes
  mutable std::vector<Complex> moments_;  // [places]
};

}  // namespace thinwire
