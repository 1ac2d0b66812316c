#include "mom/plan/choices.h"

#include <algorithm>

#include <fmt/format.h>

#include "cg/direct/device_factors.h"
#include "cg/direct/direct.h"
#include "cg/impedance_matrix.h"
#include "cg/tiled_operator.h"
#include "kernels/base/bytes_text.h"
#include "kernels/element/element.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/matrix_sweep.h"
#include "kernels/fill/near_pair_table.h"
#include "kernels/grid/grid_transfer.h"
#include "kernels/matrix/packed_tiles.h"
#include "kernels/matrix/tiles.h"
#include "mom/discretization/loops.h"
#include "mom/excitation/incident_field.h"
#include "mom/gpu/gpu.h"
#include "mom/media/ground_sweep.h"
#include "mom/plan/cost_model.h"
#include "mom/plan/gpus.h"
#include "mom/plan/rank_cost.h"
#include "mom/problem/gpu_rates.h"

namespace thinwire {
namespace {

/// Frequencies of a sweep over GN 2 at which the ground is computed (ground_sweep.h), and
/// how many times as many there must be.
constexpr double ground_nodes = 17, pays_from = 27;

/// Nodes of the matrix on the CPU (kernels/fill/matrix_sweep.h), and the cost of an
/// interpolated matrix relative to a filled one.
constexpr double matrix_nodes = 10, interpolated = 0.05;

FieldTerms terms_of(const PlanInput& in) {
  return field_terms(in.mesh.elements(), in.work.largest_k_rad_per_m, in.work.fields);
}

double ground_seconds(const PlanInput& in) {
  return share_of_one_thread(in.options.cpu_rates, in.threads) *
         ground_field_seconds(in.mesh.elements().size(), in.work.ground_points,
                              in.work.fields.near_fields);
}

std::string shortage_text(const Plan& plan, std::size_t need, const std::string& where,
                          std::size_t free_bytes, const PlanInput& input) {
  const Options& options = input.options;
  const bool fields =
      static_cast<double>(need) <
          2 * result_copies * static_cast<double>(input.work.result_bytes) &&
      need == plan.host_bytes;
  std::string what = fields ? "patterns and near fields"
                     : plan.solver.operator_choice == OperatorChoice::dense
                         ? "impedance matrix and solver"
                         : "operator and solver";
  std::string ways, on_each;
  if (fields) {
    ways = "fewer angles or points in its fields or fewer frequencies";
  } else {
    if (plan.solver.solver == SolverChoice::direct) ways = "--solver cocg, ";
    if (plan.solver.ranks > 1) {
      on_each = fmt::format(" on each of {} ranks", plan.solver.ranks);
      ways += "more ranks, ";
    }
    if (options.boxes && plan.solver.block_bytes > 0) {
      what += fmt::format(" (blocks of --boxes {}: {})", name_of(options.boxes),
                          bytes_text(static_cast<double>(plan.solver.block_bytes)));
      ways = "smaller --boxes, ";
    }
    if (plan.gpu && options.precision == PrecisionChoice::in_double)
      ways += "--precision mixed, ";
    if (options.mesh == MeshChoice::graded) ways += "--mesh as-given, ";
    ways += "fewer segments";
  }
  return fmt::format("{} need {}{} but {} has {} free (N = {}). Use {}{}.", what,
                     bytes_text(static_cast<double>(need)), on_each, where,
                     bytes_text(static_cast<double>(free_bytes)), input.unknowns(), ways,
                     plan.gpu ? "" : " or a machine with more memory");
}

/// SplitLdlt, where frequencies are solved side by side on the CPU: its share of the rate
/// of LAPACK's products, and the flops that its overhead for an entry amounts to.
constexpr double split_ldlt_share = 0.6, split_ldlt_flops = 225;

double side_by_side_seconds(std::size_t unknowns, const CpuRates& rates, int threads) {
  const auto n = static_cast<double>(unknowns);
  return (4.0 / 3 * n * n * n / split_ldlt_share + split_ldlt_flops * n * n) /
         (rates.factor_flops_per_s * rates.computing_of(threads));
}

/// The part that CPU and GPU have in common: the tables of a real ground, made on the
/// CPU.
Plan plan_over_ground(const PlanInput& in) {
  const double share = share_of_one_thread(in.options.cpu_rates, in.threads);
  Plan plan;
  plan.ground = in.mesh.ground();
  plan.ground.table_s *= share;
  plan.below = in.mesh.below();
  plan.below.table_s *= share;
  plan.below.fill_s *= share;
  plan.mesh_seconds = mesh_seconds(in.unknowns());
  return plan;
}

/// A fill over real ground against one in free space, arrays of dipoles as given, the
/// table apart.
constexpr double real_ground_on_gpu = 3;
double ground_on_cpu(const Workload& work) {
  return work.coefficients ? 13 : work.real_ground ? 1.7 : 1;
}

/// Vectors of the direct solver's refinement: GMRES's basis, kept twice, 32 steps of it,
/// and a few.
constexpr std::size_t refinement_vectors = 2 * 32 + 8;

/// Launches that a GPU waits for the others of its process, which share the matrix, at
/// each product.
constexpr double exchange_launches = 3;

/// Memory of NCCL's own buffers on a GPU.
constexpr std::size_t nccl_bytes = std::size_t{1} << 30;

/// The GPUs that share the matrix, in the order of their shares, and how.
struct GpuShares {
  std::vector<DeviceInfo> gpus;
  std::vector<double> rates;  ///< by which they share, the fastest 1
  double joint = 0;           ///< rate of all, in GPUs like that of the predictions
  bool of_ranks = false;      ///< one each, rather than all of this process
  double exchange_s = 0;      ///< what a product waits for the others

  int count() const { return static_cast<int>(gpus.size()); }
  /// Vectors as long as the exchange's windows that each has beside the matrix.
  std::size_t windows() const { return gpus.size() == 1 ? 0 : of_ranks ? 3 : 2; }
};

/// A GPU's plan, or that of several: the same choice of solver as on the CPU, with the
/// GPU's costs.
SolverPlan device_plan(const ProblemSize& size, const Options& options,
                       std::size_t right_hand_sides, double share,
                       const GpuShares& shares, std::size_t max_bytes) {
  const auto bytes = [&](Method method, double iterations) {
    const std::size_t n = size.unknowns, coarse = size.coarse();
    if (method.solver == SolverChoice::direct)
      return DeviceLdlt::bytes(n, LdltProducts::tf32, shares.count()) +
             refinement_vectors * sizeof(Complex) * n;
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
  return choose_solver(size, options, max_bytes, [&](Method method) {
    const auto sides = static_cast<double>(right_hand_sides);
    PredictedCost time = cost_on_gpu(size, method, options, sides, share);
    time.solve_s += sides * time.iterations * shares.exchange_s;
    return SolverCost{time, bytes(method, time.iterations)};
  });
}

/// A fill on the CPU. Over real ground far pairs take longer, near ones do not.
double fill_seconds(const PlanInput& in) {
  return fill_seconds_on_cpu(in.unknowns(), in.options, in.threads) *
             ground_on_cpu(in.work) +
         unlike_pair_seconds_on_cpu(in.unknowns(), in.mesh.near_pairs().evaluations,
                                    in.options, in.threads);
}

/// Meshes whose near pairs are not counted for a solve of few frequencies: small ones,
/// of which they are little, and large ones, where the matrix is far more.
constexpr std::size_t few_elements = 500, many_elements = 20000, few_frequencies = 8;
/// Near pairs an element beyond which they are estimated, not found: elements much
/// shorter than their radius are near to hundreds along their own wire.
constexpr double max_counted = 100;
/// Bytes of a near pair that shares its matrix with others: its element, class and turn.
constexpr double bytes_a_pair = 2 * sizeof(std::uint32_t) + sizeof(std::uint8_t),
                 bytes_a_class = sizeof(ElementMatrix) + bytes_a_pair;

/// Bytes of near pairs beyond those that host_bytes() has, of one run on the CPU.
std::size_t near_pair_bytes(const PlanInput& in, const Workload::Sweep& sweep,
                            std::size_t max_bytes) {
  const std::size_t count = in.mesh.elements().size();
  if (sweep.range.count < few_frequencies &&
      (count < few_elements || count > many_elements))
    return 0;
  const GreensKernel kernel = in.options.kernel;
  double along_wires = 0, reach_m = 0;
  for (const Element& e : in.mesh.elements()) {
    const double near_m = near_reach(
        e.length_m, kernel == GreensKernel::exact ? e.radius_m : 0, sweep.range.last);
    along_wires += std::min(near_m / e.length_m, 0.5 * static_cast<double>(count));
    reach_m = std::max(reach_m, near_pair_reach(2 * near_m, e.length_m, e.length_m));
  }
  const NearPairCost& near = in.mesh.near_pairs();
  if (near.pairs > max_counted * static_cast<double>(count)) {
    const double nodes =
        near.classes * sizeof(ElementMatrix) *
        static_cast<double>(WavenumberNodes(sweep.range, reach_m).size());
    return static_cast<std::size_t>(bytes_a_pair * near.pairs +
                                    bytes_a_class * near.classes +
                                    (nodes > static_cast<double>(max_bytes) ? 0 : nodes));
  }
  if (along_wires > max_counted * static_cast<double>(count))
    return static_cast<std::size_t>(bytes_a_pair * along_wires * sweep.medium.sources());
  const std::size_t all = NearPairTable::bytes_of(in.mesh.elements(), sweep.range, kernel,
                                                  sweep.medium, max_bytes);
  return all - std::min(all, near_bytes_an_element * count);
}

/// Bytes on the CPU, beside the matrix and what solves it, that a run takes to fill its
/// matrix at one frequency after the other: near pairs, or the tables that interpolate
/// the matrix and what a real ground adds to it, and the solvers side by side. No table
/// that would be more than a sweep may take, nor that of the matrix where its ground is
/// not interpolated.
std::size_t fill_bytes(const PlanInput& in, const Workload::Sweep& sweep,
                       const SolverPlan& solver, std::size_t max_bytes) {
  const std::size_t n = in.unknowns();
  const auto allowed = [max_bytes](std::size_t bytes) {
    return bytes <= max_bytes ? bytes : 0;
  };
  const std::size_t ground =
      sweep.over_real_ground && !sweep.host_fill
          ? allowed(GroundSweep::default_table_bytes(n, sweep.range.count))
          : 0;
  const std::size_t matrix = sweep.host_fill || (sweep.over_real_ground && ground == 0)
                                 ? 0
                                 : allowed(MatrixSweep::table_bytes(
                                       in.mesh.elements(), n, sweep.range, sweep.medium));
  if (matrix == 0)
    // The ground's is there twice while it is made.
    return std::max(2 * ground, ground + near_pair_bytes(in, sweep, max_bytes));
  Workload::Sweep node = sweep;
  node.range.count = 1;
  const std::size_t filling =
      ImpedanceMatrix::bytes(n) + near_pair_bytes(in, node, max_bytes);
  const bool beside = solver.solver == SolverChoice::direct &&
                      n < min_unknowns_for_threads &&
                      in.options.sweep != SweepChoice::fast;
  const std::size_t solvers =
      beside ? threads_side_by_side(in.threads, sweep.range.count - 1) : 1;
  // One of them is that of the first frequency.
  const std::size_t clones = solvers > 1 ? solvers * bytes_side_by_side(n, solver) -
                                               ImpedanceMatrix::bytes(n) - solver.bytes
                                         : 0;
  return std::max(2 * ground, ground + matrix + std::max(filling, clones));
}

/// Whether ranks share the dense matrix: not where it comes whole from a file, nor where
/// closed loops far smaller than the wavelength want LoopSystem's unknowns.
bool shares_matrix(const PlanInput& in) {
  const Workload& work = in.work;
  return work.ranks.ranks() > 1 && in.unknowns() >= min_unknowns_to_share &&
         !work.stored &&
         !(in.size.loops > 0 &&
           (in.options.solver == SolverChoice::automatic ||
            in.options.solver == SolverChoice::direct ||
            in.mesh.where().mesh().elements().back().segment < max_segments_of_loops) &&
           is_small_for_loops(in.mesh.elements(), work.loop_medium,
                              work.loop_k_rad_per_m));
}

/// Shares of these GPUs of this process, by measured rates.
GpuShares shares_of_process(std::span<const DeviceInfo> gpus) {
  GpuShares shares = {{gpus.begin(), gpus.end()}, rates_of(gpus)};
  shares.joint = joint_rate(gpus, shares.rates);
  if (gpus.size() > 1) shares.exchange_s = exchange_launches * h200.launch_s;
  return shares;
}

/// Returns the shares of the ranks' GPUs as reported, or, before they were asked, as if
/// all were like `own`. Shares are by multiprocessors, divided among the ranks of one
/// GPU. Throws Error{device} for GPUs of several models.
GpuShares shares_of_ranks(const RankShares& ranks, const DeviceInfo& own,
                          std::size_t unknowns) {
  require_one_model(ranks.of_gpus);
  GpuShares shares = {ranks.of_gpus.gpus, {}};
  if (shares.gpus.empty()) shares.gpus.assign(ranks.ranks(), own);
  shares.of_ranks = true;
  int most = 0;
  for (const DeviceInfo& gpu : shares.gpus) most = std::max(most, gpu.multiprocessors);
  for (const DeviceInfo& gpu : shares.gpus)
    shares.rates.push_back(static_cast<double>(gpu.multiprocessors) / most);
  shares.joint = joint_rate(shares.gpus, std::vector<double>(shares.gpus.size(), 1.0));
  shares.exchange_s = all_reduce_seconds(rank_cluster(), ranks.ranks(),
                                         sizeof(Complex) * static_cast<double>(unknowns));
  return shares;
}

/// Returns the shares of ranks that share the matrix by rows of tiles.
GpuShares gpu_shares(const PlanInput& in, std::span<const DeviceInfo> own) {
  const bool of_ranks =
      shares_matrix(in) && PackedTiles{in.unknowns()}.rows() >= in.work.ranks.ranks();
  return of_ranks ? shares_of_ranks(in.work.ranks, own.front(), in.unknowns())
                  : shares_of_process(own);
}

/// The fastest solver that `make` finds memory for: where `auto` takes the direct one and
/// it does not fit, an iterative one is tried.
template <class Make>
Plan that_fits(const PlanInput& in, const Make& make) {
  Plan plan = make(in);
  if (plan.shortage.empty() || in.options.solver != SolverChoice::automatic ||
      plan.solver.solver != SolverChoice::direct)
    return plan;
  Options iterative = in.options;
  iterative.solver = iterative_solver(in.size, in.options);
  Plan smaller = make(in.with(iterative));
  if (!smaller.shortage.empty()) return plan;
  smaller.solver.why = fmt::format("direct would need {}",
                                   bytes_text(static_cast<double>(plan.total_bytes)));
  return smaller;
}

Plan try_cpu(const PlanInput& in) {
  const std::size_t n = in.unknowns();
  const RankPart part =
      in.work.ranks.tightest(ImpedanceMatrix::bytes(n), shares_matrix(in));
  const bool alone = part.ranks == 1;
  Plan plan = plan_over_ground(in);
  plan.solver =
      choose_solver(in.size, in.options, in.work.right_hand_sides, in.threads, part);
  if (alone && plan.solver.solver == SolverChoice::direct &&
      interpolates_matrix(in.work) && n < min_unknowns_for_threads)
    plan.solver.seconds = side_by_side_seconds(n, in.options.cpu_rates, in.threads);
  plan.fill_seconds = fill_seconds(in) * part.share;
  plan.field_seconds = field_seconds_on_cpu(in);
  plan.matrix_bytes = part.of(ImpedanceMatrix::bytes(n));
  const std::size_t taken =
      plan.matrix_bytes + plan.solver.bytes + plan.ground_table_bytes();
  const std::size_t max_bytes = max_near_pair_bytes(part.free_bytes, taken);
  std::size_t filling = 0;
  for (const Workload::Sweep& sweep : in.work.sweeps)
    filling = std::max(filling, alone ? fill_bytes(in, sweep, plan.solver, max_bytes)
                                      : near_pair_bytes(in, sweep, max_bytes));
  plan.host_bytes = host_bytes(in, taken + filling);
  plan.total_bytes = plan.host_bytes;
  state_shortage(plan, 0, part.free_bytes, in);
  return plan;
}

Plan try_gpus(const PlanInput& in, const GpuShares& shares,
              std::span<const DeviceInfo> own) {
  const std::size_t n = in.unknowns();
  const Options& options = in.options;
  const std::vector<DeviceInfo>& gpus = shares.gpus;
  const std::size_t min_free =
      std::ranges::min(gpus, {}, &DeviceInfo::free_bytes).free_bytes;
  Plan plan = plan_over_ground(in);
  plan.ground.table_s = table_seconds_on_gpu(plan.ground.table_bytes);
  name_gpus(plan, shares.of_ranks ? own.first(1) : own);
  const Storage storage = options.precision == PrecisionChoice::in_double
                              ? Storage::complex_double
                              : Storage::complex_single;
  plan.matrix_bytes = DeviceTiles::bytes(PackedTiles{n}, storage);
  // Bytes of each, where all are alike; those with less memory get less.
  const std::size_t own_bytes = plan.matrix_bytes / gpus.size();
  plan.solver = device_plan(in.size, options, in.work.right_hand_sides, shares.joint,
                            shares, min_free - std::min(min_free, own_bytes));
  // With the partial sums of the products, the mesh and its near pairs, and what CUDA
  // itself takes.
  const auto sums_of = [&](int sides) {
    return require_gpu().product_bytes(PackedTiles{n}, storage, sides,
                                       own.front().multiprocessors, options.symv);
  };
  const bool in_step =
      rhs_in_step(plan.solver.solver, options, in.work.right_hand_sides) > 1;
  const std::size_t sums = sums_of(1) + (in_step ? sums_of(4) : 0),
                    mesh = 1000 * in.mesh.elements().size(),
                    refinement = options.precision == PrecisionChoice::mixed
                                     ? (std::size_t{1} << 28)
                                     : 0;
  const std::size_t beside =
      plan.solver.bytes + sums + mesh + refinement + plan.ground.table_bytes +
      shares.windows() * TiledOperator::window_bytes(PackedTiles{n}) +
      (shares.of_ranks ? nccl_bytes : 0);
  plan.device_bytes = own_bytes + beside;
  plan.total_bytes = plan.matrix_bytes + beside;
  const bool shares_fit = set_gpu_weights(plan, gpus, shares.rates, beside);
  if (shares.of_ranks) {
    plan.solver.ranks = gpus.size();
    plan.matrix_bytes = own_bytes;
    plan.total_bytes = plan.device_bytes;
  } else {
    add_reason(plan.solver, uneven_rates(gpus, shares.rates));
  }
  plan.host_bytes = host_bytes(in, plan.ground_table_bytes());
  plan.start_seconds = h200.start_s;
  plan.fill_seconds = fill_seconds_on_gpu(n, shares.joint) *
                      (in.work.real_ground ? real_ground_on_gpu : 1);
  if (in.work.host_fill) {
    plan.host_bytes += ImpedanceMatrix::bytes(n);
    plan.fill_seconds = fill_seconds(in);
  }
  plan.field_seconds = field_seconds_on_gpu(in, shares.joint);
  // Where the shares fit, each in the memory of its GPU, the least of these says nothing.
  state_shortage(plan, shares_fit ? plan.device_bytes : min_free, in.host_free(), in);
  return plan;
}

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
  Plan plan = plan_over_ground(in);
  plan.solver = {method, OperatorChoice::toeplitz, {}};
  plan.solver.iterations = cost.iterations;
  plan.solver.seconds = cost.factor_s + cost.solve_s;
  plan.solver.bytes = toeplitz_bytes(size, method) - toeplitz_bytes(size, {}) +
                      vector_bytes(vectors, method, in.options, cost.iterations,
                                   in.work.right_hand_sides);
  plan.fill_seconds = ground_on_cpu(in.work) * cost.fill_s;
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
  plan.start_seconds = h200.start_s;
  plan.field_seconds = field_seconds_on_gpu(in, share);
  state_shortage(plan, info.free_bytes, in.host_free(), in);
  return plan;
}

/// Rates of a grid's work on so many threads.
GridRates grid_rates(const CpuRates& rates, int threads) {
  const double computing = rates.computing_of(threads),
               entries_per_s = rates.fill_entries_per_s * computing;
  return {rates.product_bytes_per_s * computing, entries_per_s, entries_per_s};
}

/// Those on a GPU whose images so many threads fill.
GridRates grid_rates_on_gpu(double share, const CpuRates& rates, int threads) {
  // In that of a CPU, which leaves out empty parts of the box: a product on an H200 takes
  // about a twentieth of what 16 threads take.
  constexpr double work = 2.2;
  return {h200.bytes_per_s * share / work, h200.fill_entries_per_s * share / work,
          grid_rates(rates, threads).image_entries_per_s};
}

/// The plan of a grid, and what is not its choice of solver, for CPU and GPU, at these
/// rates of this machine. compared: rates of any, by which the grid is chosen.
Plan grid_plan(const PlanInput& in, const GridRates& rates,
               const GridRates& compared = {}) {
  Plan plan = plan_over_ground(in);
  plan.grid = in.mesh.grid(static_cast<double>(in.host_free()), compared);
  plan.grid->seconds_per_product = rates.seconds_of_product(plan.grid->work);
  plan.matrix_bytes = static_cast<std::size_t>(plan.grid->bytes);
  plan.fill_seconds = rates.seconds_of_fill(plan.grid->work);
  // One for the rows of Z, one for the grid.
  plan.ground.table_s *= 2;
  plan.ground.table_bytes *= 2;
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
  const double reading_s = static_cast<double>(blocks) /
                           (rates.product_bytes_per_s * rates.reading_of(threads)),
               computing = rates.computing_of(threads);
  const double entries = static_cast<double>(
      overlaps(method) ? size.overlap(method.boxes).read : size.block_entries);
  time.factor_s += entries / (rates.fill_entries_per_s * computing);
  const double shared = overlaps(method)
                            ? static_cast<double>(size.overlap(method.boxes).products -
                                                  size.overlap(method.boxes).entries)
                            : 0;
  const double shared_s = 8 * shared / (2 * rates.factor_flops_per_s * computing);
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

bool interpolates_matrix(const Workload& work) {
  return !work.host_fill && static_cast<double>(work.frequencies) > 2 * matrix_nodes;
}

double predicted_seconds(const Plan& plan, const Workload& work) {
  const auto frequencies = static_cast<double>(work.frequencies);
  const double tables = plan.gpu || frequencies < pays_from ? frequencies : ground_nodes;
  const bool sweeps = !plan.gpu && plan.solver.ranks == 1 && interpolates_matrix(work) &&
                      plan.solver.operator_choice == OperatorChoice::dense;
  const double fills = sweeps ? matrix_nodes + interpolated * frequencies : frequencies;
  return tables * plan.ground.table_s +
         frequencies * (plan.below.table_s + plan.below.fill_s) + plan.start_seconds +
         plan.mesh_seconds + plan.proximity_seconds + plan.field_seconds +
         frequencies * plan.solver.seconds + fills * plan.fill_seconds;
}

double field_seconds_on_cpu(const PlanInput& in) {
  return field_seconds_on_cpu(terms_of(in), in.options.cpu_rates, in.threads) +
         ground_seconds(in);
}

double field_seconds_on_gpu(const PlanInput& in, double share) {
  const FieldTerms terms = terms_of(in);
  return field_seconds_on_gpu(terms, share) +
         sum_seconds(terms, in.options.cpu_rates, in.threads) +
         reflected_seconds(terms, in.options.cpu_rates, in.threads) + ground_seconds(in);
}

void state_shortage(Plan& plan, std::size_t device_free, std::size_t host_free,
                    const PlanInput& in) {
  if (plan.gpu && plan.device_bytes > device_free)
    plan.shortage = shortage_text(plan, plan.device_bytes,
                                  fmt::format("cuda:{}", plan.index), device_free, in);
  else if (plan.host_bytes > host_free)
    plan.shortage = shortage_text(plan, plan.host_bytes,
                                  plan.gpu ? "the host" : "this machine", host_free, in);
}

/// Returns the host memory of --save-matrix: the whole matrix where it is kept in memory,
/// else bands of rows.
std::size_t saved_matrix_bytes(std::size_t n, const Options& options, int bands) {
  const std::size_t rows = options.matrix_sink == nullptr
                               ? n
                               : PackedTiles::tile * static_cast<std::size_t>(bands);
  return std::min(n, rows) * n * sizeof(Complex);
}

std::size_t host_bytes(const PlanInput& in, std::size_t solver_bytes, int bands) {
  const Options& options = in.options;
  const Workload& work = in.work;
  const std::size_t n = in.unknowns(), results = work.result_bytes,
                    saved =
                        options.save_matrix ? saved_matrix_bytes(n, options, bands) : 0;
  // With near pairs and results; on a lattice there are near pairs of one antenna only.
  const std::size_t an_element =
      in.mesh.where().lattice() ? 450 : 700 + near_bytes_an_element;
  const std::size_t written = work.written ? n * n * sizeof(Complex) : 0;
  const std::size_t rank = std::min(work.fields.wave_rank, n),
                    rhs = std::max(work.ports, waves_at_once(work.waves, n)),
                    record = work.wave_record + (work.wave_coefficients ? n : 0),
                    solving = solver_bytes +
                              sizeof(Complex) *
                                  (n * (4 * rhs + 3 * rank) + record * (rank + rhs)) +
                              results,
                    writing = static_cast<std::size_t>(result_copies *
                                                       static_cast<double>(results));
  return saved + written + std::max(solving, writing) + program_bytes +
         an_element * in.mesh.elements().size();
}

void add_reason(SolverPlan& plan, const std::string& reason) {
  if (reason.empty()) return;
  plan.why = plan.why.empty() ? reason : reason + "; " + plan.why;
}

Plan on_cpu_by_matrix(const PlanInput& in) {
  return that_fits(in, try_cpu);
}

bool can_share(const PlanInput& in, std::span<const DeviceInfo> gpus) {
  return gpus.size() > 1 && PackedTiles{in.unknowns()}.rows() >= gpus.size();
}

Plan on_gpu_by_matrix(const PlanInput& in, std::span<const DeviceInfo> own) {
  const GpuShares shares = gpu_shares(in, own);
  return that_fits(in,
                   [&](const PlanInput& tried) { return try_gpus(tried, shares, own); });
}

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
  Plan plan = grid_plan(in, grid_rates(in.options.cpu_rates, in.threads));
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

Plan on_gpu_by_grid(const PlanInput& in, std::span<const DeviceInfo> gpus) {
  const DeviceInfo& info = *std::ranges::min_element(gpus, {}, &DeviceInfo::free_bytes);
  // The GPU with the most channels of the grid determines time and memory.
  const std::size_t owners = gpus.size(),
                    all_channels = grid_channels(in.mesh.elements()).size(),
                    channels = (all_channels + owners - 1) / owners;
  const double share = static_cast<double>(all_channels) / static_cast<double>(channels) *
                       info.multiprocessors / h200.multiprocessors;
  Plan plan = grid_plan(in, grid_rates_on_gpu(share, in.options.cpu_rates, in.threads),
                        grid_rates_on_gpu(share, {}, in.threads));
  const FftPlan& grid = *plan.grid;
  // The whole box of these channels, as much for cuFFT and half as much for its
  // transforms in single, and the nodes that points have; the near field, its places and
  // sums; what the GPUs exchange.
  constexpr double and_in_single = 1.5;
  const double boxes = (1 + and_in_single) *
                           static_cast<double>(channels * grid.grid.box_nodes()) +
                       static_cast<double>(interleaved_channels(channels) *
                                           grid.grid.data_nodes()),
               n = static_cast<double>(in.unknowns()),
               near_bytes =
                   (in.work.frequencies > 1 ? 12 : 8) * grid.near_entries_per_row * n;
  plan.device_bytes =
      static_cast<std::size_t>(16 * boxes + near_bytes / static_cast<double>(owners) +
                               400 * n + and_in_single * grid.reflection_bytes);
  plan.device_bytes += sizeof(ElementMatrix) * grid.grid.off_plane.size() * grid.elements;
  plan.fill_seconds += grid_host_seconds(grid.elements);
  if (owners > 1)
    plan.device_bytes += 2 * DeviceOperator::window_bytes(PackedTiles{in.unknowns()});
  const std::size_t sides = in.work.right_hand_sides,
                    left_bytes =
                        info.free_bytes - std::min(info.free_bytes, plan.device_bytes);
  const Options iterative = iterative_by_grid(
      in.size, in.options,
      two_level_device_bytes(in.size) +
              vector_bytes(in.size, {SolverChoice::cocg, PreconditionerChoice::two_level},
                           in.options, 0, sides) <=
          left_bytes);
  plan.solver = choose_solver(in.size, iterative, left_bytes, [&](Method method) {
    // Blocks alone are the CPU's.
    return on_device(method)
               ? device_cost_by_grid(in.size, method, iterative, sides,
                                     grid.seconds_per_product, share, info.free_bytes)
               : cost_by_grid(in.size, method, iterative, sides, in.threads,
                              grid.seconds_per_product);
  });
  plan.solver.operator_choice = OperatorChoice::fft;
  const bool there = on_device(plan.solver);
  if (there) plan.device_bytes += plan.solver.bytes;
  const std::size_t bytes_of_host = plan.matrix_bytes + (there ? 0 : plan.solver.bytes);
  plan = finished_on_gpu(std::move(plan), in, info, share, bytes_of_host);
  if (owners > 1) {
    name_gpus(plan, gpus);
    plan.gpu_weights.assign(owners, 1);
  }
  return plan;
}

}  // namespace thinwire
