#pragma once

namespace thinwire {

/// How the symmetric product is launched on a GPU: what `thinwire tune` chooses. It
/// decides the order of the sums, so results may differ in the last bits.
struct SymvSetting {
  /// Index into symv_shapes (symv_shapes.h), for complex double and one right-hand side.
  int shape = 0;
  /// Number of runs of tiles that the part of each resident block is cut into, 1 .. 16.
  int runs_per_block = 1;

  bool operator==(const SymvSetting&) const = default;
};

}  // namespace thinwire
