#include "mom/plan/choose_device.h"

#include <algorithm>

#include <fmt/format.h>

#include "cg/direct/device_factors.h"
#include "cg/direct/direct.h"
#include "cg/tiled_operator.h"
#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/element/element.h"
#include "kernels/matrix/tiles.h"
#include "mom/gpu.h"
#include "mom/impedance_matrix.h"
#include "mom/loops.h"
#include "mom/plan/choice_parts.h"
#include "mom/plan/choose_operator.h"
#include "mom/plan/gpus.h"

namespace thinwire {
namespace {

/// Frequencies of a sweep over GN 2 at which the ground is computed (ground_sweep.h), and
/// how many times as many there must be.
constexpr double ground_nodes = 17, pays_from = 27;

/// The same of the matrix on the CPU (kernels/fill/matrix_sweep.h), and what a matrix in
/// between costs of one that is filled.
constexpr double matrix_nodes = 10, interpolated = 0.05;
/// Whether that pays, where it can be done.
bool is_sweep(const Workload& work) {
  return !work.host_fill && static_cast<double>(work.frequencies) > 2 * matrix_nodes;
}

/// Of frequencies that are solved side by side on the CPU, by SplitLdlt: its share of the
/// rate of LAPACK's products, and what it does beside them.
constexpr double split_ldlt_share = 0.6, split_ldlt_s_per_entry = 5e-9;

double side_by_side_seconds(std::size_t unknowns, const CpuRates& rates, int threads) {
  const auto n = static_cast<double>(unknowns);
  return (4.0 / 3 * n * n * n / (split_ldlt_share * rates.factor_flops_per_s) +
          split_ldlt_s_per_entry * n * n) /
         std::min<double>(threads, rates.computing_threads);
}

/// Of GN 2's table at the highest frequency.
GroundCost table_cost(const Discretisation& where, const Options& options,
                      const Workload& work, int threads) {
  if (work.table_k_rad_per_m == 0) return {};
  return ground_cost(where.elements(), work.table_ground, work.table_k_rad_per_m,
                     options.cpu_rates, threads);
}

BuriedCost buried_cost(const Discretisation& where, const Options& options,
                       const Workload& work, int threads) {
  if (work.table_k_rad_per_m == 0) return {};
  return buried_cost(where.elements(), work.table_ground, work.table_k_rad_per_m,
                     options.cpu_rates, threads);
}

/// Below this predicted time on the CPU, `auto` does not look for a GPU.
constexpr double worth_a_look_s = 0.5;

/// A fill over real ground against one in free space, arrays of dipoles as given, the
/// table apart.
constexpr double real_ground_on_cpu = 1.7, real_ground_on_gpu = 3;

constexpr const char* gpu_precisions =
    "the CPU solves in double precision only. Use --precision double, or --device cuda.";

/// Of the direct solver: GMRES's basis, kept twice, 32 steps of it, and a few.
constexpr std::size_t refinement_vectors = 2 * 32 + 8;

/// What GPUs that share the matrix wait for each other at each product.
constexpr double exchange_s = 20e-6;

/// A GPU's plan, or that of several: the same choice of solver as on the CPU, with the
/// GPU's costs.
SolverPlan device_plan(const ProblemSize& size, const Options& options,
                       std::size_t right_hand_sides, double share, int gpus,
                       std::size_t most_bytes) {
  const auto bytes = [&](Method method, double iterations) {
    const std::size_t n = size.unknowns, coarse = size.coarse();
    if (method.solver == SolverChoice::direct)
      return DeviceLdlt::bytes(n, gpus) + refinement_vectors * sizeof(Complex) * n;
    std::size_t all = vector_bytes(size, method, options, iterations, right_hand_sides);
    if (method.preconditioner == PreconditionerChoice::overlap) {
      const OverlapExtent& extent = size.overlap(method.boxes);
      return all + extent.device_bytes() + extent.device_inversion_bytes();
    }
    if (method.preconditioner != PreconditionerChoice::none)
      all += size.block_entries * sizeof(Complex) + 4 * n;
    if (method.preconditioner == PreconditionerChoice::two_level)
      all += 2 * sizeof(Complex) * coarse * coarse;
    return all;
  };
  return choose_solver(size, options, most_bytes, [&](Method method) {
    const auto sides = static_cast<double>(right_hand_sides);
    PredictedCost time = cost_on_gpu(size, method, options, sides, share);
    if (gpus > 1) time.solve_s += sides * time.iterations * exchange_s;
    return SolverCost{time, bytes(method, time.iterations)};
  });
}

/// Bytes of the matrices of near pairs at the nodes of a sweep on the CPU: 2 to 5 pairs
/// an element, 7 to 13 nodes over an octave or a decade.
std::size_t near_pair_bytes(const Discretisation& where, const Workload& work,
                            std::size_t free_bytes, std::size_t taken_bytes) {
  constexpr std::size_t most_nodes = 16, pairs_an_element = 6;
  // Fewer frequencies than nodes are integrated one by one.
  if (work.frequencies < 8) return 0;
  return std::min(pairs_an_element * sizeof(ElementMatrix) *
                      std::min(work.frequencies, most_nodes) * where.elements().size(),
                  most_near_pair_bytes(free_bytes, taken_bytes));
}

/// Whether ranks share the dense matrix: not where it comes whole from a file, nor where
/// closed loops far smaller than the wavelength want LoopSystem's unknowns.
bool shares_matrix(const Discretisation& where, const ProblemSize& size,
                   const Options& options, const Workload& work) {
  return work.ranks.ranks() > 1 && where.unknowns() >= least_unknowns_to_share &&
         !work.stored &&
         !(size.loops > 0 &&
           (options.solver == SolverChoice::automatic ||
            options.solver == SolverChoice::direct) &&
           is_small_for_loops(where.elements(), work.loop_medium, work.loop_k_rad_per_m));
}

/// The fastest solver that `make` finds memory for: where `auto` takes the direct one and
/// it does not fit, an iterative one is tried.
template <class Make>
DeviceChoice that_fits(const ProblemSize& size, const Options& options,
                       const Make& make) {
  DeviceChoice choice = make(options);
  if (choice.shortage.empty() || options.solver != SolverChoice::automatic ||
      choice.plan.solver != SolverChoice::direct)
    return choice;
  Options iterative = options;
  iterative.solver = iterative_solver(size, options);
  DeviceChoice smaller = make(iterative);
  if (!smaller.shortage.empty()) return choice;
  smaller.plan.why = fmt::format("direct would need {}", gibibytes(choice.total_bytes));
  return smaller;
}

DeviceChoice on_cpu_dense(const Discretisation& where, const ProblemSize& size,
                          const Options& wanted, const Workload& work, int threads) {
  const RankPart part = work.ranks.tightest(ImpedanceMatrix::bytes(where.unknowns()),
                                            shares_matrix(where, size, wanted, work));
  const bool alone = part.ranks == 1;
  const GroundCost ground = table_cost(where, wanted, work, threads);
  const BuriedCost buried = buried_cost(where, wanted, work, threads);
  return that_fits(size, wanted, [&](const Options& options) {
    DeviceChoice choice;
    choice.ground = ground;
    choice.buried = buried;
    choice.plan = choose_solver(size, options, work.right_hand_sides, threads, part);
    if (alone && choice.plan.solver == SolverChoice::direct && is_sweep(work) &&
        where.unknowns() < least_unknowns_for_threads)
      choice.plan.seconds =
          side_by_side_seconds(where.unknowns(), options.cpu_rates, threads);
    choice.mesh_seconds = mesh_seconds(where.unknowns());
    choice.fill_seconds = fill_seconds_on_cpu(where.unknowns(), options, threads) *
                          (work.real_ground ? real_ground_on_cpu : 1) * part.share;
    choice.field_seconds =
        field_seconds_on_cpu(where.elements().size(), work.directions, work.points,
                             options.cpu_rates, threads) +
        buried_field_seconds(where.elements().size(), work.buried_points,
                             options.cpu_rates, threads);
    choice.matrix_bytes = part.of(ImpedanceMatrix::bytes(where.unknowns()));
    const std::size_t taken =
        choice.matrix_bytes + choice.plan.bytes + ground.table_bytes + buried.table_bytes;
    choice.host_bytes =
        host_bytes(where, options, work,
                   taken + near_pair_bytes(where, work, part.free_bytes, taken));
    choice.total_bytes = choice.host_bytes;
    state_shortage(choice, 0, part.free_bytes, where, options, work);
    return choice;
  });
}

/// Whether the choice is `auto`'s and nothing asks for all of Z.
bool may_take_the_grid(const Options& options) {
  return options.operator_choice == OperatorChoice::automatic &&
         options.solver != SolverChoice::direct && !options.save_matrix &&
         options.kernel == KernelChoice::exact &&
         options.precision == PrecisionChoice::in_double;
}

/// Of `auto`: the grid where it is to be twice as fast or the matrix does not fit.
DeviceChoice on_cpu(const Discretisation& where, const ProblemSize& size,
                    const Options& options, const Workload& work, int threads) {
  constexpr std::size_t few_unknowns = 10000;
  if (where.lattice()) return on_cpu_by_lattice(where, options, work, threads);
  if (options.operator_choice == OperatorChoice::fft)
    return on_cpu_by_grid(where, size, options, work, threads);
  DeviceChoice dense = on_cpu_dense(where, size, options, work, threads);
  if (work.real_ground) return dense;
  if (!may_take_the_grid(options) || where.unknowns() < few_unknowns) return dense;
  try {
    DeviceChoice grid = on_cpu_by_grid(where, size, options, work, threads);
    const double dense_s = predicted_seconds(dense, work),
                 grid_s = predicted_seconds(grid, work);
    if (!grid.shortage.empty() || (dense.shortage.empty() && 2 * grid_s > dense_s))
      return dense;
    add_reason(
        grid.plan,
        dense.shortage.empty()
            ? fmt::format("predicted {:.2g} s by a grid, {:.2g} s dense", grid_s, dense_s)
            : fmt::format("dense would need {}", gibibytes(dense.total_bytes)));
    return grid;
  } catch (const Error&) {
    return dense;  // no grid fits: what dense says of itself counts
  }
}

/// Whether rows of tiles are enough for each GPU to have some.
bool can_share(const Discretisation& where, std::span<const DeviceInfo> gpus) {
  return gpus.size() > 1 && PackedTiles{where.unknowns()}.rows() >= gpus.size();
}

DeviceChoice on_gpu_dense(const Discretisation& where, const ProblemSize& size,
                          const Options& wanted, const Workload& work, int threads,
                          std::span<const DeviceInfo> gpus) {
  const std::size_t n = where.unknowns();
  const DeviceInfo& info = gpus.front();
  double share = 0;
  for (const DeviceInfo& gpu : gpus)
    share += gpu.multiprocessors / multiprocessors_measured;
  const std::size_t least_free =
      std::min_element(gpus.begin(), gpus.end(), [](const auto& a, const auto& b) {
        return a.free_bytes < b.free_bytes;
      })->free_bytes;
  const int count = static_cast<int>(gpus.size());
  const HostMemory memory = host_memory();
  GroundCost ground = table_cost(where, wanted, work, threads);
  ground.table_s = table_seconds_on_gpu(ground.table_bytes);
  const BuriedCost buried = buried_cost(where, wanted, work, threads);
  return that_fits(size, wanted, [&](const Options& options) {
    DeviceChoice choice;
    choice.ground = ground;
    choice.buried = buried;
    name_gpus(choice, gpus);
    const Storage storage = options.precision == PrecisionChoice::in_double
                                ? Storage::complex_double
                                : Storage::complex_single;
    choice.matrix_bytes = DeviceTiles::bytes(PackedTiles{n}, storage);
    // Of each, where they are alike; those with less memory take less.
    const std::size_t own_bytes = choice.matrix_bytes / gpus.size();
    choice.plan = device_plan(size, options, work.right_hand_sides, share, count,
                              least_free - std::min(least_free, own_bytes));
    // With the partial sums of the products, the mesh and its near pairs, and what CUDA
    // itself takes.
    const auto sums_of = [&](int sides) {
      return require_gpu().product_bytes(PackedTiles{n}, storage, sides,
                                         info.multiprocessors, options.symv);
    };
    const bool in_step =
        sides_in_step(choice.plan.solver, options, work.right_hand_sides) > 1;
    const std::size_t sums = sums_of(1) + (in_step ? sums_of(4) : 0),
                      mesh = 1000 * where.elements().size(),
                      refinement = options.precision == PrecisionChoice::mixed
                                       ? (std::size_t{1} << 28)
                                       : 0;
    const std::size_t beside =
        choice.plan.bytes + sums + mesh + refinement + ground.table_bytes +
        (count > 1 ? 2 * TiledOperator::window_bytes(PackedTiles{n}) : 0);
    choice.device_bytes = own_bytes + beside;
    choice.total_bytes = choice.matrix_bytes + beside;
    const bool shares_fit = set_gpu_weights(choice, gpus, beside);
    choice.host_bytes =
        host_bytes(where, options, work, ground.table_bytes + buried.table_bytes);
    choice.start_seconds = gpu_start_s;
    choice.mesh_seconds = mesh_seconds(n);
    choice.fill_seconds =
        fill_seconds_on_gpu(n, share) * (work.real_ground ? real_ground_on_gpu : 1);
    if (work.host_fill) {
      choice.host_bytes += ImpedanceMatrix::bytes(n);
      choice.fill_seconds = fill_seconds_on_cpu(n, options, threads) * real_ground_on_cpu;
    }
    choice.field_seconds =
        field_seconds_on_gpu(where.elements().size(), work.directions, work.points,
                             share) +
        buried_field_seconds(where.elements().size(), work.buried_points,
                             options.cpu_rates, threads);
    // Where the shares fit, each in the memory of its GPU, the least of these says
    // nothing.
    state_shortage(choice, shares_fit ? choice.device_bytes : least_free, memory.free,
                   where, options, work);
    return choice;
  });
}

/// Of `auto`: the grid where the matrix does not fit. Of several GPUs what does not share
/// a matrix takes the first.
DeviceChoice on_gpu(const Discretisation& where, const ProblemSize& size,
                    const Options& options, const Workload& work, int threads,
                    std::span<const DeviceInfo> gpus) {
  if (!can_share(where, gpus)) gpus = gpus.first(1);
  const DeviceInfo& info = gpus.front();
  const double share = info.multiprocessors / multiprocessors_measured;
  if (where.lattice())
    return on_gpu_by_lattice(where, options, work, threads, info, share);
  if (options.operator_choice == OperatorChoice::fft)
    return on_gpu_by_grid(where, size, options, work, info, share);
  DeviceChoice dense = on_gpu_dense(where, size, options, work, threads, gpus);
  if (work.real_ground || dense.shortage.empty() || !may_take_the_grid(options))
    return dense;
  try {
    DeviceChoice grid = on_gpu_by_grid(where, size, options, work, info, share);
    if (!grid.shortage.empty()) return dense;
    add_reason(grid.plan,
               fmt::format("dense would need {}", gibibytes(dense.total_bytes)));
    return grid;
  } catch (const Error&) {
    return dense;  // no grid fits: what dense says of itself counts
  }
}

/// For `auto`: all GPUs like the best in place of that one alone, where it has too little
/// memory, or where it would take so long that the others, whom nobody has asked for, are
/// worth it.
void add_gpus(DeviceChoice& gpu, const Discretisation& where, const ProblemSize& size,
              const Options& options, const Workload& work, int threads,
              const DeviceInfo& best, std::span<const DeviceInfo> all) {
  constexpr double worth_all_s = 5, worth_all_share = 0.7;
  std::vector<DeviceInfo> alike = {best};
  for (const DeviceInfo& info : all)
    if (info.index != best.index && info.runs_this_build && info.name == best.name)
      alike.push_back(info);
  const double alone_s = predicted_seconds(gpu, work);
  const bool fits =
      gpu.shortage.empty() && gpu.plan.operator_choice == OperatorChoice::dense;
  if (alike.size() == 1 || options.placement == PlacementChoice::graph ||
      (fits && alone_s < worth_all_s))
    return;
  DeviceChoice together = on_gpu(where, size, options, work, threads, alike);
  if (together.gpus.size() < 2 || !together.shortage.empty()) return;
  const double together_s = predicted_seconds(together, work);
  if (fits && together_s > worth_all_share * alone_s) return;
  if (gpu.shortage.empty() && together_s > alone_s) return;
  add_reason(together.plan, fits ? fmt::format("one GPU alone {:.2g} s", alone_s)
                                 : "too large for one GPU");
  gpu = std::move(together);
}

DeviceChoice choose_automatically(const Discretisation& where, const ProblemSize& size,
                                  const Options& options, const Workload& work,
                                  int threads) {
  DeviceChoice cpu = on_cpu(where, size, options, work, threads);
  const bool gpu_only = options.precision != PrecisionChoice::in_double;
  const double cpu_seconds = predicted_seconds(cpu, work);
  const bool cpu_fits = cpu.shortage.empty();
  if (!gpu_only && cpu_fits && cpu_seconds < worth_a_look_s) return cpu;
  const DeviceReport report = gpu_report();
  if (!report.problem.empty()) {
    if (gpu_only)
      throw Error(
          ErrorKind::device,
          fmt::format("precision {}: {}", name_of(options.precision), report.problem));
    return cpu;
  }
  const auto best = std::max_element(report.devices.begin(), report.devices.end(),
                                     [](const DeviceInfo& a, const DeviceInfo& b) {
                                       return std::pair(a.runs_this_build, a.free_bytes) <
                                              std::pair(b.runs_this_build, b.free_bytes);
                                     });
  DeviceChoice gpu = on_gpu(where, size, options, work, threads, {&*best, 1});
  add_gpus(gpu, where, size, options, work, threads, *best, report.devices);
  const double gpu_seconds = predicted_seconds(gpu, work);
  const bool gpu_fits = gpu.shortage.empty();
  if (!gpu_only && !gpu_fits) {
    add_reason(cpu.plan, fmt::format("cpu: {} has too little memory ({} needed)",
                                     short_name(gpu), gibibytes(gpu.total_bytes)));
    return cpu;
  }
  if (!gpu_only && cpu_fits && cpu_seconds <= gpu_seconds) {
    add_reason(cpu.plan, fmt::format("predicted {:.2g} s on the cpu, {:.2g} s on {}",
                                     cpu_seconds, gpu_seconds, short_name(gpu)));
    return cpu;
  }
  require_gpu().use(best->index);
  add_reason(gpu.plan, fmt::format("predicted {:.2g} s on {}, {:.2g} s on the cpu{}",
                                   gpu_seconds, short_name(gpu), cpu_seconds,
                                   cpu_fits ? "" : ", which has too little memory"));
  return gpu;
}

/// Ranks share what CPUs do.
void take_cpus(Options& options) {
  if (options.device.kind == DeviceRequest::Kind::cuda)
    throw Error(ErrorKind::device,
                fmt::format("{}: ranks share a matrix on CPUs only. Use --device cpu, or "
                            "one rank.",
                            name_of(options.device)));
  options.device = {DeviceRequest::Kind::cpu};
}

/// Whether `auto` is to take the direct solver on the CPU, which alone keeps closed loops
/// that are far smaller than the wavelength.
bool has_small_loops(const Discretisation& where, const ProblemSize& size,
                     const Options& options, const Workload& work) {
  return size.loops > 0 && options.device.kind == DeviceRequest::Kind::automatic &&
         (options.solver == SolverChoice::automatic ||
          options.solver == SolverChoice::direct) &&
         options.preconditioner == PreconditionerChoice::automatic &&
         options.operator_choice != OperatorChoice::toeplitz &&
         options.operator_choice != OperatorChoice::fft &&
         options.precision == PrecisionChoice::in_double &&
         where.mesh().elements().back().segment < most_segments_of_loops &&
         is_small_for_loops(where.elements(), work.loop_medium, work.loop_k_rad_per_m);
}

}  // namespace

double predicted_seconds(const DeviceChoice& choice, const Workload& work) {
  const auto frequencies = static_cast<double>(work.frequencies);
  const double tables =
      choice.gpu || frequencies < pays_from ? frequencies : ground_nodes;
  const bool sweeps = !choice.gpu && choice.plan.ranks == 1 && is_sweep(work) &&
                      choice.plan.operator_choice == OperatorChoice::dense;
  const double fills = sweeps ? matrix_nodes + interpolated * frequencies : frequencies;
  return tables * choice.ground.table_s +
         frequencies * (choice.buried.table_s + choice.buried.fill_s) +
         choice.start_seconds + choice.mesh_seconds + choice.field_seconds +
         frequencies * choice.plan.seconds + fills * choice.fill_seconds;
}

DeviceChoice choose_device(const Discretisation& where, const Options& wanted,
                           const Workload& work, int threads) {
  // A lattice's cost is that of its places: its antennas need not be told apart.
  const ProblemSize size =
      where.lattice() ? ProblemSize()
                      : size_of(where, wanted, work.largest_k_rad_per_m, work.ground);
  const bool loops = has_small_loops(where, size, wanted, work);
  Options options = wanted;
  if (loops) {
    options.device = {DeviceRequest::Kind::cpu};
    options.solver = SolverChoice::direct;
  }
  if (work.ranks.ranks() > 1) take_cpus(options);
  switch (options.device.kind) {
    case DeviceRequest::Kind::automatic:
      // Where the CPU fills Z, what is left to a GPU is seldom worth its start.
      if (work.host_fill) return on_cpu(where, size, options, work, threads);
      return choose_automatically(where, size, options, work, threads);
    case DeviceRequest::Kind::cpu:
      if (options.precision != PrecisionChoice::in_double)
        throw Error(
            ErrorKind::device,
            fmt::format("precision {}: {}", name_of(options.precision), gpu_precisions));
      break;
    case DeviceRequest::Kind::cuda:
      return on_gpu(where, size, options, work, threads, gpus_of(options.device));
  }
  DeviceChoice choice = on_cpu(where, size, options, work, threads);
  if (loops)
    add_reason(choice.plan, "small closed loops, which it alone keeps, on a cpu");
  return choice;
}

SolverPlan plan_there(const DeviceChoice& choice, const Discretisation& where,
                      const Options& options, const Workload& work, int threads) {
  Options there = options;
  there.device = {choice.gpu ? DeviceRequest::Kind::cuda : DeviceRequest::Kind::cpu,
                  choice.index};
  if (choice.gpus.size() > 1)
    there.device.beside = {choice.gpus.begin() + 1, choice.gpus.end()};
  return choose_device(where, there, work, threads).plan;
}

}  // namespace thinwire
