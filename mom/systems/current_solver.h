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

  /// Whether solve() answers right-hand sides that follow from each other, rather than
  /// the same ones at every frequency, to keep them or to give them again.
  virtual bool takes_any_rhs() const { return false; }

  /// Sets the tolerance of the calls of solve() to come, where it is not Options'.
  virtual void set_tolerance(double tolerance) { (void)tolerance; }

  /// Returns the relative residual of each right-hand side of the last solve(); none
  /// where takes_any_rhs() is false.
  virtual std::vector<double> residuals() const { return {}; }

  /// The monitor of the calls of solve() to come, where they take long.
  virtual void watch(const Monitor& monitor) { (void)monitor; }

  /// Says that the next call of solve() has one right-hand side, a port's with this
  /// voltage, so that progress and report can tell its impedance.
  virtual void feeds(Complex voltage_v) { (void)voltage_v; }

  virtual const SolverReport& report() const = 0;

  /// Whether the resistance and the reactance of closed loops are right however small
  /// they are.
  virtual bool keeps_small_loops() const = 0;
};

}  // namespace thinwire
