#include "mom/systems/entry_preconditioner.h"

#include "cg/precondition/block_preconditioner.h"
#include "cg/precondition/two_level.h"
#include "mom/operators/mode_coupling.h"
#include "mom/preconditioners/equal_sets.h"

namespace thinwire {

std::unique_ptr<Preconditioner> preconditioner_from_entries(
    const Discretization& discretization, PreconditionerChoice choice,
    const FillInput& exact, std::span<const MatrixUpdate> loads,
    const EntryReader& read) {
  if (choice == PreconditionerChoice::none) return nullptr;
  std::vector<OverlappingSet> marked = marked_blocks(discretization, exact.medium, loads);
  std::vector<BlockPreconditioner::IndexSet> blocks;
  for (OverlappingSet& set : marked) blocks.push_back(std::move(set.functions));
  const auto write = [&read](std::span<const std::uint32_t> set,
                             std::span<Complex> block) { read(set, set, block); };
  if (choice == PreconditionerChoice::block)
    return std::make_unique<BlockPreconditioner>(std::move(blocks), write,
                                                 owners(marked));
  const int count = TwoLevelPreconditioner::modes_for(blocks.size());
  BlockModes modes(std::move(blocks), write, count, owners(marked));
  std::vector<Complex> coarse = coarse_matrix(mode_coupling(modes, exact, read), exact);
  return std::make_unique<TwoLevelPreconditioner>(std::move(modes), std::move(coarse));
}

}  // namespace thinwire
