#include "mom/plan/solver_choice.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "mom/impedance_matrix.h"

namespace thinwire {
namespace {

/// Largest connected antenna that is inverted as one block.
constexpr std::size_t largest_block = 512;

/// Direct solutions are good to rounding: an iterative one has to save this much.
constexpr double worth_iterating_s = 0.01;

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
std::size_t bytes_on_cpu(const ProblemSize& size, Method method) {
  const std::size_t n = size.unknowns;
  if (method.solver == SolverChoice::direct) return n * n * sizeof(Complex);
  std::size_t bytes = ImpedanceMatrix::bytes(n) / PackedTiles::tile;  // sums, vectors
  if (method.preconditioner != PreconditionerChoice::none)
    bytes += size.block_entries * sizeof(Complex);
  // The coarse matrix, its inverse, and what factors it.
  if (method.preconditioner == PreconditionerChoice::two_level)
    bytes += 3 * size.coarse() * size.coarse() * sizeof(Complex);
  return bytes;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> preconditioner_blocks(
    const Discretisation& where) {
  const auto& functions = where.basis().functions();
  // Elements that share a basis function belong to one antenna.
  std::vector<std::uint32_t> parent(where.elements().size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t e) {
    while (parent[e] != e) e = parent[e] = parent[parent[e]];
    return e;
  };
  for (const BasisFunction& f : functions)
    if (f.sign[1] != 0) parent[root(f.element[1])] = root(f.element[0]);

  std::vector<std::vector<std::uint32_t>> antennas;
  std::vector<std::int64_t> antenna_of(where.elements().size(), -1);
  for (std::size_t m = 0; m < functions.size(); ++m) {
    const std::uint32_t r = root(functions[m].element[0]);
    if (antenna_of[r] < 0) {
      antenna_of[r] = static_cast<std::int64_t>(antennas.size());
      antennas.emplace_back();
    }
    antennas[antenna_of[r]].push_back(static_cast<std::uint32_t>(m));
  }

  std::vector<std::vector<std::uint32_t>> blocks;
  const auto tag_of = [&](std::uint32_t m) {
    const std::uint32_t segment =
        where.mesh().elements()[functions[m].element[0]].segment;
    return where.structure().segments()[segment].tag;
  };
  for (auto& antenna : antennas) {
    if (antenna.size() <= largest_block) {
      blocks.push_back(std::move(antenna));
      continue;
    }
    for (std::uint32_t m : antenna) {
      const bool cut = blocks.empty() || blocks.back().size() >= largest_block ||
                       m == antenna.front() || tag_of(m) != tag_of(blocks.back().back());
      if (cut) blocks.emplace_back();
      blocks.back().push_back(m);
    }
  }
  return blocks;
}

ProblemSize size_of(const Discretisation& where) {
  const auto blocks = preconditioner_blocks(where);
  ProblemSize size;
  size.unknowns = where.unknowns();
  size.blocks = blocks.size();
  for (const auto& block : blocks) {
    size.block_entries += block.size() * block.size();
    size.largest_block = std::max(size.largest_block, block.size());
  }
  size.whole_antennas = size.largest_block < largest_block && blocks.size() > 1;
  return size;
}

SolverPlan choose_solver(const ProblemSize& size, const Options& options,
                         const std::function<SolverCost(Method)>& cost) {
  const bool automatic = options.solver == SolverChoice::automatic;
  const Method direct, iterative = {automatic ? SolverChoice::cocg : options.solver,
                                    preconditioner_for(size, options)};
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
  plan.seconds = seconds(chosen);
  plan.bytes = chosen.bytes;
  plan.iterations = chosen.time.iterations;
  return plan;
}

SolverPlan choose_solver(const Discretisation& where, const Options& options,
                         std::size_t right_hand_sides, int threads) {
  const ProblemSize size = size_of(where);
  const auto cost = [&](Method method) {
    const auto sources = static_cast<double>(right_hand_sides);
    return SolverCost{cost_on_cpu(size, method, options, sources, threads),
                      bytes_on_cpu(size, method)};
  };
  return choose_solver(size, options, cost);
}

}  // namespace thinwire
