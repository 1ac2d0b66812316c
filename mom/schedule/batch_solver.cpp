#include "mom/schedule/batch_solver.h"

#include <algorithm>

#include "cg/direct/split_ldlt.h"
#include "cg/impedance_matrix.h"
#include "cg/krylov/solver.h"
#include "kernels/fill/fill.h"
#include "mom/schedule/tasks.h"

namespace thinwire {
namespace {

/// Limits of SplitLdlt's growth and smallest pivot, the same as DirectSolver's.
constexpr double max_growth = 64, far_above_rounding = 1e-8;
/// A matrix that is sound is solved to rounding.
constexpr double max_residual = 1e-10;

BatchSolution solve_alone(const BatchSystem& system, GreensKernel kernel) {
  const std::size_t n = system.unknowns();
  constexpr double k = 1;
  NearPairTable near(system.elements, {k, k, 1}, kernel, system.medium);
  near.set_wavenumber(k);
  ImpedanceMatrix z(n);
  fill_impedance({system.elements, system.basis, k, kernel, system.medium, &near},
                 z.tiles());
  for (const MatrixUpdate& load : system.loads) z.add(load.row, load.column, load.value);
  const SplitLdlt factors(z.layout(), z.tiles());
  BatchSolution solution{system.v, {}, factors.growth(), factors.smallest_pivot()};
  factors.solve(solution.current);
  solution.relative_residual = relative_residuals(z, system.v, solution.current);
  return solution;
}

class CpuBatchSolver final : public BatchSolver {
 public:
  std::string name() const override { return "cpu"; }
  bool takes(std::size_t, std::size_t) const override { return true; }
  std::vector<BatchSolution> solve(std::span<const BatchSystem* const> systems,
                                   GreensKernel kernel) const override {
    std::vector<BatchSolution> solutions(systems.size());
    run_tasks(systems.size(), omp_get_max_threads(),
              [&](std::size_t i) { solutions[i] = solve_alone(*systems[i], kernel); });
    return solutions;
  }
};

}  // namespace

bool BatchSolution::sound() const {
  // Written so that NaN is not sound.
  return growth <= max_growth && smallest_pivot > far_above_rounding &&
         std::all_of(relative_residual.begin(), relative_residual.end(),
                     [](double r) { return r <= max_residual; });
}

std::unique_ptr<BatchSolver> cpu_batch_solver() {
  return std::make_unique<CpuBatchSolver>();
}

}  // namespace thinwire
