#pragma once

#include <cstdint>
#include <vector>

#include "cg/precondition/block_preconditioner.h"
#include "tests/cg/dense_system.h"

namespace thinwire::testing {

/// Neighbours in sets of 20, the last with the rest.
inline std::vector<BlockPreconditioner::IndexSet> sets_of_20(std::size_t n) {
  std::vector<BlockPreconditioner::IndexSet> sets((n + 19) / 20);
  for (std::uint32_t i = 0; i < n; ++i) sets[i / 20].push_back(i);
  return sets;
}

inline BlockPreconditioner::BlockWriter entries_of(const DenseOperator& z) {
  return [&z](std::span<const std::uint32_t> set, std::span<Complex> block) {
    for (std::size_t j = 0; j < set.size(); ++j)
      for (std::size_t i = 0; i < set.size(); ++i)
        block[i + j * set.size()] = z.at(set[i], set[j]);
  };
}

}  // namespace thinwire::testing
