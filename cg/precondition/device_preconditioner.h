#pragma once

#include <cstdint>
#include <span>

#include "cg/precondition/block_preconditioner.h"
#include "kernels/matrix/tiles.h"

namespace thinwire {

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
  Complex* moment = nullptr;                  ///< [size]
  Complex* amplitude = nullptr;               ///< [size + modes], the last zero
};

/// BlockPreconditioner on the GPU: the blocks are taken from the matrix there, inverted
/// there, all at once, and applied there.
class DeviceBlockPreconditioner : public Preconditioner {
 public:
  using IndexSet = BlockPreconditioner::IndexSet;

  /// `sets` partition 0 .. n-1; none may be empty. Throws Error{numeric} if they do not,
  /// if a block is exactly singular or has an entry that is not finite; Error{memory}.
  DeviceBlockPreconditioner(const DeviceTiles& z, std::span<const IndexSet> sets);

  std::size_t size() const override { return size_; }
  /// z = M r with vectors on the CPU, for the placement `product`.
  void apply(std::span<const Complex> r, std::span<Complex> z) const override;
  std::size_t bytes() const;

  /// What a kernel needs, on the GPU. The unknowns stand set by set; position p has
  struct View {
    std::size_t size = 0;
    const std::uint32_t* unknown = nullptr;    ///< [p] its number in Z
    const std::uint32_t* set_first = nullptr;  ///< [p] the first position of its set
    const std::uint32_t* set_size = nullptr;   ///< [p]
    const std::size_t* row_offset = nullptr;   ///< [p] its row's place in `inverse`
    const Complex* inverse = nullptr;          ///< symmetric blocks, one after another
    CoarseLevel coarse;
  };
  View view() const;

 protected:
  CoarseLevel coarse_;

 private:
  std::size_t size_;
  DeviceStream stream_;
  DeviceBuffer<std::uint32_t> unknown_, set_first_, set_size_;
  DeviceBuffer<std::size_t> row_offset_;
  DeviceBuffer<Complex> inverse_;
  mutable DeviceBuffer<Complex> r_, z_;
};

}  // namespace thinwire
