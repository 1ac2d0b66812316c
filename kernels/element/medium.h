#pragma once

#include "kernels/element/element.h"

namespace thinwire {

/// The surroundings of the wires: which images act beside an element. A value, the same
/// on CPU and GPU.
///
/// An element acts through its sources: number 0 is the element itself, the others are
/// its images. What it gives is the sum over them of factor(s) times what source(e, s)
/// gives in free space, with the same current from its start to its end.
class Medium {
 public:
  static constexpr int max_sources = 2;

  constexpr Medium() = default;  ///< free space
  static constexpr Medium free_space() { return {}; }
  /// A perfect conductor below z = 0; elements lie above it or end on it.
  static constexpr Medium perfect_ground() {
    Medium medium;
    medium.sources_ = 2;
    return medium;
  }

  /// 1 .. max_sources.
  THINWIRE_HD int sources() const { return sources_; }
  THINWIRE_HD Element source(Element e, int s) const {
    if (s == 0) return e;
    e.start_m.z = -e.start_m.z;
    e.tangent.z = -e.tangent.z;
    return e;
  }
  /// A mirrored charge has the opposite sign, and so has the current that carries it.
  THINWIRE_HD double factor(int s) const { return s == 0 ? 1.0 : -1.0; }
  constexpr bool operator==(const Medium&) const = default;

 private:
  int sources_ = 1;
};

}  // namespace thinwire
