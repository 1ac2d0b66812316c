#include "cg/krylov/device_solver.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cg/krylov/device_cycle.cuh"
#include "kernels/base/error.h"

namespace thinwire {
namespace device {
namespace {

/// SolverControl::restart, or fewer iterations where no more vectors fit. What is given
/// to the GPU before the CPU sees the end needs room, too.
int restart_within_memory(const DeviceOperator& z, const ExecutorMemory& executor,
                          bool preconditioned, const SolverControl& control,
                          Placement placement) {
  constexpr std::size_t chunk = ExecutorMemory::basis_chunk;
  constexpr std::size_t spare_bytes = std::size_t{128} << 20;
  const std::size_t kept = control.flexible && preconditioned ? 2 : 1,
                    chunk_bytes = chunk * kept * executor.rhs_count() *
                                  (executor.next() + executor.next() / 64 + chunk) *
                                  sizeof(Complex),
                    free = z.min_of_owners(current_device().free_bytes);
  const std::size_t vectors =
      chunk * ((free - std::min(free, spare_bytes)) / chunk_bytes);
  const std::size_t ahead = DeviceCycles::ahead(placement);
  // Fewer than that are not worth it: the shortage is stated where it is met.
  if (vectors < ahead + chunk || vectors > executor.unknowns()) return control.restart;
  const auto most = static_cast<int>(vectors - ahead);
  return control.restart > 0 ? std::min(control.restart, most) : most;
}

std::vector<SolveResult> solve_some(Recurrence which, const DeviceOperator& z,
                                    const DevicePreconditioner* m,
                                    std::span<const Complex> v,
                                    std::span<Complex> current, SolverControl control,
                                    Placement placement) {
  const auto recurrence = make_recurrence(
      which, z, m, static_cast<int>(rhs_count_of(z, v)), control.flexible);
  ExecutorMemory& executor = recurrence->executor();
  control.restart =
      which == Recurrence::gmres
          ? restart_within_memory(z, executor, m != nullptr, control, placement)
          : 0;
  DeviceCycles cycles(*recurrence, placement);
  return run_cycles(
      z, v, current, control,
      [&](std::span<SolveRhs> all_rhs, std::span<double> norms) {
        executor.true_residuals(all_rhs, norms);
      },
      [&](std::span<SolveRhs> all_rhs) { cycles.run(all_rhs); });
}

std::vector<SolveResult> solve(Recurrence recurrence, const DeviceOperator& z,
                               const DevicePreconditioner* m, std::size_t rhs_count,
                               std::span<const Complex> v, std::span<Complex> current,
                               const SolverControl& control, Placement placement) {
  if (control.comm != nullptr && control.comm->ranks() != 1)
    throw Error(ErrorKind::usage, "iterative solver on a GPU: one rank only (got " +
                                      std::to_string(control.comm->ranks()) +
                                      "). Use --device cpu.");
  if (placement == Placement::graph && !z.fits_graph())
    throw Error(ErrorKind::usage,
                "placement graph: for the GPUs of one process only (got " +
                    std::to_string(z.owners()) + " ranks). Use --placement resident.");
  check_symmetry(recurrence, m);
  return in_groups(z, m, rhs_count, v, current,
                   [&](std::span<const Complex> some, std::span<Complex> currents) {
                     return solve_some(recurrence, z, m, some, currents, control,
                                       placement);
                   });
}

}  // namespace
}  // namespace device

SolveResult solve(Recurrence recurrence, const DeviceOperator& z,
                  const DevicePreconditioner* m, std::span<const Complex> v,
                  std::span<Complex> current, const SolverControl& control,
                  Placement placement) {
  if (placement == Placement::product) {
    const LinearOperator& on_host = z;
    return solve(recurrence, on_host, m, v, current, control);
  }
  return device::solve(recurrence, z, m, 1, v, current, control, placement).front();
}

std::vector<SolveResult> solve_rhs(Recurrence recurrence, const DeviceOperator& z,
                                   const DevicePreconditioner* m,
                                   std::span<const Complex> v, std::span<Complex> current,
                                   const SolverControl& control, Placement placement) {
  if (placement == Placement::product) {
    const LinearOperator& on_host = z;
    return solve_rhs(recurrence, on_host, m, v, current, control);
  }
  return device::solve(recurrence, z, m, rhs_count_of(z, v), v, current, control,
                       placement);
}

}  // namespace thinwire
