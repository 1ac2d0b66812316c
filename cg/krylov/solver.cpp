#include "cg/krylov/solver.h"

#include "cg/krylov/cg.h"
#include "cg/krylov/cocg.h"
#include "cg/krylov/cocr.h"
#include "cg/krylov/gmres.h"
#include "cg/krylov/host_executor.h"
#include "cg/vector_ops.h"

namespace thinwire {
namespace {

template <template <class> class Solver>
std::vector<SolveResult> run(const LinearOperator& z, const Preconditioner* m,
                             std::span<const Complex> v, std::span<Complex> current,
                             const SolverControl& control) {
  HostExecutor executor(z, m, static_cast<int>(rhs_count_of(z, v)), control);
  Solver<HostExecutor> solver(executor);
  return run_cycles(
      z, v, current, control,
      [&](std::span<SolveRhs> all_rhs, std::span<double> norms) {
        executor.true_residuals(all_rhs, norms);
      },
      [&](std::span<SolveRhs> all_rhs) {
        executor.load(all_rhs);
        solver.begin();
        for (int k = 1; executor.running(); ++k) {
          solver.prepare(k);
          solver.step();
        }
        executor.store(all_rhs);
        solver.finish();
      });
}

std::vector<SolveResult> solve_some(Recurrence recurrence, const LinearOperator& z,
                                    const Preconditioner* m, std::span<const Complex> v,
                                    std::span<Complex> current, SolverControl control) {
  if (recurrence != Recurrence::gmres) control.restart = 0;
  switch (recurrence) {
    case Recurrence::cg:
      return run<Cg>(z, m, v, current, control);
    case Recurrence::cocr:
      return run<Cocr>(z, m, v, current, control);
    case Recurrence::gmres:
      return run<Gmres>(z, m, v, current, control);
    case Recurrence::cocg:
      return run<Cocg>(z, m, v, current, control);
    case Recurrence::automatic:
    case Recurrence::direct:
      break;
  }
  throw no_iterative_solver(recurrence);
}

std::vector<SolveResult> solve(Recurrence recurrence, const LinearOperator& z,
                               const Preconditioner* m, std::size_t rhs_count,
                               std::span<const Complex> v, std::span<Complex> current,
                               const SolverControl& control) {
  check_symmetry(recurrence, m);
  return in_groups(z, m, rhs_count, v, current,
                   [&](std::span<const Complex> some, std::span<Complex> currents) {
                     return solve_some(recurrence, z, m, some, currents, control);
                   });
}

}  // namespace

std::vector<double> relative_residuals(const LinearOperator& z,
                                       std::span<const Complex> v,
                                       std::span<const Complex> current) {
  const std::size_t n = z.size();
  std::vector<Complex> r(v.size());
  z.apply_many(current, r);
  xpay(v, -1.0, r);
  std::vector<double> residuals;
  for (std::size_t first = 0; first < v.size(); first += n) {
    const double size = norm2(v.subspan(first, n)),
                 off = norm2(std::span(r).subspan(first, n));
    residuals.push_back(size > 0 ? off / size : off);
  }
  return residuals;
}

SolveResult direct_result(double relative_residual, double tolerance) {
  SolveResult result;
  result.relative_residual = relative_residual;
  // Written so that NaN is a breakdown.
  result.status =
      relative_residual <= tolerance ? SolveStatus::converged : SolveStatus::breakdown;
  return result;
}

SolveResult solve(Recurrence recurrence, const LinearOperator& z, const Preconditioner* m,
                  std::span<const Complex> v, std::span<Complex> current,
                  const SolverControl& control) {
  return solve(recurrence, z, m, 1, v, current, control).front();
}

std::vector<SolveResult> solve_rhs(Recurrence recurrence, const LinearOperator& z,
                                   const Preconditioner* m, std::span<const Complex> v,
                                   std::span<Complex> current,
                                   const SolverControl& control) {
  return solve(recurrence, z, m, rhs_count_of(z, v), v, current, control);
}

}  // namespace thinwire
