#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cg/device_preconditioner.h"
#include "cg/preconditioner.h"
#include "kernels/device/exchange.h"
#include "kernels/matrix/tiles.h"

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

  /// `sets` partition 0 .. n-1, n being the sum of their sizes; none may be empty.
  /// same_as: of each set an earlier one whose matrix is the same, index by index, and
  /// which has one of its own, or itself; empty: all have their own. Such a matrix is
  /// written and inverted once. Throws Error{numeric} where that is not so, if a block is
  /// exactly singular or has an entry that is not finite, and what write_block throws.
  BlockPreconditioner(std::vector<IndexSet> sets, const BlockWriter& write_block,
                      std::vector<std::size_t> same_as = {});

  std::size_t size() const override { return size_; }
  std::size_t blocks() const { return sets_.size(); }
  const IndexSet& set(std::size_t block) const { return sets_[block]; }
  std::span<const IndexSet> sets() const { return sets_; }
  /// The block whose inverse it has.
  std::size_t owner(std::size_t block) const { return same_as_[block]; }
  /// The inverse of a block, [m * m], m = set(block).size(), symmetric.
  std::span<const Complex> inverse(std::size_t block) const {
    return inverses_[same_as_[block]];
  }
  void apply(std::span<const Complex> r, std::span<Complex> z) const override;
  /// Returns the bytes of the inverted blocks, none shared, and of their indices: 16 for
  /// each entry and 4 for each index.
  static std::size_t bytes(std::span<const IndexSet> sets);

 private:
  std::vector<IndexSet> sets_;
  std::size_t size_ = 0;
  // The inverse of each block, symmetrised. An explicit inverse instead of LU factors: a
  // product with it is one pass without dependences or calls (blocks of a wire are too
  // small for BLAS to pay), and exactly symmetric.
  std::vector<std::vector<Complex>> inverses_;  ///< empty where it is another set's
  std::vector<std::size_t> same_as_;
};

/// Throws Error{numeric} unless the sets hold each of n unknowns once and none is empty.
void check_partition(std::span<const BlockPreconditioner::IndexSet> sets, std::size_t n);

/// The coarse level of DeviceTwoLevelPreconditioner as kernels see it, on the GPU: what
/// is added to position p of M r is sum_c amplitude[first_mode[p] + c] mode[p][c], with
/// amplitude = correction P^T r. size 0: none.
struct CoarseLevel {
  std::size_t size = 0;                       ///< modes in all
  int modes = 0;                              ///< of a set, at most
  const std::uint32_t* first_mode = nullptr;  ///< [position]
  const std::uint32_t* mode_set = nullptr;    ///< [size] first position of the mode's set
  const Complex* mode = nullptr;              ///< [position][modes], zero where none
  const Complex* correction = nullptr;        ///< [size][size], symmetric
  Complex* moment = nullptr;                  ///< [rhs_count][size]
  Complex* amplitude = nullptr;  ///< [rhs_count][size + modes], the last `modes` zero
};

/// Inverted blocks as kernels see them, on the GPU. The unknowns stand set by set;
/// position p has
struct PreconditionerBlocks {
  std::size_t size = 0;
  const std::uint32_t* unknown = nullptr;    ///< [p] its number in Z
  const std::uint32_t* set_first = nullptr;  ///< [p] the first position of its set
  const std::uint32_t* set_size = nullptr;   ///< [p]
  const std::size_t* row_offset = nullptr;   ///< [p] its row's place in `inverse`
  const Complex* inverse = nullptr;          ///< symmetric blocks, one after another
  CoarseLevel coarse;
};

/// BlockPreconditioner on the GPU: the blocks are taken from the matrix there, inverted
/// there, all at once, and applied there.
class DeviceBlockPreconditioner : public DevicePreconditioner {
 public:
  using IndexSet = BlockPreconditioner::IndexSet;

  /// `sets` partition 0 .. n-1; none may be empty. Throws Error{numeric} if they do not,
  /// if a block is exactly singular or has an entry that is not finite; Error{memory}.
  /// others: of those that share z; null where it has all tiles. Each gets the whole.
  DeviceBlockPreconditioner(const DeviceTiles& z, std::span<const IndexSet> sets,
                            DeviceExchange* others = nullptr);
  /// With these in place of inverted blocks: symmetric, [m * m] each, set by set. Throws
  /// the same errors.
  DeviceBlockPreconditioner(std::span<const IndexSet> sets,
                            std::span<const Complex> inverses);

  std::size_t size() const override { return size_; }
  void multiply(const Complex* r, Complex* z, const DeviceStream& stream) const override;
  const PreconditionerBlocks* blocks() const override { return &blocks_; }
  std::size_t bytes() const override;

 protected:
  PreconditionerBlocks blocks_;

 private:
  /// Lays the sets out. Where each of them starts.
  std::vector<std::uint32_t> place(std::span<const IndexSet> sets,
                                   const DeviceStream& stream);

  std::size_t size_ = 0;
  DeviceBuffer<std::uint32_t> unknown_, set_first_, set_size_;
  DeviceBuffer<std::size_t> row_offset_;
  DeviceBuffer<Complex> inverse_;
};

}  // namespace thinwire
