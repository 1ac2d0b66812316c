#pragma once

#include <complex>
#include <vector>

#include "mom/solution.h"

namespace thinwire {

/// Whatever finds the currents of a structure at one frequency.
class CurrentSolver {
 public:
  virtual ~CurrentSolver() = default;

  /// Solves Z I = V for each of v, [n]; report() then covers these solutions too.
  virtual std::vector<std::vector<Complex>> solve(
      const std::vector<std::vector<Complex>>& v) = 0;

  virtual const SolverReport& report() const = 0;

  /// Whether the resistance and the reactance of closed loops are right however small
  /// they are.
  virtual bool keeps_small_loops() const = 0;
};

}  // namespace thinwire
