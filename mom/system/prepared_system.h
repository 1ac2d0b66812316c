#pragma once

#include <complex>
#include <span>
#include <vector>

#include "mom/solution.h"

namespace thinwire {

/// One matrix made ready for solving: factored, or with its preconditioner.
class PreparedSystem {
 public:
  virtual ~PreparedSystem() = default;
  /// Solves Z I = V; v, result: [n]. report() then covers this solution too.
  virtual std::vector<Complex> solve(std::span<const Complex> v) = 0;
  const SolverReport& report() const { return report_; }
  /// From here on the report counts anew: the next excitations belong to another result.
  void start_report() {
    report_.iterations = 0;
    report_.relative_residual = 0;
    report_.converged = true;
    report_.residual_history.clear();
  }

 protected:
  SolverReport report_;
};

}  // namespace thinwire
