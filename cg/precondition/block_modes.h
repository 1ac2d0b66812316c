#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cg/precondition/block_preconditioner.h"

namespace thinwire {

/// Inverted blocks, and of each the few current modes that it shows to the others: seen
/// from afar a wire near resonance has one strong mode, the largest singular vector of
/// its inverted block. Together the modes are the columns of a matrix P.
class BlockModes {
 public:
  using IndexSet = BlockPreconditioner::IndexSet;

  /// sets, write, same_as: as BlockPreconditioner has them, whose errors this throws.
  /// Every block has min(modes, its size) modes.
  BlockModes(std::vector<IndexSet> sets, const BlockPreconditioner::BlockWriter& write,
             int modes, std::vector<std::size_t> same_as = {});

  const BlockPreconditioner& blocks() const { return blocks_; }
  std::size_t size() const { return first_mode_.back(); }  ///< modes in all
  /// Modes first_mode(b) .. first_mode(b + 1) - 1 are those of block b.
  std::size_t first_mode(std::size_t block) const { return first_mode_[block]; }
  /// Returns the modes of block b: [m][its modes], column by column, orthonormal, with m
  /// = blocks().set(b).size().
  std::span<const Complex> of(std::size_t block) const { return modes_[block]; }

  /// moments = P^T r, [size()]; z += P amplitudes.
  void project(std::span<const Complex> r, std::span<Complex> moments) const;
  void add(std::span<const Complex> amplitudes, std::span<Complex> z) const;
  /// P^T Z P between the modes of block b, as `between` gives it.
  std::span<const Complex> own(std::size_t b) const { return own_[b]; }
  /// P^T Z P between the modes of two blocks, [modes of a][modes of b], from the entries
  /// of Z between them, [functions of a][functions of b], both column by column.
  std::vector<Complex> between(std::size_t a, std::size_t b,
                               std::span<const Complex> entries) const;
  /// The inverted blocks less what the coarse level does again, B - P D^-1 P^T with D
  /// the own() of all: [m * m] each, block by block.
  std::vector<Complex> inverses_without_modes() const;

 private:
  void find(std::size_t block, int modes);

  BlockPreconditioner blocks_;
  std::vector<std::vector<Complex>> modes_, own_;
  std::vector<std::size_t> first_mode_;
};

}  // namespace thinwire
