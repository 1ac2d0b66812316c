#include "mom/system/shared_cpu_system.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "cg/direct/inverse_norm.h"
#include "cg/precondition/block_preconditioner.h"
#include "cg/precondition/overlap.h"
#include "cg/precondition/two_level.h"
#include "cg/vector_ops.h"
#include "kernels/base/host_memory.h"
#include "kernels/fill/fill.h"
#include "kernels/fill/matrix_entries.h"
#include "mom/plan/boxes.h"
#include "mom/plan/equal_sets.h"
#include "mom/system/nearly_singular.h"

namespace thinwire {
namespace {

using IndexSet = BlockPreconditioner::IndexSet;

/// Steps of refinement after which what is left is rounding.
constexpr int most_refinements = 8;

/// The entries of blocks whose tiles lie spread over the ranks, on every rank.
class GatheredBlocks {
 public:
  GatheredBlocks(const SharedMatrix& z, std::span<const IndexSet> sets)
      : first_(z.size()) {
    std::size_t entries = 0;
    for (const IndexSet& set : sets) {
      first_[set.front()] = entries;
      entries += set.size() * set.size();
    }
    entries_.resize(entries);
    for (const IndexSet& set : sets) z.read_own(set, set, of(set));
    z.comm().sum(entries_);
  }
  std::span<Complex> of(std::span<const std::uint32_t> set) {
    return std::span(entries_).subspan(first_[set.front()], set.size() * set.size());
  }

 private:
  std::vector<std::size_t> first_;  ///< by the first function of a set
  std::vector<Complex> entries_;
};

}  // namespace

SharedCpuSystem::SharedCpuSystem(const SystemInput& input, const Comm& ranks)
    : SharedCpuSystem(input,
                      TileShare::part({input.antenna.unknowns()},
                                      static_cast<std::size_t>(ranks.rank()),
                                      tile_weights(ranks, input.options)),
                      ranks) {}

void SharedCpuSystem::fill(const Environment& environment, const SolverPlan& plan,
                           const Monitor& monitor) {
  factors_.reset();
  preconditioner_.reset();
  matrix_.reset();
  matrix_ = std::make_unique<SharedMatrix>(input_.antenna.unknowns(), share_, ranks_);
  medium_ = image_medium_of(environment.ground);
  loads_ = environment.loads.updates();
  rules_ = fill_.rules(environment, matrix_->tiles().size_bytes() + plan.bytes, monitor);
  fill_impedance(rules_, share_, matrix_->tiles(), monitor);
  matrix_->add(loads_);
}

void SharedCpuSystem::prepare(Method method, const Monitor& monitor) {
  method_ = method;
  factors_.reset();
  preconditioner_.reset();
  if (method.solver == SolverChoice::direct)
    factor(monitor);
  else if (method.preconditioner != PreconditionerChoice::none)
    preconditioner_ = make_preconditioner(monitor);
}

bool SharedCpuSystem::direct_fits() const {
  // The ranks of one machine share what is free there.
  const double here = static_cast<double>(host_memory().free);
  double short_of =
      static_cast<double>(SharedLdlt::bytes(matrix_->size(), ranks_.ranks())) < here ? 0
                                                                                     : 1;
  ranks_.sum(short_of);
  return short_of == 0;
}

void SharedCpuSystem::factor(const Monitor& monitor) {
  factors_ = std::make_unique<SharedLdlt>(*matrix_, monitor);
  const double inverse_norm = inverse_norm1(
      matrix_->size(), [this](std::span<Complex> x) { factors_->solve(x); }, ranks_);
  note_if_nearly_singular(1 / (matrix_->norm1() * inverse_norm), notes_);
}

std::unique_ptr<Preconditioner> SharedCpuSystem::make_preconditioner(
    const Monitor& monitor) const {
  if (method_.preconditioner != PreconditionerChoice::overlap)
    return blocks_of_own_tiles();
  const auto read = [this](std::span<const std::uint32_t> rows,
                           std::span<const std::uint32_t> columns,
                           std::span<Complex> entries) {
    read_entries(rules_, rows, columns, entries);
    add_updates(loads_, rows, columns, entries);
  };
  return std::make_unique<OverlapPreconditioner>(
      overlapping_sets(input_.antenna, method_.boxes, medium_, loads_, monitor), read,
      monitor);
}

/// The same entries as on one rank: each has those of its tiles, and sums over the ranks
/// are whole.
std::unique_ptr<Preconditioner> SharedCpuSystem::blocks_of_own_tiles() const {
  std::vector<IndexSet> sets = FunctionPlaces(input_.antenna).blocks();
  GatheredBlocks gathered(*matrix_, sets);
  const auto write = [&gathered](std::span<const std::uint32_t> set,
                                 std::span<Complex> block) {
    const auto entries = gathered.of(set);
    std::copy(entries.begin(), entries.end(), block.begin());
  };
  if (method_.preconditioner == PreconditionerChoice::block)
    return std::make_unique<BlockPreconditioner>(std::move(sets), write);
  const int count = TwoLevelPreconditioner::modes_for(sets.size());
  BlockModes modes(std::move(sets), write, count);
  const auto may_have = [&](std::size_t a, std::size_t b) {
    const auto [a_low, a_high] = std::ranges::minmax(modes.blocks().set(a));
    const auto [b_low, b_high] = std::ranges::minmax(modes.blocks().set(b));
    return matrix_->may_have(a_low, a_high, b_low, b_high);
  };
  std::vector<Complex> coarse = coarse_matrix_from_entries(
      modes,
      [this](std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns,
             std::span<Complex> entries) { matrix_->read_own(rows, columns, entries); },
      may_have);
  ranks_.sum(coarse);
  return std::make_unique<TwoLevelPreconditioner>(std::move(modes), std::move(coarse));
}

SolverControl SharedCpuSystem::together(const SolverControl& control) const {
  SolverControl same = control_for(method_, control);
  same.comm = &vectors_;
  return same;
}

std::vector<SolveResult> SharedCpuSystem::solve(std::span<const Complex> v,
                                                std::span<Complex> current,
                                                const SolverControl& control) {
  std::fill(current.begin(), current.end(), 0.0);
  if (factors_) return solve_direct(v, current, control);
  return solve_sides(recurrence_of(method_.solver), *matrix_, preconditioner_.get(), v,
                     current, together(control));
}

/// The factors have no pivots between blocks: what that costs, refinement restores, and
/// where it does not, GMRES with the factors for a preconditioner.
std::vector<SolveResult> SharedCpuSystem::solve_direct(std::span<const Complex> v,
                                                       std::span<Complex> current,
                                                       const SolverControl& control) {
  std::vector<SolveResult> results;
  for (const double residual : refine(v, current)) {
    SolveResult result;
    result.relative_residual = residual;
    results.push_back(std::move(result));
  }
  const std::size_t n = matrix_->size();
  bool iterated = false;
  for (std::size_t s = 0; s < results.size(); ++s) {
    // Written so that NaN is one, too.
    if (results[s].relative_residual <= control.tolerance) continue;
    iterated = true;
    const auto of_side = current.subspan(s * n, n);
    std::fill(of_side.begin(), of_side.end(), 0.0);
    results[s] = thinwire::solve(Recurrence::gmres, *matrix_, factors_.get(),
                                 v.subspan(s * n, n), of_side, together(control));
  }
  if (iterated)
    notes_.push_back(
        {"direct solver over ranks: without pivots between blocks its "
         "factors lose digits; GMRES went on from them",
         "factors without pivots lose digits, so GMRES with them"});
  return results;
}

/// Solves by the factors and corrects by the residual as long as that halves it
/// (Wilkinson 1963). Returns the relative residual of every side.
std::vector<double> SharedCpuSystem::refine(std::span<const Complex> v,
                                            std::span<Complex> current) const {
  const std::size_t n = matrix_->size(), sides = v.size() / n;
  const auto side = [n](auto all, std::size_t s) { return all.subspan(s * n, n); };
  std::vector<double> size(sides), residual(sides, 1);
  for (std::size_t s = 0; s < sides; ++s) size[s] = norm2(side(v, s), vectors_);
  std::vector<Complex> r(v.begin(), v.end()), corrected(v.size());
  std::vector<char> improving(sides, 1);
  for (int step = 0; step < most_refinements; ++step) {
    factors_->solve(r);
    for (std::size_t i = 0; i < r.size(); ++i) corrected[i] = current[i] + r[i];
    matrix_->apply_sides(corrected, r);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = v[i] - r[i];
    for (std::size_t s = 0; s < sides; ++s) {
      if (!improving[s]) continue;
      const double left = norm2(side(std::span<const Complex>(r), s), vectors_),
                   now = size[s] > 0 ? left / size[s] : left;
      if (step == 0 || now < residual[s]) {
        const auto better = side(std::span<const Complex>(corrected), s);
        std::copy(better.begin(), better.end(), side(current, s).begin());
      }
      improving[s] = step == 0 ? now > 0 : now <= 0.5 * residual[s];
      residual[s] = step == 0 ? now : std::min(now, residual[s]);
    }
    if (std::none_of(improving.begin(), improving.end(), [](char on) { return on; }))
      break;
  }
  return residual;
}

}  // namespace thinwire
