#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cg/precondition/block_modes.h"
#include "cg/precondition/block_preconditioner.h"
#include "cg/precondition/entry_reader.h"

namespace thinwire {

/// Block Jacobi with a coarse level that couples the blocks' modes.
///
/// Projecting Z on the modes (P, see BlockModes) gives a small dense matrix
/// Zc = P^T Z P, and
///     M = B + P (Zc^-1 - D^-1) P^T,
/// B the inverted blocks, D the blocks of Zc on its diagonal, solves the coupling of the
/// modes exactly and everything else block by block; M is complex symmetric. An array of
/// 196 half-wave dipoles half a wavelength apart takes 6 iterations of COCG to 1e-6
/// instead of 94 with blocks alone.
class TwoLevelPreconditioner final : public Preconditioner {
 public:
  /// `sets` partition the unknowns, see BlockPreconditioner, whose errors this throws;
  /// every block has min(modes, its size) modes. Reads every entry of the lower triangle
  /// of blocks once.
  TwoLevelPreconditioner(std::vector<BlockPreconditioner::IndexSet> sets,
                         const EntryReader& read, int modes);
  /// coarse: Zc, [modes.size()][modes.size()], or something near it.
  TwoLevelPreconditioner(BlockModes modes, std::vector<Complex> coarse);

  std::size_t size() const override { return modes_.blocks().size(); }
  void apply(std::span<const Complex> r, std::span<Complex> z) const override;

  /// Modes a block so that the coarse matrix stays cheap beside a product with Z.
  static int modes_for(std::size_t blocks);

 private:
  BlockModes modes_;
  std::vector<Complex> correction_;  ///< Zc^-1 - D^-1, [coarse * coarse]
};

/// Zc = P^T Z P, [modes.size()][modes.size()], from every entry of the lower triangle of
/// blocks. wanted(a, b), b <= a: whether the entries between two blocks are to be read,
/// others count as zero; empty: all are.
std::vector<Complex> coarse_matrix_from_entries(
    const BlockModes& modes, const EntryReader& read,
    const std::function<bool(std::size_t a, std::size_t b)>& wanted = {});

/// TwoLevelPreconditioner on the GPU: the modes, the coarse matrix P^T Z P and its
/// inverse are made there from the matrix in tiles, which is read once.
class DeviceTwoLevelPreconditioner final : public DeviceBlockPreconditioner {
 public:
  /// `modes` of each set (1 to 4), see TwoLevelPreconditioner::modes_for. Throws what
  /// DeviceBlockPreconditioner does, and Error{numeric} when the coarse matrix is
  /// singular.
  DeviceTwoLevelPreconditioner(const DeviceTiles& z, std::span<const IndexSet> sets,
                               int modes, DeviceExchange* others = nullptr);

  std::size_t bytes() const override;
  /// Predicts the bytes before anything is built, without the temporary memory of the
  /// construction (as much again).
  static std::size_t bytes(std::span<const IndexSet> sets, int modes);

 private:
  DeviceBuffer<std::uint32_t> first_mode_, mode_set_;
  DeviceBuffer<Complex> mode_, correction_, moment_, amplitude_;
};

}  // namespace thinwire
