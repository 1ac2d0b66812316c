#include "mom/plan/choose_device.h"

#include <algorithm>

#include <fmt/format.h>

#include "cg/direct/device_factors.h"
#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/element/element.h"
#include "kernels/matrix/tiles.h"
#include "mom/gpu.h"
#include "mom/impedance_matrix.h"
#include "mom/plan/toeplitz_cost.h"

namespace thinwire {
namespace {

/// Below this predicted time on the CPU, `auto` does not look for a GPU.
constexpr double worth_a_look_s = 0.5;

constexpr const char* gpu_precisions =
    "the CPU solves in double precision only. Use --precision double, or --device cuda.";

/// Of the direct solver: GMRES's basis, kept twice, 32 steps of it, and a few.
constexpr std::size_t refinement_vectors = 2 * 32 + 8;

/// A GPU's plan: the same choice of solver as on the CPU, with the GPU's costs.
SolverPlan device_plan(const Discretisation& where, const Options& options,
                       std::size_t right_hand_sides, double share) {
  const ProblemSize size = size_of(where);
  const auto bytes = [&](Method method, double iterations) {
    const std::size_t n = size.unknowns, coarse = size.coarse();
    if (method.solver == SolverChoice::direct)
      return DeviceLdlt::bytes(n) + refinement_vectors * sizeof(Complex) * n;
    std::size_t all =
        vector_bytes(size, method.solver, options, iterations, right_hand_sides);
    if (method.preconditioner != PreconditionerChoice::none)
      all += size.block_entries * sizeof(Complex) + 4 * n;
    if (method.preconditioner == PreconditionerChoice::two_level)
      all += 2 * sizeof(Complex) * coarse * coarse;
    return all;
  };
  return choose_solver(size, options, [&](Method method) {
    const PredictedCost time =
        cost_on_gpu(size, method, options, static_cast<double>(right_hand_sides), share);
    return SolverCost{time, bytes(method, time.iterations)};
  });
}

std::string gibibytes(std::size_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1u << 30));
}

/// Need, free, n and ways out on one line.
std::string shortage_text(const DeviceChoice& choice, std::size_t need,
                          const std::string& where, std::size_t free_bytes,
                          const Discretisation& antenna, const Options& options,
                          const Workload& work) {
  const bool fields = need < 6 * work.result_bytes && need == choice.host_bytes;
  std::string ways;
  if (fields) {
    ways = "fewer angles or points in its fields or fewer frequencies";
  } else {
    if (choice.plan.solver == SolverChoice::direct) ways = "--solver cocg, ";
    if (choice.gpu && options.precision == PrecisionChoice::in_double)
      ways += "--precision mixed, ";
    if (options.mesh == MeshChoice::graded) ways += "--mesh as-given, ";
    ways += "fewer segments";
  }
  return fmt::format("{} need {} but {} has {} free (N = {}). Use {}{}.",
                     fields ? "patterns and near fields" : "impedance matrix and solver",
                     gibibytes(need), where, gibibytes(free_bytes), antenna.unknowns(),
                     ways, choice.gpu ? "" : " or a machine with more memory");
}

/// Bytes on the host where Z and the solver's arrays take `solver_bytes` there: with the
/// program and its libraries, the mesh and its near pairs, excitations and currents, and
/// the results, which stand there three times while the file is made. With --save-matrix
/// the whole matrix is one.
std::size_t host_bytes(const Discretisation& where, const Options& options,
                       const Workload& work, std::size_t solver_bytes) {
  const std::size_t n = where.unknowns(),
                    results = work.result_bytes + (options.save_matrix ? 16 * n * n : 0);
  return std::max(solver_bytes + results, 3 * results) + (std::size_t{40} << 20) +
         2500 * where.elements().size() + 4 * sizeof(Complex) * n * work.right_hand_sides;
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

/// The fastest solver that `make` finds memory for: where `auto` takes the direct one and
/// it does not fit, COCG is tried.
template <class Make>
DeviceChoice that_fits(const Options& options, const Make& make) {
  DeviceChoice choice = make(options);
  if (choice.shortage.empty() || options.solver != SolverChoice::automatic ||
      choice.plan.solver != SolverChoice::direct)
    return choice;
  Options iterative = options;
  iterative.solver = SolverChoice::cocg;
  DeviceChoice smaller = make(iterative);
  if (!smaller.shortage.empty()) return choice;
  smaller.plan.why = fmt::format("direct would need {}", gibibytes(choice.total_bytes));
  return smaller;
}

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
  choice.plan.bytes = toeplitz_bytes(size, method) - toeplitz_bytes(size, {}) +
                      vector_bytes(vectors, method.solver, options, cost.iterations,
                                   work.right_hand_sides);
  choice.mesh_seconds = mesh_seconds(where.unknowns());
  choice.fill_seconds = cost.fill_s;
  choice.matrix_bytes = toeplitz_bytes(size, {});
  return choice;
}

DeviceChoice on_gpu_by_lattice(const Discretisation& where, const Options& options,
                               const Workload& work, const DeviceInfo& info,
                               double share) {
  const ToeplitzSize size = toeplitz_size(where);
  DeviceChoice choice =
      by_lattice(where, options, work,
                 toeplitz_cost_on_gpu(size, method_by_lattice(options), options,
                                      static_cast<double>(work.right_hand_sides), share));
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

/// By a grid and a near field. Whole antennas: COCG; else GMRES, as grids need.
DeviceChoice on_cpu_by_grid(const Discretisation& where, const Options& options,
                            const Workload& work, int threads) {
  const ProblemSize size = size_of(where);
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
      vector_bytes(size, method.solver, options, dense.iterations, work.right_hand_sides);
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

DeviceChoice on_cpu_dense(const Discretisation& where, const Options& wanted,
                          const Workload& work, int threads);

/// Of `auto`: the grid where it is to be twice as fast or the matrix does not fit.
DeviceChoice on_cpu(const Discretisation& where, const Options& options,
                    const Workload& work, int threads) {
  constexpr std::size_t few_unknowns = 10000;
  if (where.lattice()) return on_cpu_by_lattice(where, options, work, threads);
  if (options.operator_choice == OperatorChoice::fft)
    return on_cpu_by_grid(where, options, work, threads);
  DeviceChoice dense = on_cpu_dense(where, options, work, threads);
  if (options.operator_choice != OperatorChoice::automatic ||
      options.solver == SolverChoice::direct || options.save_matrix ||
      options.kernel != KernelChoice::exact || where.unknowns() < few_unknowns)
    return dense;
  try {
    DeviceChoice grid = on_cpu_by_grid(where, options, work, threads);
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

DeviceChoice on_cpu_dense(const Discretisation& where, const Options& wanted,
                          const Workload& work, int threads) {
  const HostMemory memory = host_memory();
  return that_fits(wanted, [&](const Options& options) {
    DeviceChoice choice;
    choice.plan = choose_solver(where, options, work.right_hand_sides, threads);
    choice.mesh_seconds = mesh_seconds(where.unknowns());
    choice.fill_seconds = fill_seconds_on_cpu(where.unknowns(), options, threads);
    choice.field_seconds = field_seconds_on_cpu(where.elements().size(), work.directions,
                                                work.points, options.cpu_rates, threads);
    choice.matrix_bytes = ImpedanceMatrix::bytes(where.unknowns());
    const std::size_t taken = choice.matrix_bytes + choice.plan.bytes;
    choice.host_bytes = host_bytes(
        where, options, work, taken + near_pair_bytes(where, work, memory.free, taken));
    choice.total_bytes = choice.host_bytes;
    if (choice.total_bytes > memory.free)
      choice.shortage = shortage_text(choice, choice.host_bytes, "this machine",
                                      memory.free, where, options, work);
    return choice;
  });
}

DeviceChoice on_gpu(const Discretisation& where, const Options& wanted,
                    const Workload& work, const DeviceInfo& info) {
  const std::size_t n = where.unknowns();
  const double share = info.multiprocessors / multiprocessors_measured;
  if (where.lattice()) return on_gpu_by_lattice(where, wanted, work, info, share);
  const HostMemory memory = host_memory();
  return that_fits(wanted, [&](const Options& options) {
    DeviceChoice choice;
    choice.gpu = true;
    choice.index = info.index;
    choice.name = fmt::format("cuda:{} {}", info.index, info.name);
    choice.plan = device_plan(where, options, work.right_hand_sides, share);
    const Storage storage = options.precision == PrecisionChoice::in_double
                                ? Storage::complex_double
                                : Storage::complex_single;
    choice.matrix_bytes = DeviceTiles::bytes(PackedTiles{n}, storage);
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
    choice.device_bytes =
        choice.matrix_bytes + choice.plan.bytes + sums + mesh + refinement;
    choice.total_bytes = choice.device_bytes;
    choice.host_bytes = host_bytes(where, options, work, 0);
    choice.start_seconds = gpu_start_s;
    choice.mesh_seconds = mesh_seconds(n);
    choice.fill_seconds = fill_seconds_on_gpu(n, share);
    choice.field_seconds = field_seconds_on_gpu(where.elements().size(), work.directions,
                                                work.points, share);
    if (choice.device_bytes > info.free_bytes)
      choice.shortage =
          shortage_text(choice, choice.device_bytes, fmt::format("cuda:{}", info.index),
                        info.free_bytes, where, options, work);
    else if (choice.host_bytes > memory.free)
      choice.shortage = shortage_text(choice, choice.host_bytes, "the host", memory.free,
                                      where, options, work);
    return choice;
  });
}

DeviceChoice choose_automatically(const Discretisation& where, const Options& options,
                                  const Workload& work, int threads) {
  DeviceChoice cpu = on_cpu(where, options, work, threads);
  const bool gpu_only = options.precision != PrecisionChoice::in_double;
  const double cpu_seconds = predicted_seconds(cpu, work);
  const bool cpu_fits = cpu.shortage.empty();
  if (options.operator_choice == OperatorChoice::fft) return cpu;
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
  DeviceChoice gpu = on_gpu(where, options, work, *best);
  const double gpu_seconds = predicted_seconds(gpu, work);
  const bool gpu_fits = gpu.shortage.empty();
  if (!gpu_only && !gpu_fits) {
    add_reason(cpu.plan, fmt::format("cpu: cuda:{} has too little memory ({} needed)",
                                     best->index, gibibytes(gpu.total_bytes)));
    return cpu;
  }
  if (!gpu_only && cpu_fits && cpu_seconds <= gpu_seconds) {
    add_reason(cpu.plan, fmt::format("predicted {:.2g} s on the cpu, {:.2g} s on cuda:{}",
                                     cpu_seconds, gpu_seconds, best->index));
    return cpu;
  }
  require_gpu().use(best->index);
  add_reason(gpu.plan, fmt::format("predicted {:.2g} s on cuda:{}, {:.2g} s on the cpu{}",
                                   gpu_seconds, best->index, cpu_seconds,
                                   cpu_fits ? "" : ", which has too little memory"));
  return gpu;
}

}  // namespace

void add_reason(SolverPlan& plan, const std::string& reason) {
  if (reason.empty()) return;
  plan.why = plan.why.empty() ? reason : reason + "; " + plan.why;
}

Workload workload(const Problem& problem, const Options& options) {
  constexpr std::size_t direction_bytes = 40;  // two complex fields and a gain
  constexpr std::size_t point_bytes = 72;      // a complex field and a place
  Workload work;
  for (const Run& run : problem.runs) {
    const std::size_t frequencies = run.frequency_hz.size();
    work.frequencies += frequencies;
    for (const double hz : run.frequency_hz)
      work.largest_k_rad_per_m =
          std::max(work.largest_k_rad_per_m, 2 * pi * hz / speed_of_light_m_per_s);
    work.ground |= run.ground != Ground::none;
    if (options.port_matrix)
      work.right_hand_sides = std::max(work.right_hand_sides, run.sources.size() + 1);
    for (const PatternRequest& request : run.patterns)
      work.directions += (request.last_frequency_only ? 1 : frequencies) *
                         static_cast<std::size_t>(request.theta_count) *
                         static_cast<std::size_t>(request.phi_count);
    for (const NearFieldRequest& request : run.near_fields) {
      std::size_t points = request.last_frequency_only ? 1 : frequencies;
      for (const std::int64_t count : request.count)
        points *= static_cast<std::size_t>(count);
      work.points += points;
    }
  }
  work.result_bytes = direction_bytes * work.directions + point_bytes * work.points;
  return work;
}

double predicted_seconds(const DeviceChoice& choice, const Workload& work) {
  return choice.start_seconds + choice.mesh_seconds + choice.field_seconds +
         static_cast<double>(work.frequencies) *
             (choice.plan.seconds + choice.fill_seconds);
}

DeviceChoice choose_device(const Discretisation& where, const Options& options,
                           const Workload& work, int threads) {
  switch (options.device.kind) {
    case DeviceRequest::Kind::automatic:
      return choose_automatically(where, options, work, threads);
    case DeviceRequest::Kind::cpu:
      if (options.precision != PrecisionChoice::in_double)
        throw Error(
            ErrorKind::device,
            fmt::format("precision {}: {}", name_of(options.precision), gpu_precisions));
      return on_cpu(where, options, work, threads);
    case DeviceRequest::Kind::cuda:
      break;
  }
  return on_gpu(where, options, work, require_gpu().use(options.device.index));
}

SolverPlan plan_there(const DeviceChoice& choice, const Discretisation& where,
                      const Options& options, const Workload& work, int threads) {
  Options there = options;
  there.device = {choice.gpu ? DeviceRequest::Kind::cuda : DeviceRequest::Kind::cpu,
                  choice.index};
  return choose_device(where, there, work, threads).plan;
}

}  // namespace thinwire
