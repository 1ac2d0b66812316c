#include "cg/precondition/two_level.h"

#include <algorithm>

#include <omp.h>

#include "cg/blas_threads.h"
#include "cg/direct/inverse.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

using IndexSet = BlockPreconditioner::IndexSet;

/// The inverse of a matrix of the coarse level.
std::vector<Complex> inverse_of(std::vector<Complex> matrix, std::size_t n) {
  // Below, threads wait for each other longer than they work.
  constexpr std::size_t worth_sharing = 300;
  const BlasThreads threads(n < worth_sharing ? 1 : omp_get_max_threads());
  invert_symmetric(matrix, n, "two-level preconditioner: the coarse matrix");
  return matrix;
}

BlockModes modes_of(std::vector<IndexSet> sets, const EntryReader& read, int modes) {
  return {std::move(sets),
          [&read](std::span<const std::uint32_t> set, std::span<Complex> block) {
            read(set, set, block);
          },
          modes};
}

TwoLevelPreconditioner with_all_entries(BlockModes modes, const EntryReader& read) {
  std::vector<Complex> coarse = coarse_matrix_from_entries(modes, read);
  return {std::move(modes), std::move(coarse)};
}

}  // namespace

std::vector<Complex> coarse_matrix_from_entries(
    const BlockModes& modes, const EntryReader& read,
    const std::function<bool(std::size_t a, std::size_t b)>& wanted) {
  const std::size_t n = modes.size(), blocks = modes.blocks().blocks();
  std::vector<Complex> coarse(n * n);
  // Row block a has a + 1 pairs: the longest first.
  for_each_parallel(blocks, [&](std::size_t step) {
    const std::size_t a = blocks - 1 - step;
    const IndexSet& rows = modes.blocks().set(a);
    std::vector<Complex> entries;
    for (std::size_t b = 0; b <= a; ++b) {
      if (wanted && !wanted(a, b)) continue;
      const IndexSet& columns = modes.blocks().set(b);
      entries.resize(rows.size() * columns.size());
      read(rows, columns, entries);
      const std::vector<Complex> coupling = modes.between(a, b, entries);
      auto value = coupling.begin();
      for (std::size_t j = modes.first_mode(b); j < modes.first_mode(b + 1); ++j)
        for (std::size_t i = modes.first_mode(a); i < modes.first_mode(a + 1); ++i)
          coarse[i + j * n] = coarse[j + i * n] = *value++;
    }
  });
  return coarse;
}

int TwoLevelPreconditioner::modes_for(std::size_t blocks) {
  constexpr std::size_t largest_coarse = 1000, max_modes = 4;
  return static_cast<int>(std::clamp(largest_coarse / std::max<std::size_t>(blocks, 1),
                                     std::size_t{1}, max_modes));
}

TwoLevelPreconditioner::TwoLevelPreconditioner(std::vector<IndexSet> sets,
                                               const EntryReader& read, int modes)
    : TwoLevelPreconditioner(
          with_all_entries(modes_of(std::move(sets), read, modes), read)) {}

TwoLevelPreconditioner::TwoLevelPreconditioner(BlockModes modes,
                                               std::vector<Complex> coarse)
    : modes_(std::move(modes)) {
  const std::size_t n = modes_.size();
  correction_ = inverse_of(coarse, n);
  for (std::size_t b = 0; b < modes_.blocks().blocks(); ++b) {
    const std::size_t first = modes_.first_mode(b),
                      count = modes_.first_mode(b + 1) - first;
    std::vector<Complex> own(count * count);
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t i = 0; i < count; ++i)
        own[i + j * count] = coarse[first + i + (first + j) * n];
    own = inverse_of(std::move(own), count);
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t i = 0; i < count; ++i)
        correction_[first + i + (first + j) * n] -= own[i + j * count];
  }
}

void TwoLevelPreconditioner::apply(std::span<const Complex> r,
                                   std::span<Complex> z) const {
  modes_.blocks().apply(r, z);
  const std::size_t n = modes_.size();
  std::vector<Complex> moments(n), amplitudes(n);
  modes_.project(r, moments);
#pragma omp parallel for schedule(static) if (n >= 256)
  for (std::size_t i = 0; i < n; ++i) {
    Complex sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += correction_[j + i * n] * moments[j];
    amplitudes[i] = sum;
  }
  modes_.add(amplitudes, z);
}

}  // namespace thinwire
