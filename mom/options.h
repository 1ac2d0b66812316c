#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace thinwire {

enum class SolverChoice { automatic, direct, cg, cocg, cocr, gmres };
enum class PreconditionerChoice { automatic, none, block, two_level };
enum class MeshChoice { graded, as_given };
enum class KernelChoice { exact, reduced };

/// What is being done and how far it is, for a progress line.
struct Progress {
  std::string step;     ///< "fill", "factor", "solve", "pattern", ...
  double fraction = 0;  ///< of the whole job, 0..1
};

/// How to solve; what to solve is in Problem. The defaults are what `thinwire solve DECK`
/// uses.
struct Options {
  SolverChoice solver = SolverChoice::automatic;
  PreconditionerChoice preconditioner = PreconditionerChoice::automatic;
  double tolerance = 1e-6;  ///< relative residual norm at which iterative solvers stop
  int max_iterations = 0;   ///< 0: a bound from the number of unknowns
  std::string device = "auto";         ///< auto | cpu | cuda | cuda:N
  std::string placement = "resident";  ///< product | resident | graph, on a GPU only
  std::string precision = "double";    ///< double | mixed | single
  MeshChoice mesh = MeshChoice::graded;
  KernelChoice kernel = KernelChoice::exact;
  int threads = 0;           ///< 0: all that OpenMP offers
  bool port_matrix = false;  ///< fill FrequencyResult::port_impedance_ohm too
  /// What reflections (VSWR, S11, Touchstone) refer to; the solution does not depend on
  /// it.
  double reference_ohm = 50;
  bool save_matrix = false;  ///< fill Solution::impedance_matrix_ohm (last frequency)

  std::function<void(const Progress&)>
      on_progress;                          ///< may be empty; called from one thread
  const std::atomic<bool>* stop = nullptr;  ///< set: solve throws Error{interrupted} soon
};

}  // namespace thinwire
