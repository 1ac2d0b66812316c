#include "mom/plan/choose_dense.h"

#include <algorithm>

#include <fmt/format.h>

#include "cg/direct/device_factors.h"
#include "cg/direct/direct.h"
#include "cg/tiled_operator.h"
#include "kernels/base/bytes_text.h"
#include "kernels/element/element.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/matrix_sweep.h"
#include "kernels/fill/near_pair_table.h"
#include "kernels/matrix/tiles.h"
#include "mom/discretization/loops.h"
#include "mom/gpu/gpu.h"
#include "mom/loads/impedance_matrix.h"
#include "mom/media/ground_sweep.h"
#include "mom/plan/choice_parts.h"
#include "mom/plan/gpus.h"
#include "mom/plan/rank_cost.h"

namespace thinwire {
namespace {

/// SplitLdlt, where frequencies are solved side by side on the CPU: its share of the rate
/// of LAPACK's products, and its overhead.
constexpr double split_ldlt_share = 0.6, split_ldlt_s_per_entry = 5e-9;

double side_by_side_seconds(std::size_t unknowns, const CpuRates& rates, int threads) {
  const auto n = static_cast<double>(unknowns);
  return (4.0 / 3 * n * n * n / (split_ldlt_share * rates.factor_flops_per_s) +
          split_ldlt_s_per_entry * n * n) /
         rates.computing_of(threads);
}

/// What CPU and GPU have in common: the tables of a real ground, made on the CPU.
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

/// Seconds that GPUs of one process that share the matrix wait for each other at each
/// product.
constexpr double exchange_s = 20e-6;

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
      return DeviceLdlt::bytes(n, shares.count()) +
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
  const NearPairCost& near = in.mesh.near_pairs();
  if (near.pairs > max_counted * static_cast<double>(count))
    return static_cast<std::size_t>(bytes_a_pair * near.pairs +
                                    bytes_a_class * near.classes);
  const GreensKernel kernel = in.kernel();
  double along_wires = 0;
  for (const Element& e : in.mesh.elements())
    along_wires +=
        std::min(near_reach(e.length_m, kernel == GreensKernel::exact ? e.radius_m : 0,
                            sweep.range.last) /
                     e.length_m,
                 0.5 * static_cast<double>(count));
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
            in.options.solver == SolverChoice::direct) &&
           is_small_for_loops(in.mesh.elements(), work.loop_medium,
                              work.loop_k_rad_per_m));
}

/// Shares of these GPUs of this process, by measured rates.
GpuShares shares_of_process(std::span<const DeviceInfo> gpus) {
  GpuShares shares = {{gpus.begin(), gpus.end()}, rates_of(gpus)};
  shares.joint = joint_rate(gpus, shares.rates);
  if (gpus.size() > 1) shares.exchange_s = exchange_s;
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
  plan.start_seconds = gpu_start_s;
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

}  // namespace

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

}  // namespace thinwire
