#include "cg/precondition/block_preconditioner.h"

#include <fmt/format.h>
#include <omp.h>

#include <complex>
#include <numeric>
#include <utility>

#include "cg/blas_threads.h"
#include "cg/direct/inverse.h"
#include "kernels/base/error.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

void check_sharing(std::span<const BlockPreconditioner::IndexSet> sets,
                   std::span<const std::size_t> same_as) {
  if (same_as.size() != sets.size())
    throw Error(
        ErrorKind::numeric,
        fmt::format("block preconditioner: {} sets can't share as {} are told to.",
                    sets.size(), same_as.size()));
  for (std::size_t b = 0; b < sets.size(); ++b) {
    const std::size_t first = same_as[b];
    if (first > b || same_as[first] != first || sets[first].size() != sets[b].size())
      throw Error(ErrorKind::numeric,
                  fmt::format("block preconditioner: set {} can't have the matrix of set "
                              "{}, which is no earlier one of its size.",
                              b, first));
  }
}

}  // namespace

void check_partition(std::span<const BlockPreconditioner::IndexSet> sets, std::size_t n) {
  std::vector<bool> seen(n, false);
  std::size_t count = 0;
  for (const auto& set : sets) {
    if (set.empty())
      throw Error(ErrorKind::numeric,
                  "block preconditioner: a set of unknowns is empty.");
    for (const std::uint32_t index : set) {
      if (index >= n || seen[index])
        throw Error(ErrorKind::numeric,
                    fmt::format("block preconditioner: the sets do not partition the "
                                "unknowns 0..{} (got {} {}).",
                                n - 1, index, index < n ? "twice" : "beyond the end"));
      seen[index] = true;
      ++count;
    }
  }
  if (count != n)
    throw Error(
        ErrorKind::numeric,
        fmt::format("block preconditioner: the sets hold {} of {} unknowns.", count, n));
}

BlockPreconditioner::BlockPreconditioner(std::vector<IndexSet> sets,
                                         const BlockWriter& write_block,
                                         std::vector<std::size_t> same_as)
    : sets_(std::move(sets)), same_as_(std::move(same_as)) {
  for (const auto& set : sets_) size_ += set.size();
  check_partition(sets_, size_);
  inverses_.resize(sets_.size());
  if (same_as_.empty()) {
    same_as_.resize(sets_.size());
    std::iota(same_as_.begin(), same_as_.end(), std::size_t{0});
  }
  check_sharing(sets_, same_as_);

  // The threads go over blocks, so each BLAS call is to stay on its own.
  const BlasThreads one_thread(1);
  require_blas_buffers(omp_get_max_threads());
  for_each_parallel(sets_.size(), [&](std::size_t b) {
    if (same_as_[b] != b) return;
    const std::size_t m = sets_[b].size();
    inverses_[b].resize(m * m);
    write_block(sets_[b], inverses_[b]);
    invert_symmetric(inverses_[b], m, "block preconditioner: a block");
  });
}

void BlockPreconditioner::apply(std::span<const Complex> r, std::span<Complex> z) const {
#pragma omp parallel if (size_ >= 1024)
  {
    std::vector<double> re, im;  // z of one block
#pragma omp for schedule(dynamic)
    for (std::size_t b = 0; b < sets_.size(); ++b) {
      const IndexSet& set = sets_[b];
      const std::size_t m = set.size();
      const double* entry = reinterpret_cast<const double*>(inverse(b).data());
      re.assign(m, 0);
      im.assign(m, 0);
      for (std::size_t j = 0; j < m; ++j, entry += 2 * m) {
        const double xr = r[set[j]].real(), xi = r[set[j]].imag();
#pragma omp simd
        for (std::size_t i = 0; i < m; ++i) {
          re[i] += entry[2 * i] * xr - entry[2 * i + 1] * xi;
          im[i] += entry[2 * i] * xi + entry[2 * i + 1] * xr;
        }
      }
      for (std::size_t i = 0; i < m; ++i) z[set[i]] = {re[i], im[i]};
    }
  }
}

std::size_t BlockPreconditioner::bytes(std::span<const IndexSet> sets) {
  std::size_t total = 0;
  for (const auto& set : sets)
    total += set.size() * set.size() * sizeof(Complex) + set.size() * sizeof(set[0]);
  return total;
}

}  // namespace thinwire
