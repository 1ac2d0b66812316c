#include "mom/plan/choose_solver.h"

#include <algorithm>
#include <future>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "cg/direct/shared_ldlt.h"
#include "cg/impedance_matrix.h"
#include "cg/krylov/iteration.h"
#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/base/started.h"
#include "kernels/fill/line_table.h"
#include "mom/plan/rank_cost.h"
#include "mom/preconditioners/boxes.h"

namespace thinwire {
namespace {

/// Direct solutions are good to rounding: an iterative one has to save this much.
constexpr double worth_iterating_s = 0.01;
/// Up to here it is never worth it: a sweep is not to change its solver with what a core
/// measured when it was busy.
constexpr std::size_t always_direct = 1000;

/// Cells of a grid beyond which factors in TF32 are not worth a try: elements grow with
/// them, as there are no pivots between blocks. Plates of 10 x 10 and 20 x 20 cells (548
/// and 2,088 unknowns), the operands of the factors' products rounded to TF32, take 5 and
/// 21 steps of refinement to 1e-10 with cells of 0.1 wavelengths, 9 and more than 30 with
/// 0.02; with factors in single 2 to 4. A straight wire of 2,007 unknowns takes 4 and 3.
constexpr std::size_t max_tf32_loops = 200;

LdltProducts products_for(const ProblemSize& size) {
  return size.loops > max_tf32_loops ? LdltProducts::single : LdltProducts::tf32;
}

/// The user's choice of preconditioner, and where that is `auto` the best for the size.
PreconditionerChoice preconditioner_for(const ProblemSize& size, const Options& options) {
  if (options.preconditioner != PreconditionerChoice::automatic)
    return options.preconditioner;
  const bool symmetric_wanted =
      options.solver != SolverChoice::automatic && options.solver != SolverChoice::gmres;
  if (!size.overlaps.empty() && !size.whole_antennas && !symmetric_wanted)
    return PreconditionerChoice::overlap;
  return size.blocks > 1 ? PreconditionerChoice::two_level : PreconditionerChoice::block;
}

const char* described(const Method& method) {
  switch (method.preconditioner) {
    case PreconditionerChoice::none:
      return "no preconditioner";
    case PreconditionerChoice::block:
      return "a block preconditioner";
    case PreconditionerChoice::overlap:
      return method.coarse ? "overlapping blocks and a coarse level"
                           : "overlapping blocks";
    default:
      return "a two-level preconditioner";
  }
}

double seconds(const SolverCost& cost) {
  return cost.time.factor_s + cost.time.solve_s;
}

void refuse_unsymmetric(const Method& method) {
  if (method.preconditioner != PreconditionerChoice::overlap ||
      method.solver == SolverChoice::gmres)
    return;
  throw Error(ErrorKind::usage,
              fmt::format("--precond overlap is not symmetric, which --solver {} needs. "
                          "Use --solver gmres, or another --precond.",
                          name_of(method.solver)));
}

/// Boxes from which the fastest are taken. What counts most is the overlap, then their
/// size; the last ones are for antennas that stand apart, which are never cut.
constexpr std::size_t sizes_for_antennas_apart = 4;
constexpr BoxSize box_sizes[] = {{8, 1},  {8, 2},   {12, 2},  {16, 2},  {16, 4},  {24, 4},
                                 {24, 6}, {32, 4},  {32, 8},  {40, 6},  {48, 6},  {48, 8},
                                 {64, 8}, {64, 21}, {64, 32}, {84, 42}, {128, 64}};

/// Returns the elements along the edge of a mesh of the antenna with the most loops. A
/// square grid has one loop for every two edges.
double elements_a_side(const FunctionPlaces& places) {
  constexpr double most = 8;  // beyond that it is no grid
  double elements = 0, loops = 0;
  for (const Antenna& antenna : places.antennas())
    if (const auto here = static_cast<double>(antenna.loops()); here > loops) {
      loops = here;
      elements = static_cast<double>(antenna.elements);
    }
  const double side = loops > 0 ? elements / (2 * loops) : 1;
  return side < most ? std::max(1.0, side) : 1;
}

double mean_circumference_m(const Discretization& where) {
  double wire = 0, surface = 0;
  for (const Element& element : where.elements()) {
    wire += element.length_m;
    surface += 2 * pi * element.radius_m * element.length_m;
  }
  return surface / wire;
}

void add_overlaps(const Discretization& where, const FunctionPlaces& places,
                  const Options& options, double k_rad_per_m, bool over_ground,
                  ProblemSize& size) {
  std::span<const BoxSize> sizes = box_sizes;
  if (options.boxes)
    sizes = {&*options.boxes, 1};
  else if (places.antennas().size() == 1)
    sizes = sizes.first(sizes.size() - sizes_for_antennas_apart);
  std::future<std::size_t> coarse;
  if (options.coarse != SwitchChoice::off &&
      (options.coarse == SwitchChoice::on || !size.whole_antennas))
    coarse =
        started([&where, k_rad_per_m] { return coarse_functions(where, k_rad_per_m); });
  const std::vector<OverlapExtent> extents = places.extents(sizes, over_ground);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    size.overlaps.push_back({sizes[i], extents[i]});
  const Vec3 edges = places.edges_m();
  const double in_waves = k_rad_per_m / (2 * pi);
  size.cells_across = std::max({edges.x, edges.y, edges.z}) / places.cell_m();
  if (places.encloses()) {
    size.thickness = std::min({edges.x, edges.y, edges.z}) * in_waves;
    size.volume = edges.x * edges.y * edges.z * in_waves * in_waves * in_waves;
  }
  if (over_ground) size.height = places.lowest_m() * in_waves;
  size.cell = places.cell_m() * in_waves;
  size.elements_a_side = elements_a_side(places);
  size.thinness = size.elements_a_side * places.cell_m() / mean_circumference_m(where);
  if (coarse.valid()) size.coarse_functions = coarse.get();
}

/// Edge of boxes beside a coarse level, in meshes of a grid: what larger ones save in
/// iterations they take longer to invert.
constexpr double max_box_meshes = 16;

/// By which boxes are weighed: counts of iterations are within 1.8 of what is predicted,
/// set-up is certain.
double pessimistic_seconds(const SolverCost& cost) {
  return cost.time.factor_s + 1.8 * cost.time.solve_s;
}

/// Returns the method with the boxes, and with or without a coarse level, that is
/// predicted fastest among those that fit.
Method best_levels(const ProblemSize& size, const Options& options, const Method& method,
                   std::size_t max_bytes, const std::function<SolverCost(Method)>& cost) {
  struct Candidate {
    Method method;
    SolverCost cost;
  };
  std::optional<Candidate> fastest, smallest;
  for (const ProblemSize::Overlap& overlap : size.overlaps)
    for (const bool coarse : {false, true}) {
      if (coarse ? size.coarse_functions == 0 || options.coarse == SwitchChoice::off
                 : size.coarse_functions > 0 && options.coarse == SwitchChoice::on)
        continue;
      Candidate here{method, {}};
      here.method.boxes = overlap.boxes;
      here.method.coarse = coarse;
      // Beside a coarse level they need not be larger than two of its clusters.
      if (coarse && size.overlaps.size() > 1 &&
          overlap.boxes.box > max_box_meshes * std::max(1.0, size.elements_a_side))
        continue;
      here.cost = cost(here.method);
      if (!smallest || here.cost.bytes < smallest->cost.bytes) smallest = here;
      if (here.cost.bytes > max_bytes) continue;
      if (!fastest || pessimistic_seconds(here.cost) < pessimistic_seconds(fastest->cost))
        fastest = here;
    }
  return (fastest ? fastest : smallest)->method;
}

/// Beyond the matrix in tiles.
std::size_t bytes_on_cpu(const ProblemSize& size, Method method, const Options& options,
                         double iterations, std::size_t right_hand_sides, int threads,
                         const RankPart& part) {
  const std::size_t n = size.unknowns;
  if (method.solver == SolverChoice::direct)
    return part.ranks > 1 ? SharedLdlt::bytes(n, static_cast<int>(part.ranks))
                          : n * n * sizeof(Complex);
  std::size_t bytes =
      part.of(ImpedanceMatrix::bytes(n)) / PackedTiles::tile +  // the product's sums
      vector_bytes(size, method, options, iterations, right_hand_sides);
  if (method.preconditioner == PreconditionerChoice::overlap) {
    const OverlapExtent& extent = size.overlap(method.boxes);
    const std::size_t coarse =
        method.coarse ? coarse_cost_on_cpu(size, options.cpu_rates, 1, threads).bytes : 0;
    return bytes + extent.bytes() + extent.inversion_bytes(threads) + coarse;
  }
  // Ranks gather the blocks before they are inverted.
  if (method.preconditioner != PreconditionerChoice::none)
    bytes += (part.ranks > 1 ? 2 : 1) * size.block_entries * sizeof(Complex);
  // The coarse matrix, its inverse, and what factors it.
  if (method.preconditioner == PreconditionerChoice::two_level)
    bytes += 3 * size.coarse() * size.coarse() * sizeof(Complex);
  return bytes;
}

}  // namespace

ProblemSize size_of(const Discretization& where, const Options& options,
                    double k_rad_per_m, bool over_ground) {
  const FunctionPlaces places(where);
  const std::vector<std::size_t> blocks = places.block_sizes();
  ProblemSize size;
  size.unknowns = where.unknowns();
  size.blocks = blocks.size();
  for (const std::size_t block : blocks) {
    size.block_entries += block * block;
    size.largest_block = std::max(size.largest_block, block);
  }
  std::size_t largest_antenna = 0;
  for (const Antenna& antenna : places.antennas()) {
    largest_antenna = std::max(largest_antenna, antenna.functions.size());
    size.loops = std::max(size.loops, antenna.loops());
  }
  size.whole_antennas = largest_antenna <= largest_whole_antenna && blocks.size() > 1;
  const bool may_choose = options.preconditioner == PreconditionerChoice::automatic &&
                          (options.solver == SolverChoice::automatic ||
                           options.solver == SolverChoice::gmres);
  if (options.preconditioner == PreconditionerChoice::overlap ||
      (may_choose &&
       (largest_antenna > largest_whole_antenna || size.coarse() > max_coarse)))
    add_overlaps(where, places, options, k_rad_per_m, over_ground, size);
  return size;
}

std::size_t rhs_in_step(SolverChoice solver, const Options& options,
                        std::size_t right_hand_sides) {
  // Refined solves, and direct ones on a GPU, are done one after another.
  if (solver == SolverChoice::direct || options.precision == PrecisionChoice::mixed)
    return 1;
  return std::min(right_hand_sides, max_rhs_count);
}

std::size_t max_near_pair_bytes(std::size_t free_bytes, std::size_t taken_bytes) {
  return (free_bytes - std::min(taken_bytes, free_bytes)) / 4;
}

std::size_t threads_side_by_side(int threads, std::size_t frequencies) {
  return std::max<std::size_t>(
      1, std::min(static_cast<std::size_t>(threads), frequencies / 2));
}

std::size_t bytes_side_by_side(std::size_t unknowns, const SolverPlan& plan) {
  return (1 + LineTable::at_once) * ImpedanceMatrix::bytes(unknowns) + plan.bytes;
}

std::size_t vector_bytes(const ProblemSize& size, Method method, const Options& options,
                         double iterations, std::size_t right_hand_sides) {
  // COCR with a preconditioner has a dozen; the excitation and temporaries.
  constexpr std::size_t few = 16;
  constexpr std::size_t chunk = 32;  // by which GMRES's basis grows
  constexpr double reserve = 1.5;
  const std::size_t sides = rhs_in_step(method.solver, options, right_hand_sides);
  std::size_t numbers = few * size.unknowns;
  if (method.solver == SolverChoice::gmres) {
    const auto n = static_cast<double>(size.unknowns);
    const double most =
        options.max_iterations > 0 ? std::min<double>(options.max_iterations, n) : n;
    const auto steps = static_cast<std::size_t>(std::min(reserve * iterations, most));
    const std::size_t vectors = (steps + chunk) / chunk * chunk;
    const bool flexible = method.preconditioner == PreconditionerChoice::overlap;
    numbers += (flexible ? 2 : 1) * vectors * size.unknowns +
               vectors * vectors / 2;  // and the triangle
  }
  return sides * numbers * sizeof(Complex);
}

SolverChoice iterative_solver(const ProblemSize& size, const Options& options) {
  if (options.solver != SolverChoice::automatic && options.solver != SolverChoice::direct)
    return options.solver;
  return preconditioner_for(size, options) == PreconditionerChoice::overlap
             ? SolverChoice::gmres
             : SolverChoice::cocg;
}

SolverPlan choose_solver(const ProblemSize& size, const Options& options,
                         std::size_t max_bytes,
                         const std::function<SolverCost(Method)>& cost) {
  const bool automatic = options.solver == SolverChoice::automatic;
  const Method direct = {SolverChoice::direct, PreconditionerChoice::none,
                         products_for(size)};
  Method iterative = {iterative_solver(size, options), preconditioner_for(size, options),
                      direct.products};
  refuse_unsymmetric(iterative);
  if (iterative.preconditioner == PreconditionerChoice::overlap)
    iterative = best_levels(size, options, iterative, max_bytes, cost);
  Method method = options.solver == SolverChoice::direct ? direct : iterative;
  std::string why;
  if (automatic) {
    const SolverCost a = cost(direct), b = cost(iterative);
    // Without a preconditioner nobody knows how many iterations it will be.
    const bool unsure = iterative.preconditioner == PreconditionerChoice::none;
    const double saved = seconds(a) - seconds(b);
    if (unsure || size.unknowns <= always_direct || saved < worth_iterating_s)
      method = direct;
    why = fmt::format(
        "predicted {:.2g} s for direct, {:.2g} s for {} with {} ({:.0f} iterations){}",
        seconds(a), seconds(b), name_of(iterative.solver), described(iterative),
        b.time.iterations,
        saved > 0 && method.solver == SolverChoice::direct
            ? "; direct is the more accurate"
            : "");
  }
  const SolverCost chosen = cost(method);
  SolverPlan plan{method, OperatorChoice::dense, std::move(why)};
  plan.seconds = seconds(chosen);
  plan.bytes = chosen.bytes;
  plan.iterations = chosen.time.iterations;
  if (method.preconditioner == PreconditionerChoice::overlap) {
    plan.block_count = size.overlap(method.boxes).boxes;
    plan.block_bytes = size.overlap(method.boxes).bytes();
    plan.block_inverses = size.overlap(method.boxes).inverses;
    if (method.coarse) plan.coarse_functions = size.coarse_functions;
  }
  return plan;
}

SolverPlan choose_solver(const ProblemSize& size, const Options& options,
                         std::size_t right_hand_sides, int threads,
                         const RankPart& part) {
  const auto cost = [&](Method method) {
    const auto sides = static_cast<double>(right_hand_sides);
    PredictedCost time = cost_over_ranks(
        size, method, sides, part, cost_on_cpu(size, method, options, sides, threads));
    if (method.coarse) {
      // Entries are read from the matrix, each from a cache line of its own.
      const CoarseCost coarse = coarse_cost_on_cpu(
          size, options.cpu_rates, entries_read_per_s(options.cpu_rates), threads);
      time.factor_s += coarse.make_s;
      time.solve_s += sides * time.iterations * coarse.apply_s;
    }
    return SolverCost{time, bytes_on_cpu(size, method, options, time.iterations,
                                         right_hand_sides, threads, part)};
  };
  const std::size_t matrix = part.of(ImpedanceMatrix::bytes(size.unknowns));
  SolverPlan plan = choose_solver(
      size, options, part.free_bytes - std::min(part.free_bytes, matrix), cost);
  plan.ranks = part.ranks;
  return plan;
}

}  // namespace thinwire
