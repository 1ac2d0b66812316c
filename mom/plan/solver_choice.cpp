#include "mom/plan/solver_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "cg/krylov/iteration.h"
#include "mom/impedance_matrix.h"
#include "mom/plan/boxes.h"

namespace thinwire {
namespace {

/// Direct solutions are good to rounding: an iterative one has to save this much.
constexpr double worth_iterating_s = 0.01;

/// Cells of a grid beyond which factors in TF32 are not worth a try: elements grow with
/// them, as there are no pivots between blocks. Plates of 10 x 10 and 20 x 20 cells (548
/// and 2,088 unknowns), the operands of the factors' products rounded to TF32, take 5 and
/// 21 steps of refinement to 1e-10 with cells of 0.1 wavelengths, 9 and more than 30 with
/// 0.02; with factors in single 2 to 4. A straight wire of 2,007 unknowns takes 4 and 3.
constexpr std::size_t most_tf32_loops = 200;

LdltProducts products_for(const ProblemSize& size) {
  return size.loops > most_tf32_loops ? LdltProducts::single : LdltProducts::tf32;
}

/// The user's choice of preconditioner, and where that is `auto` the best for the size.
PreconditionerChoice preconditioner_for(const ProblemSize& size, const Options& options) {
  if (options.preconditioner != PreconditionerChoice::automatic)
    return options.preconditioner;
  return size.blocks > 1 ? PreconditionerChoice::two_level : PreconditionerChoice::block;
}

const char* described(PreconditionerChoice preconditioner) {
  switch (preconditioner) {
    case PreconditionerChoice::none:
      return "no preconditioner";
    case PreconditionerChoice::block:
      return "a block preconditioner";
    default:
      return "a two-level preconditioner";
  }
}

/// Beyond the matrix in tiles.
std::size_t bytes_on_cpu(const ProblemSize& size, Method method, const Options& options,
                         double iterations, std::size_t right_hand_sides) {
  const std::size_t n = size.unknowns;
  if (method.solver == SolverChoice::direct) return n * n * sizeof(Complex);
  std::size_t bytes =
      ImpedanceMatrix::bytes(n) / PackedTiles::tile +  // the product's sums
      vector_bytes(size, method.solver, options, iterations, right_hand_sides);
  if (method.preconditioner != PreconditionerChoice::none)
    bytes += size.block_entries * sizeof(Complex);
  // The coarse matrix, its inverse, and what factors it.
  if (method.preconditioner == PreconditionerChoice::two_level)
    bytes += 3 * size.coarse() * size.coarse() * sizeof(Complex);
  return bytes;
}

}  // namespace

ProblemSize size_of(const Discretisation& where) {
  const FunctionPlaces places(where);
  const auto blocks = places.blocks();
  ProblemSize size;
  size.unknowns = where.unknowns();
  size.blocks = blocks.size();
  for (const auto& block : blocks) {
    size.block_entries += block.size() * block.size();
    size.largest_block = std::max(size.largest_block, block.size());
  }
  std::size_t largest_antenna = 0;
  for (const Antenna& antenna : places.antennas()) {
    largest_antenna = std::max(largest_antenna, antenna.functions.size());
    size.loops = std::max(size.loops, antenna.loops());
  }
  size.whole_antennas = largest_antenna <= largest_whole_antenna && blocks.size() > 1;
  return size;
}

std::size_t sides_in_step(SolverChoice solver, const Options& options,
                          std::size_t right_hand_sides) {
  // Those that are refined, and direct ones on a GPU, go one after another.
  if (solver == SolverChoice::direct || options.precision == PrecisionChoice::mixed)
    return 1;
  return std::min(right_hand_sides, most_sides);
}

std::size_t most_near_pair_bytes(std::size_t free_bytes, std::size_t taken_bytes) {
  return (free_bytes - std::min(taken_bytes, free_bytes)) / 4;
}

std::size_t vector_bytes(const ProblemSize& size, SolverChoice solver,
                         const Options& options, double iterations,
                         std::size_t right_hand_sides) {
  // COCR with a preconditioner has a dozen; the excitation and temporaries.
  constexpr std::size_t few = 16;
  constexpr std::size_t chunk = 32;  // by which GMRES's basis grows
  constexpr double reserve = 1.5;
  const std::size_t sides = sides_in_step(solver, options, right_hand_sides);
  std::size_t numbers = few * size.unknowns;
  if (solver == SolverChoice::gmres) {
    const auto n = static_cast<double>(size.unknowns);
    const double most =
        options.max_iterations > 0 ? std::min<double>(options.max_iterations, n) : n;
    const auto steps = static_cast<std::size_t>(std::min(reserve * iterations, most));
    const std::size_t vectors = (steps + chunk) / chunk * chunk;
    numbers += vectors * size.unknowns + vectors * vectors / 2;  // and the triangle
  }
  return sides * numbers * sizeof(Complex);
}

SolverPlan choose_solver(const ProblemSize& size, const Options& options,
                         const std::function<SolverCost(Method)>& cost) {
  const bool automatic = options.solver == SolverChoice::automatic;
  const Method direct = {SolverChoice::direct, PreconditionerChoice::none,
                         products_for(size)};
  const Method iterative = {automatic ? SolverChoice::cocg : options.solver,
                            preconditioner_for(size, options), direct.products};
  const auto seconds = [](const SolverCost& of) {
    return of.time.factor_s + of.time.solve_s;
  };
  Method method = options.solver == SolverChoice::direct ? direct : iterative;
  SolverPlan plan;
  if (automatic) {
    const SolverCost a = cost(direct), b = cost(iterative);
    // Without a preconditioner nobody knows how many iterations it will be.
    const bool unsure = iterative.preconditioner == PreconditionerChoice::none;
    const double saved = seconds(a) - seconds(b);
    if (unsure || saved < worth_iterating_s) method = direct;
    plan.why = fmt::format(
        "predicted {:.2g} s for direct, {:.2g} s for cocg with {} ({:.0f} iterations){}",
        seconds(a), seconds(b), described(iterative.preconditioner), b.time.iterations,
        saved > 0 && method.solver == SolverChoice::direct
            ? "; direct is the more accurate"
            : "");
  }
  const SolverCost chosen = cost(method);
  plan.solver = method.solver;
  plan.preconditioner = method.preconditioner;
  plan.products = method.products;
  plan.seconds = seconds(chosen);
  plan.bytes = chosen.bytes;
  plan.iterations = chosen.time.iterations;
  return plan;
}

SolverPlan choose_solver(const Discretisation& where, const Options& options,
                         std::size_t right_hand_sides, int threads) {
  const ProblemSize size = size_of(where);
  const auto cost = [&](Method method) {
    const PredictedCost time = cost_on_cpu(
        size, method, options, static_cast<double>(right_hand_sides), threads);
    return SolverCost{
        time, bytes_on_cpu(size, method, options, time.iterations, right_hand_sides)};
  };
  return choose_solver(size, options, cost);
}

}  // namespace thinwire
