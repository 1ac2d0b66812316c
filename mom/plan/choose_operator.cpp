#include "mom/plan/choose_operator.h"

#include <algorithm>

#include <fmt/format.h>
#include <omp.h>

#include "cg/direct/device_factors.h"
#include "kernels/device/device_info.h"
#include "kernels/matrix/tiles.h"
#include "mom/plan/choice_parts.h"
#include "mom/plan/toeplitz_cost.h"

namespace thinwire {
namespace {

/// For each of the ranks of a host: all ranks are to choose the same.
std::size_t host_free(const Workload& work) {
  return work.ranks.tightest(0, false).free_bytes;
}

ToeplitzSize toeplitz_size(const Discretization& where) {
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
DeviceChoice by_lattice(const Discretization& where, const Options& options,
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

DeviceChoice on_gpu_by_lattice(const Discretization& where, const Options& options,
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
  choice.host_bytes = host_bytes(where, options, work, 0, threads);
  choice.start_seconds = gpu_start_s;
  choice.field_seconds = field_seconds_on_gpu(where, options, work, threads, share);
  state_shortage(choice, info.free_bytes, host_free(work), where, options, work);
  return choice;
}

DeviceChoice on_cpu_by_lattice(const Discretization& where, const Options& options,
                               const Workload& work, int threads) {
  DeviceChoice choice =
      by_lattice(where, options, work,
                 toeplitz_cost(toeplitz_size(where), method_by_lattice(options), options,
                               static_cast<double>(work.right_hand_sides), threads));
  choice.field_seconds = field_seconds_on_cpu(where, options, work, threads);
  choice.host_bytes =
      host_bytes(where, options, work, choice.matrix_bytes + choice.plan.bytes, threads);
  choice.total_bytes = choice.host_bytes;
  state_shortage(choice, 0, host_free(work), where, options, work);
  return choice;
}

namespace {

/// The plan of a grid, and what is not its choice of solver, for CPU and GPU.
DeviceChoice grid_of(const Discretization& where, const Options& options,
                     const Workload& work, int threads) {
  const Medium medium = work.ground ? Medium::perfect_ground() : Medium();
  const double k = work.largest_k_rad_per_m > 0 ? work.largest_k_rad_per_m : 1;
  DeviceChoice choice;
  choice.grid = plan_fft({where.elements(), where.basis().functions(), k, medium,
                          options.operator_tolerance,
                          static_cast<double>(host_free(work)), threads});
  choice.matrix_bytes = static_cast<std::size_t>(choice.grid->bytes);
  choice.fill_seconds = choice.grid->seconds_to_fill;
  choice.mesh_seconds = mesh_seconds(where.unknowns());
  return choice;
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

DeviceChoice on_cpu_by_grid(const Discretization& where, const ProblemSize& size,
                            const Options& options, const Workload& work, int threads) {
  const std::size_t free = host_free(work);
  DeviceChoice choice = grid_of(where, options, work, threads);
  const Options iterative = iterative_by_grid(size, options, size.coarse() <= max_coarse);
  choice.plan = choose_solver(
      size, iterative, free - std::min(free, choice.matrix_bytes), [&](Method method) {
        return cost_by_grid(size, method, iterative, work.right_hand_sides, threads,
                            choice.grid->seconds_per_product);
      });
  choice.plan.operator_choice = OperatorChoice::fft;
  choice.field_seconds = field_seconds_on_cpu(where, options, work, threads);
  choice.host_bytes =
      host_bytes(where, options, work, choice.matrix_bytes + choice.plan.bytes, threads);
  choice.total_bytes = choice.host_bytes;
  state_shortage(choice, 0, free, where, options, work);
  return choice;
}

DeviceChoice on_gpu_by_grid(const Discretization& where, const ProblemSize& size,
                            const Options& options, const Workload& work,
                            const DeviceInfo& info, double share) {
  // A product on an H200 takes about a twentieth of what 16 threads take.
  constexpr double threads_of_gpu = 320;
  const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  DeviceChoice choice = grid_of(where, options, work, threads);
  const FftPlan& grid = *choice.grid;
  const double faster = threads / (threads_of_gpu * share);
  choice.fill_seconds *= faster;
  choice.gpu = true;
  choice.index = info.index;
  choice.name = fmt::format("cuda:{} {}", info.index, info.name);
  choice.start_seconds = gpu_start_s;
  choice.field_seconds = field_seconds_on_gpu(where, options, work, threads, share);
  // The whole box of all channels, and as much for cuFFT; the near field, its places and
  // sums.
  const double boxes = 2.0 * static_cast<double>(grid.channels * grid.grid.box_nodes()),
               n = static_cast<double>(where.unknowns());
  choice.device_bytes =
      static_cast<std::size_t>(16 * boxes + 8 * grid.near_entries_per_row * n + 400 * n);
  const std::size_t left_bytes =
      info.free_bytes - std::min(info.free_bytes, choice.device_bytes);
  const Options iterative = iterative_by_grid(
      size, options,
      two_level_device_bytes(size) +
              vector_bytes(size, {SolverChoice::cocg, PreconditionerChoice::two_level},
                           options, 0, work.right_hand_sides) <=
          left_bytes);
  const double product_s = faster * grid.seconds_per_product;
  choice.plan = choose_solver(size, iterative, left_bytes, [&](Method method) {
    // Blocks alone are the CPU's.
    return on_device(method)
               ? device_cost_by_grid(size, method, iterative, work.right_hand_sides,
                                     product_s, share, info.free_bytes)
               : cost_by_grid(size, method, iterative, work.right_hand_sides, threads,
                              product_s);
  });
  choice.plan.operator_choice = OperatorChoice::fft;
  const bool there = on_device(choice.plan.method());
  if (there) choice.device_bytes += choice.plan.bytes;
  choice.host_bytes =
      host_bytes(where, options, work,
                 choice.matrix_bytes + (there ? 0 : choice.plan.bytes), threads);
  choice.total_bytes = choice.device_bytes;
  state_shortage(choice, info.free_bytes, host_free(work), where, options, work);
  return choice;
}

}  // namespace thinwire
