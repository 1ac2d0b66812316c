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

/// A ring of blocks of 2 `each` / 3 unknowns that are all alike, so that any block with
/// the first of the next has the same matrix; of the last block the coupling is another.
inline DenseOperator repeated(std::uint32_t blocks, std::uint32_t each,
                              std::uint64_t seed) {
  const std::uint32_t own = each - each / 3, n = blocks * own;
  const DenseOperator pattern = random_symmetric(2 * own, seed, {1.2, 0.9});
  std::vector<Complex> z(std::size_t{n} * n);
  const auto put = [&](std::uint32_t i, std::uint32_t j, Complex value) {
    z[i + std::size_t{j} * n] = z[j + std::size_t{i} * n] = value;
  };
  for (std::uint32_t b = 0; b < blocks; ++b)
    for (std::uint32_t i = 0; i < own; ++i)
      for (std::uint32_t j = 0; j < own; ++j) {
        put(b * own + i, b * own + j, pattern.at(i, j));
        const double last = b + 1 == blocks ? 0.5 : 1;
        put(b * own + i, (b + 1) % blocks * own + j, last * pattern.at(i, own + j));
      }
  return {n, std::move(z)};
}

/// Its blocks with `each` / 3 of the next one around; marked as equal, or not.
inline std::vector<OverlappingSet> of_repeated(std::uint32_t blocks, std::uint32_t each,
                                               bool marked) {
  const std::uint32_t own = each - each / 3;
  std::vector<OverlappingSet> sets(blocks);
  for (std::uint32_t b = 0; b < blocks; ++b) {
    for (std::uint32_t i = 0; i < each; ++i)
      sets[b].functions.push_back((b * own + i) % (blocks * own));
    sets[b].own = own;
    if (marked && b > 0 && b + 1 < blocks) sets[b].same_as = 0;
  }
  return sets;
}

}  // namespace thinwire::testing
