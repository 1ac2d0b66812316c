#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cg/preconditioner.h"

namespace thinwire {

/// Block Jacobi: Z restricted to sets of unknowns (a wire, a small antenna) and inverted
/// set by set.
class BlockPreconditioner final : public Preconditioner {
 public:
  using IndexSet = std::vector<std::uint32_t>;
  /// Writes the entries Z[indices[i], indices[j]] to block[i + j * indices.size()]
  /// (column-major). Called from several threads at once, once for each set.
  using BlockWriter = std::function<void(std::span<const std::uint32_t> indices,
                                         std::span<Complex> block)>;

  /// `sets` partition 0 .. n-1, n being the sum of their sizes; none may be empty. Throws
  /// Error{numeric} if they do not, if a block is exactly singular or has an entry that
  /// is not finite, and what write_block throws.
  BlockPreconditioner(std::vector<IndexSet> sets, const BlockWriter& write_block);

  std::size_t size() const override { return size_; }
  std::size_t blocks() const { return sets_.size(); }
  const IndexSet& set(std::size_t block) const { return sets_[block]; }
  /// The inverse of a block, [m * m], m = set(block).size(), symmetric.
  std::span<const Complex> inverse(std::size_t block) const { return inverses_[block]; }
  void apply(std::span<const Complex> r, std::span<Complex> z) const override;
  /// Memory that the inverted blocks and their indices take.
  std::size_t bytes() const;
  /// The same before anything is built: 16 byte for each entry and 4 for each index.
  static std::size_t bytes(std::span<const IndexSet> sets);

 private:
  std::vector<IndexSet> sets_;
  std::size_t size_ = 0;
  // The inverse of each block, symmetrised. An explicit inverse instead of LU factors: a
  // product with it is one pass without dependences or calls (blocks of a wire are too
  // small for BLAS to pay), and exactly symmetric.
  std::vector<std::vector<Complex>> inverses_;
};

/// Throws Error{numeric} unless the sets hold each of n unknowns once and none is empty.
void check_partition(std::span<const BlockPreconditioner::IndexSet> sets, std::size_t n);

}  // namespace thinwire
