#include "mom/plan/choose_operator.h"

#include <fmt/format.h>

#include "kernels/base/host_memory.h"
#include "kernels/device/device_info.h"
#include "mom/plan/choice_parts.h"
#include "mom/plan/toeplitz_cost.h"

namespace thinwire {
namespace {

ToeplitzSize toeplitz_size(const Discretisation& where) {
  const Lattice& lattice = *where.lattice();
  return {where.unknowns() / lattice.antennas(), lattice.antennas(), lattice.places};
}

/// COCG with the antennas' modes where the user leaves the choice.
Method method_by_lattice(const Options& options) {
  return {options.solver == SolverChoice::automatic ? SolverChoice::cocg : options.solver,
          options.preconditioner == PreconditionerChoice::automatic
              ? PreconditionerChoice::two_level
              : options.preconditioner,
          LdltProducts::tf32};
}

/// By the antennas' lattice: what CPU and GPU have in common.
DeviceChoice by_lattice(const Discretisation& where, const Options& options,
                        const Workload& work, const PredictedCost& cost) {
  const ToeplitzSize size = toeplitz_size(where);
  const Method method = method_by_lattice(options);
  ProblemSize vectors;
  vectors.unknowns = where.unknowns();
  DeviceChoice choice;
  choice.plan.solver = method.solver;
  choice.plan.preconditioner = method.preconditioner;
  choice.plan.operator_choice = OperatorChoice::toeplitz;
  choice.plan.iterations = cost.iterations;
  choice.plan.seconds = cost.factor_s + cost.solve_s;
  choice.plan.bytes =
      toeplitz_bytes(size, method) - toeplitz_bytes(size, {}) +
      vector_bytes(vectors, method, options, cost.iterations, work.right_hand_sides);
  choice.mesh_seconds = mesh_seconds(where.unknowns());
  choice.fill_seconds = cost.fill_s;
  choice.matrix_bytes = toeplitz_bytes(size, {});
  return choice;
}

}  // namespace

DeviceChoice on_gpu_by_lattice(const Discretisation& where, const Options& options,
                               const Workload& work, int threads, const DeviceInfo& info,
                               double share) {
  const ToeplitzSize size = toeplitz_size(where);
  DeviceChoice choice = by_lattice(
      where, options, work,
      toeplitz_cost_on_gpu(size, method_by_lattice(options), options,
                           static_cast<double>(work.right_hand_sides), threads, share));
  choice.gpu = true;
  choice.index = info.index;
  choice.name = fmt::format("cuda:{} {}", info.index, info.name);
  // cuFFT's workspace is as large as its arrays, at most.
  choice.device_bytes = choice.matrix_bytes + toeplitz_array_bytes(size) +
                        choice.plan.bytes + 8 * where.unknowns();
  choice.total_bytes = choice.device_bytes;
  choice.host_bytes = host_bytes(where, options, work, 0);
  choice.start_seconds = gpu_start_s;
  choice.field_seconds =
      field_seconds_on_gpu(where.elements().size(), work.directions, work.points, share);
  const std::size_t host_free = host_memory().free;
  if (choice.device_bytes > info.free_bytes)
    choice.shortage =
        shortage_text(choice, choice.device_bytes, fmt::format("cuda:{}", info.index),
                      info.free_bytes, where, options, work);
  else if (choice.host_bytes > host_free)
    choice.shortage = shortage_text(choice, choice.host_bytes, "the host", host_free,
                                    where, options, work);
  return choice;
}

DeviceChoice on_cpu_by_lattice(const Discretisation& where, const Options& options,
                               const Workload& work, int threads) {
  DeviceChoice choice =
      by_lattice(where, options, work,
                 toeplitz_cost(toeplitz_size(where), method_by_lattice(options), options,
                               static_cast<double>(work.right_hand_sides), threads));
  choice.field_seconds = field_seconds_on_cpu(where.elements().size(), work.directions,
                                              work.points, options.cpu_rates, threads);
  choice.host_bytes =
      host_bytes(where, options, work, choice.matrix_bytes + choice.plan.bytes);
  choice.total_bytes = choice.host_bytes;
  if (const std::size_t free = host_memory().free; choice.host_bytes > free)
    choice.shortage = shortage_text(choice, choice.host_bytes, "this machine", free,
                                    where, options, work);
  return choice;
}

DeviceChoice on_cpu_by_grid(const Discretisation& where, const ProblemSize& size,
                            const Options& options, const Workload& work, int threads) {
  // The coarse matrix of two levels is dense: more modes cost more than they save.
  constexpr std::size_t most_coarse = 4000;
  const bool two_levels = size.whole_antennas && size.coarse() <= most_coarse;
  Method method = {options.solver, options.preconditioner, LdltProducts::tf32};
  if (method.solver == SolverChoice::automatic)
    method.solver = size.whole_antennas ? SolverChoice::cocg : SolverChoice::gmres;
  if (method.preconditioner == PreconditionerChoice::automatic)
    method.preconditioner =
        two_levels ? PreconditionerChoice::two_level : PreconditionerChoice::block;
  const Medium medium = work.ground ? Medium::perfect_ground() : Medium();
  const double k = work.largest_k_rad_per_m > 0 ? work.largest_k_rad_per_m : 1;
  DeviceChoice choice;
  choice.grid = plan_fft({where.elements(), where.basis().functions(), k, medium,
                          options.operator_tolerance,
                          static_cast<double>(host_memory().free), threads});
  const PredictedCost dense = cost_on_cpu(size, method, options, 1, threads);
  choice.plan.solver = method.solver;
  choice.plan.preconditioner = method.preconditioner;
  choice.plan.operator_choice = OperatorChoice::fft;
  choice.plan.iterations = dense.iterations;
  choice.plan.seconds = dense.factor_s + static_cast<double>(work.right_hand_sides) *
                                             dense.iterations *
                                             choice.grid->seconds_per_product;
  choice.plan.bytes =
      size.block_entries * sizeof(Complex) +
      vector_bytes(size, method, options, dense.iterations, work.right_hand_sides);
  choice.mesh_seconds = mesh_seconds(where.unknowns());
  choice.fill_seconds = choice.grid->seconds_to_fill;
  choice.field_seconds = field_seconds_on_cpu(where.elements().size(), work.directions,
                                              work.points, options.cpu_rates, threads);
  choice.matrix_bytes = static_cast<std::size_t>(choice.grid->bytes);
  choice.host_bytes =
      host_bytes(where, options, work, choice.matrix_bytes + choice.plan.bytes);
  choice.total_bytes = choice.host_bytes;
  if (const std::size_t free = host_memory().free; choice.host_bytes > free)
    choice.shortage = shortage_text(choice, choice.host_bytes, "this machine", free,
                                    where, options, work);
  return choice;
}

}  // namespace thinwire
