#pragma once

#include <complex>
#include <vector>

#include "kernels/base/monitor.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// Whatever finds the currents of a structure at one frequency.
class CurrentSolver {
 public:
  virtual ~CurrentSolver() = default;

  /// Solves Z I = V for each of v, [n]; report() then covers these solutions too.
  virtual std::vector<std::vector<Complex>> solve(
      const std::vector<std::vector<Complex>>& v) = 0;

  /// The monitor of the calls of solve() to come, where they take long.
  virtual void watch(const Monitor& monitor) { (void)monitor; }

  virtual const SolverReport& report() const = 0;

  /// Whether the resistance and the reactance of closed loops are right however small
  /// they are.
  virtual bool keeps_small_loops() const = 0;
};

}  // namespace thinwire
