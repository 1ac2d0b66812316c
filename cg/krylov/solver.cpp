#include "cg/krylov/solver.h"

#include "cg/krylov/cg.h"
#include "cg/krylov/cocg.h"
#include "cg/krylov/cocr.h"
#include "cg/krylov/gmres.h"
#include "cg/krylov/host_machine.h"

namespace thinwire {
namespace {

template <template <class> class Solver>
std::vector<SolveResult> run(const LinearOperator& z, const Preconditioner* m,
                             std::span<const Complex> v, std::span<Complex> current,
                             const SolverControl& control) {
  HostMachine machine(z, m, static_cast<int>(sides_of(z, v)), control);
  Solver<HostMachine> solver(machine);
  return run_cycles(
      z, v, current, control,
      [&](std::span<SolveSide> sides, std::span<double> norms) {
        machine.true_residuals(sides, norms);
      },
      [&](std::span<SolveSide> sides) {
        machine.load(sides);
        solver.begin();
        for (int k = 1; machine.running(); ++k) {
          solver.prepare(k);
          solver.step();
        }
        machine.store(sides);
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
      break;
  }
  return run<Cocg>(z, m, v, current, control);
}

std::vector<SolveResult> solve(Recurrence recurrence, const LinearOperator& z,
                               const Preconditioner* m, std::size_t sides,
                               std::span<const Complex> v, std::span<Complex> current,
                               const SolverControl& control) {
  check_symmetry(recurrence, m);
  return in_groups(z, m, sides, v, current,
                   [&](std::span<const Complex> some, std::span<Complex> currents) {
                     return solve_some(recurrence, z, m, some, currents, control);
                   });
}

}  // namespace

SolveResult solve(Recurrence recurrence, const LinearOperator& z, const Preconditioner* m,
                  std::span<const Complex> v, std::span<Complex> current,
                  const SolverControl& control) {
  return solve(recurrence, z, m, 1, v, current, control).front();
}

std::vector<SolveResult> solve_sides(Recurrence recurrence, const LinearOperator& z,
                                     const Preconditioner* m, std::span<const Complex> v,
                                     std::span<Complex> current,
                                     const SolverControl& control) {
  return solve(recurrence, z, m, sides_of(z, v), v, current, control);
}

}  // namespace thinwire
