#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cg/direct/direct.h"
#include "cg/krylov/solver.h"
#include "cg/precondition/block_preconditioner.h"
#include "mom/impedance_matrix.h"
#include "mom/plan/solver_choice.h"
#include "mom/solution.h"
#include "mom/system/prepared_system.h"

namespace thinwire {

/// One matrix made ready for solving: factored, or with its preconditioner, by the plan.
/// When `auto` chose and the iteration fails, it goes on with the direct solver and says
/// so.
class LinearSolve final : public PreparedSystem {
 public:
  struct Context {
    const Discretisation& where;
    const Options& options;
    Timings& timings_s;
    std::vector<std::string>& warnings;
    /// Called with the decades of residual gained, 0..1 of the way to the tolerance.
    std::function<void(const char* step, double fraction)> on_progress;
    /// What would make the matrix nearly singular has been said already.
    bool singular_explained = false;
  };

  LinearSolve(const ImpedanceMatrix& z, const SolverPlan& plan, Context context);

  std::vector<Complex> solve(std::span<const Complex> v) override;

 private:
  void factor();
  void prepare_preconditioner();
  std::vector<Complex> solve_direct(std::span<const Complex> v);
  std::vector<Complex> iterate(std::span<const Complex> v);

  const ImpedanceMatrix& z_;
  SolverPlan plan_;
  Context context_;
  std::unique_ptr<DirectSolver> direct_;
  std::unique_ptr<Preconditioner> preconditioner_;
};

/// What `auto` says where the iterative solver it chose missed the tolerance; fits:
/// whether there is memory for the direct one.
std::string fallback_warning(const SolverReport& report, bool fits);

}  // namespace thinwire
