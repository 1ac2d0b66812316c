#pragma once

#include <memory>
#include <string_view>

#include "cg/linear_operator.h"
#include "cg/preconditioner.h"
#include "kernels/base/monitor.h"
#include "mom/problem/options.h"

namespace thinwire {

/// An impedance matrix that is never made as a whole, loads included, on the CPU.
class Operator : public LinearOperator {
 public:
  /// The word that Options::operator_choice has for it.
  virtual std::string_view name() const = 0;
  /// Null for `none`; `choice` is not automatic. It may use this operator, which must
  /// outlive it. Throws what the monitor throws.
  virtual std::unique_ptr<Preconditioner> make_preconditioner(
      PreconditionerChoice choice, const Monitor& monitor) const = 0;
};

}  // namespace thinwire
