#pragma once

#include <cstdint>
#include <vector>

#include "cg/precondition/overlap.h"
#include "tests/cg/dense_system.h"

namespace thinwire::testing {

inline EntryReader reader_of(const DenseOperator& z) {
  return [&z](std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns,
              std::span<Complex> entries) {
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < rows.size(); ++i)
        entries[i + j * rows.size()] = z.at(rows[i], columns[j]);
  };
}

/// Every third unknown in one set, and `around` of the others with it.
inline std::vector<OverlappingSet> interleaved(std::uint32_t n, std::uint32_t around) {
  std::vector<OverlappingSet> sets(3);
  for (std::uint32_t s = 0; s < 3; ++s) {
    for (std::uint32_t i = s; i < n; i += 3) sets[s].functions.push_back(i);
    sets[s].own = sets[s].functions.size();
    for (std::uint32_t i = (s + 1) % 3; i < n && i < 3 * around; i += 3)
      sets[s].functions.push_back(i);
  }
  return sets;
}

}  // namespace thinwire::testing
