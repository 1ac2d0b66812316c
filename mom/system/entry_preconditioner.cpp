#include "mom/system/entry_preconditioner.h"

#include "cg/precondition/block_preconditioner.h"
#include "cg/precondition/two_level.h"
#include "mom/plan/boxes.h"

namespace thinwire {

std::unique_ptr<Preconditioner> preconditioner_from_entries(const Discretisation& antenna,
                                                            PreconditionerChoice choice,
                                                            const EntryReader& read) {
  if (choice == PreconditionerChoice::none) return nullptr;
  const FunctionPlaces places(antenna);
  auto blocks = places.blocks();
  if (choice == PreconditionerChoice::two_level) {
    const int modes = TwoLevelPreconditioner::modes_for(blocks.size());
    return std::make_unique<TwoLevelPreconditioner>(std::move(blocks), read, modes);
  }
  return std::make_unique<BlockPreconditioner>(
      std::move(blocks), [&read](std::span<const std::uint32_t> set,
                                 std::span<Complex> block) { read(set, set, block); });
}

}  // namespace thinwire
