#include "mom/solver_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "mom/impedance_matrix.h"

namespace thinwire {
namespace {

// Rates of one thread, measured with tests/bench/cpu_bench (docs/performance.md); they
// only rank solvers.
constexpr double ldlt_flops_per_s = 3.5e10;
constexpr double product_bytes_per_s = 6e9;
constexpr double fill_entries_per_s = 1.4e7;
constexpr double coarse_entries_per_s = 4e7;
/// Largest connected antenna that is inverted as one block.
constexpr std::size_t largest_block = 512;

/// Iterations of COCG to 1e-6 with the two-level preconditioner that experience lets one
/// expect: arrays take 5 to 25, one large structure cut into wires hundreds
/// (docs/performance.md).
double expected_iterations(std::size_t unknowns, bool whole_antennas) {
  return whole_antennas ? 15 : 50 + 0.2 * static_cast<double>(unknowns);
}

/// LAPACK's factorisation of a complex-symmetric matrix and its solves.
double seconds_direct(double n, double right_hand_sides, int threads) {
  return (4.0 / 3 * n * n * n + 8 * n * n * right_hand_sides) /
         (ldlt_flops_per_s * threads);
}

std::string readable(double seconds) {
  return fmt::format("{:.2g} s", seconds);
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

double predicted_fill_seconds(std::size_t unknowns, int threads) {
  const auto n = static_cast<double>(unknowns);
  return 0.5 * n * n / (fill_entries_per_s * threads);
}

SolverPlan choose_solver(const Discretisation& where, const Options& options,
                         std::size_t right_hand_sides, int threads) {
  const std::size_t n = where.unknowns();
  const auto blocks = preconditioner_blocks(where);
  std::size_t block_entries = 0, biggest = 0;
  for (const auto& block : blocks) {
    block_entries += block.size() * block.size();
    biggest = std::max(biggest, block.size());
  }
  const auto size = static_cast<double>(n),
             sources = static_cast<double>(right_hand_sides);
  const bool whole = biggest < largest_block && blocks.size() > 1;
  const double iterations = expected_iterations(n, whole);
  const double direct = seconds_direct(size, sources, threads);
  const double products = sources * iterations *
                          static_cast<double>(ImpedanceMatrix::bytes(n)) /
                          (product_bytes_per_s * std::min(threads, 4));
  const double preparation = 0.5 * size * size / (coarse_entries_per_s * threads) +
                             8.0 * static_cast<double>(block_entries) *
                                 static_cast<double>(biggest) /
                                 (ldlt_flops_per_s * threads);
  const double iterative = products + preparation;

  SolverPlan plan;
  plan.iterations = iterations;
  plan.solver = options.solver;
  if (plan.solver == SolverChoice::automatic) {
    const bool take_direct =
        direct <= iterative || options.preconditioner == PreconditionerChoice::none;
    plan.solver = take_direct ? SolverChoice::direct : SolverChoice::cocg;
    plan.why = fmt::format(
        "predicted {} for direct, {} for cocg with a two-level preconditioner "
        "({:.0f} iterations)",
        readable(direct), readable(iterative), iterations);
  }
  if (plan.solver == SolverChoice::direct) {
    plan.seconds = direct;
    plan.bytes = n * n * sizeof(Complex);
    return plan;
  }
  plan.preconditioner = options.preconditioner == PreconditionerChoice::automatic
                            ? (blocks.size() > 1 ? PreconditionerChoice::two_level
                                                 : PreconditionerChoice::block)
                            : options.preconditioner;
  plan.seconds = iterative;
  plan.bytes = ImpedanceMatrix::bytes(n) / PackedTiles::tile;
  if (plan.preconditioner != PreconditionerChoice::none)
    plan.bytes += block_entries * sizeof(Complex);
  return plan;
}

const char* name_of(SolverChoice solver) {
  switch (solver) {
    case SolverChoice::automatic:
      return "auto";
    case SolverChoice::direct:
      return "direct";
    case SolverChoice::cg:
      return "cg";
    case SolverChoice::cocg:
      return "cocg";
    case SolverChoice::cocr:
      return "cocr";
    case SolverChoice::gmres:
      return "gmres";
  }
  return "";
}

const char* name_of(PreconditionerChoice preconditioner) {
  switch (preconditioner) {
    case PreconditionerChoice::automatic:
      return "auto";
    case PreconditionerChoice::none:
      return "none";
    case PreconditionerChoice::block:
      return "block";
    case PreconditionerChoice::two_level:
      return "two-level";
  }
  return "";
}

}  // namespace thinwire
