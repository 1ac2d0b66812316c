#pragma once

#include <cstddef>
#include <span>

#include "cg/linear_operator.h"

namespace thinwire {

/// An approximate inverse M of Z.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual std::size_t size() const = 0;
  /// Whether M is complex symmetric as Z is (M = M^T). COCG and COCR need that, and CG on
  /// the normal equations takes M^H x as conj(M conj(x)): they refuse one that is not.
  virtual bool symmetric() const { return true; }
  /// Returns the number of functions of a coarse level of overlapping Schwarz.
  virtual std::size_t coarse_functions() const { return 0; }
  /// Replaces the operator in whose place M is by one that differs little and must
  /// outlive this; for those that multiply with it.
  virtual void set_operator(const LinearOperator& z) { (void)z; }
  /// z = M r. r, z: [size()], may not alias.
  virtual void apply(std::span<const Complex> r, std::span<Complex> z) const = 0;
};

}  // namespace thinwire
