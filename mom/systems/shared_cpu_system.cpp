#include "mom/systems/shared_cpu_system.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "cg/precondition/block_preconditioner.h"
#include "cg/precondition/overlap.h"
#include "cg/precondition/two_level.h"
#include "kernels/base/host_memory.h"
#include "kernels/fill/fill.h"
#include "kernels/fill/matrix_entries.h"
#include "mom/preconditioners/boxes.h"
#include "mom/preconditioners/equal_sets.h"
#include "mom/systems/nearly_singular.h"

namespace thinwire {
namespace {

using IndexSet = BlockPreconditioner::IndexSet;

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
                      TileShare::part({input.discretization.unknowns()},
                                      static_cast<std::size_t>(ranks.rank()),
                                      tile_weights(ranks, input.options)),
                      ranks) {}

void SharedCpuSystem::fill(const FillParameters& parameters, const SolverPlan& plan,
                           const Monitor& monitor) {
  direct_.reset();
  preconditioner_.reset();
  matrix_.reset();
  matrix_ =
      std::make_unique<SharedMatrix>(input_.discretization.unknowns(), share_, ranks_);
  medium_ = image_medium_of(parameters.ground);
  loads_ = parameters.loads.updates();
  constexpr double first = HostFill::rules_share;
  rules_ = fill_.rules(parameters, matrix_->tiles().size_bytes() + plan.bytes,
                       monitor.part(0, first));
  fill_impedance(rules_, share_, matrix_->tiles(), monitor.part(first, 1));
  matrix_->add(loads_);
}

void SharedCpuSystem::prepare(Method method, const Monitor& monitor) {
  method_ = method;
  direct_.reset();
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
  direct_ = std::make_unique<SharedDirectSolver>(*matrix_, monitor);
  note_if_nearly_singular(direct_->reciprocal_condition(), notes_);
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
      overlapping_sets(input_.discretization, method_.boxes, medium_, loads_, monitor),
      read, monitor);
}

/// Builds the same blocks as on one rank: each rank has the entries of its tiles, and the
/// sums over the ranks are complete.
std::unique_ptr<Preconditioner> SharedCpuSystem::blocks_of_own_tiles() const {
  std::vector<IndexSet> sets = FunctionPlaces(input_.discretization).blocks();
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
  if (direct_) {
    std::vector<SolveResult> results = direct_->solve(v, current, control);
    if (direct_->iterated())
      notes_.push_back(
          {"direct solver over ranks: without pivots between blocks its factors lost too "
           "many digits; GMRES continued with them as preconditioner",
           "factors without pivots lost digits, so GMRES with them"});
    return results;
  }
  return solve_rhs(method_.solver, *matrix_, preconditioner_.get(), v, current,
                   together(control));
}

}  // namespace thinwire
