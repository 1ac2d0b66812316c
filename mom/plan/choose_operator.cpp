#include "mom/plan/choose_operator.h"

#include <algorithm>

#include <fmt/format.h>

#include "cg/direct/device_factors.h"
#include "kernels/matrix/tiles.h"
#include "mom/plan/choice_parts.h"
#include "mom/plan/gpus.h"
#include "mom/plan/toeplitz_cost.h"

namespace thinwire {
namespace {

ToeplitzSize toeplitz_size(const PlanInput& in) {
  const Lattice& lattice = *in.mesh.where().lattice();
  return {in.unknowns() / lattice.antennas(), lattice.antennas(), lattice.places};
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
Plan lattice_plan(const PlanInput& in, const PredictedCost& cost) {
  const ToeplitzSize size = toeplitz_size(in);
  const Method method = method_by_lattice(in.options);
  ProblemSize vectors;
  vectors.unknowns = in.unknowns();
  Plan plan;
  plan.solver.solver = method.solver;
  plan.solver.preconditioner = method.preconditioner;
  plan.solver.operator_choice = OperatorChoice::toeplitz;
  plan.solver.iterations = cost.iterations;
  plan.solver.seconds = cost.factor_s + cost.solve_s;
  plan.solver.bytes = toeplitz_bytes(size, method) - toeplitz_bytes(size, {}) +
                      vector_bytes(vectors, method, in.options, cost.iterations,
                                   in.work.right_hand_sides);
  plan.mesh_seconds = mesh_seconds(in.unknowns());
  plan.fill_seconds = cost.fill_s;
  plan.matrix_bytes = toeplitz_bytes(size, {});
  return plan;
}

/// Completes a plan for the CPU: fields, memory, and whether that is there.
Plan finished_on_cpu(Plan plan, const PlanInput& in) {
  plan.field_seconds = field_seconds_on_cpu(in);
  plan.host_bytes = host_bytes(in, plan.matrix_bytes + plan.solver.bytes, in.threads);
  plan.total_bytes = plan.host_bytes;
  state_shortage(plan, 0, in.host_free(), in);
  return plan;
}

/// Completes a plan for a GPU that needs plan.device_bytes, and so much of the host for
/// operator and solver.
Plan finished_on_gpu(Plan plan, const PlanInput& in, const DeviceInfo& info, double share,
                     std::size_t bytes_of_host) {
  name_gpus(plan, {&info, 1});
  plan.gpus.clear();
  plan.host_bytes = host_bytes(in, bytes_of_host, in.threads);
  plan.total_bytes = plan.device_bytes;
  plan.start_seconds = gpu_start_s;
  plan.field_seconds = field_seconds_on_gpu(in, share);
  state_shortage(plan, info.free_bytes, in.host_free(), in);
  return plan;
}

/// The plan of a grid, and what is not its choice of solver, for CPU and GPU.
Plan grid_plan(const PlanInput& in) {
  Plan plan;
  plan.grid = in.mesh.grid(static_cast<double>(in.host_free()));
  plan.grid->seconds_per_product /= in.threads;
  plan.grid->seconds_to_fill /= in.threads;
  plan.matrix_bytes = static_cast<std::size_t>(plan.grid->bytes);
  plan.fill_seconds = plan.grid->seconds_to_fill;
  plan.mesh_seconds = mesh_seconds(in.unknowns());
  return plan;
}

/// How to iterate where the user leaves the choice: separate antennas with their modes'
/// coupling while `coarse_fits`.
Options iterative_by_grid(const ProblemSize& size, const Options& options,
                          bool coarse_fits) {
  Options iterative = options;
  const bool two_level = size.overlaps.empty() || size.whole_antennas;
  if (options.preconditioner == PreconditionerChoice::automatic && two_level &&
      !coarse_fits)
    iterative.preconditioner = size.overlaps.empty() ? PreconditionerChoice::block
                                                     : PreconditionerChoice::overlap;
  iterative.solver = iterative_solver(size, iterative);
  return iterative;
}

bool overlaps(const Method& method) {
  return method.preconditioner == PreconditionerChoice::overlap;
}
bool two_level(const Method& method) {
  return method.preconditioner == PreconditionerChoice::two_level;
}

/// Whether a GPU has this preconditioner where Z is a grid.
bool on_device(const Method& method) {
  return overlaps(method) || two_level(method);
}

/// Returns the bytes of the two-level preconditioner on a GPU: blocks, the coarse matrix,
/// its factors.
std::size_t two_level_device_bytes(const ProblemSize& size) {
  const std::size_t modes = size.coarse();
  return size.block_entries * sizeof(Complex) + DeviceLdlt::bytes(modes) +
         DeviceTiles::bytes(PackedTiles{modes}, Storage::complex_single);
}

/// On the CPU, products taking so many seconds each.
SolverCost cost_by_grid(const ProblemSize& size, Method method, const Options& options,
                        std::size_t right_hand_sides, int threads, double product_s) {
  const auto sides = static_cast<double>(right_hand_sides);
  const CpuRates& rates = options.cpu_rates;
  PredictedCost time = cost_on_cpu(size, method, options, sides, threads);
  const std::size_t blocks = overlaps(method) ? size.overlap(method.boxes).bytes()
                                              : size.block_entries * sizeof(Complex);
  // Blocks are read in every iteration; their entries are computed for the purpose.
  const double reading_s =
      static_cast<double>(blocks) /
      (rates.product_bytes_per_s * std::min<double>(threads, rates.reading_threads));
  const double entries = static_cast<double>(
      overlaps(method) ? size.overlap(method.boxes).read : size.block_entries);
  time.factor_s += entries / (rates.fill_entries_per_s * threads);
  const double shared = overlaps(method)
                            ? static_cast<double>(size.overlap(method.boxes).products -
                                                  size.overlap(method.boxes).entries)
                            : 0;
  const double shared_s = 8 * shared / (2 * rates.factor_flops_per_s * threads);
  double iteration_s = product_s + reading_s + shared_s;
  std::size_t bytes =
      blocks + vector_bytes(size, method, options, time.iterations, right_hand_sides);
  if (method.coarse) {
    const CoarseCost coarse =
        coarse_cost_on_cpu(size, rates, rates.fill_entries_per_s, threads);
    time.factor_s += coarse.make_s;
    iteration_s += product_s + coarse.apply_s;
    bytes += coarse.bytes;
  }
  time.solve_s = sides * time.iterations * iteration_s;
  return {time, bytes};
}

/// Returns the cost on a GPU with so much memory free, for methods that are on_device.
SolverCost device_cost_by_grid(const ProblemSize& size, Method method,
                               const Options& options, std::size_t right_hand_sides,
                               double product_s, double share, std::size_t free_bytes) {
  PredictedCost time = two_level(method)
                           ? two_level_cost_on_gpu(size, options, share)
                           : overlap_cost_on_gpu(size, method, options, share);
  double iteration_s = product_s;
  std::size_t coarse_bytes = 0;
  if (method.coarse) {
    const CoarseCost coarse = coarse_cost_on_gpu(size, share);
    time.factor_s += coarse.make_s;
    iteration_s += product_s + coarse.apply_s;
    coarse_bytes = coarse.bytes;
  }
  time.solve_s = static_cast<double>(right_hand_sides) *
                 (time.solve_s + time.iterations * iteration_s);
  const auto bytes = [&](double iterations) {
    return vector_bytes(size, method, options, iterations, right_hand_sides);
  };
  if (two_level(method))
    return {time, two_level_device_bytes(size) + bytes(time.iterations)};
  const OverlapExtent& extent = size.overlap(method.boxes);
  // GMRES starts anew where memory holds no more vectors: half of what is free will do,
  // or what a hundred iterations take.
  return {time,
          extent.device_bytes() + extent.device_inversion_bytes() + coarse_bytes +
              std::min(bytes(time.iterations), std::max(bytes(100), free_bytes / 2))};
}

}  // namespace

Plan on_cpu_by_lattice(const PlanInput& in) {
  return finished_on_cpu(
      lattice_plan(
          in, toeplitz_cost(toeplitz_size(in), method_by_lattice(in.options), in.options,
                            static_cast<double>(in.work.right_hand_sides), in.threads)),
      in);
}

Plan on_gpu_by_lattice(const PlanInput& in, const DeviceInfo& info, double share) {
  const ToeplitzSize size = toeplitz_size(in);
  Plan plan = lattice_plan(
      in, toeplitz_cost_on_gpu(size, method_by_lattice(in.options), in.options,
                               static_cast<double>(in.work.right_hand_sides), in.threads,
                               share));
  // cuFFT's workspace is as large as its arrays, at most.
  plan.device_bytes = plan.matrix_bytes + toeplitz_array_bytes(size) + plan.solver.bytes +
                      8 * in.unknowns();
  return finished_on_gpu(std::move(plan), in, info, share, 0);
}

Plan on_cpu_by_grid(const PlanInput& in) {
  Plan plan = grid_plan(in);
  const Options iterative =
      iterative_by_grid(in.size, in.options, in.size.coarse() <= max_coarse);
  const std::size_t free = in.host_free();
  plan.solver = choose_solver(
      in.size, iterative, free - std::min(free, plan.matrix_bytes), [&](Method method) {
        return cost_by_grid(in.size, method, iterative, in.work.right_hand_sides,
                            in.threads, plan.grid->seconds_per_product);
      });
  plan.solver.operator_choice = OperatorChoice::fft;
  return finished_on_cpu(std::move(plan), in);
}

Plan on_gpu_by_grid(const PlanInput& in, const DeviceInfo& info, double share) {
  // A product on an H200 takes about a twentieth of what 16 threads take.
  constexpr double threads_of_gpu = 320;
  Plan plan = grid_plan(in);
  const FftPlan& grid = *plan.grid;
  const double faster = in.threads / (threads_of_gpu * share);
  plan.fill_seconds *= faster;
  // The whole box of all channels, and as much for cuFFT; the near field, its places and
  // sums.
  const double boxes = 2.0 * static_cast<double>(grid.channels * grid.grid.box_nodes()),
               n = static_cast<double>(in.unknowns());
  plan.device_bytes =
      static_cast<std::size_t>(16 * boxes + 8 * grid.near_entries_per_row * n + 400 * n);
  const std::size_t sides = in.work.right_hand_sides,
                    left_bytes =
                        info.free_bytes - std::min(info.free_bytes, plan.device_bytes);
  const Options iterative = iterative_by_grid(
      in.size, in.options,
      two_level_device_bytes(in.size) +
              vector_bytes(in.size, {SolverChoice::cocg, PreconditionerChoice::two_level},
                           in.options, 0, sides) <=
          left_bytes);
  const double product_s = faster * grid.seconds_per_product;
  plan.solver = choose_solver(in.size, iterative, left_bytes, [&](Method method) {
    // Blocks alone are the CPU's.
    return on_device(method)
               ? device_cost_by_grid(in.size, method, iterative, sides, product_s, share,
                                     info.free_bytes)
               : cost_by_grid(in.size, method, iterative, sides, in.threads, product_s);
  });
  plan.solver.operator_choice = OperatorChoice::fft;
  const bool there = on_device(plan.solver.method());
  if (there) plan.device_bytes += plan.solver.bytes;
  const std::size_t bytes_of_host = plan.matrix_bytes + (there ? 0 : plan.solver.bytes);
  return finished_on_gpu(std::move(plan), in, info, share, bytes_of_host);
}

}  // namespace thinwire
