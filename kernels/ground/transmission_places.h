#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/ground/half_space.h"

namespace thinwire {

/// Places in use, and about how many they are: a box is fitted where that takes less time
/// than an integral for each of them.
struct TransmissionUse {
  TransmissionRange range;
  double count = 1e300;
};

/// Which horizontal distances, heights and depths, all times k, are in use between
/// currents above the surface and below it: what an TransmissionTable is made for. Kept
/// apart for the seven boxes of every octave s of max(rho, z, depth): each of the three
/// in 0 .. s or s .. 2 s, not all in the first.
class TransmissionPlaces {
 public:
  static constexpr std::int32_t boxes_an_octave = 7;

  /// k R from `least` to `most`, R^2 = rho^2 + (z + depth)^2; nearer places count as
  /// being there in the same direction.
  TransmissionPlaces(double least, double most);

  /// Several hundred ranges are quick to make a table of; tens of thousands take longer
  /// to sort than their table to fill.
  void add(const TransmissionRange& range);

  std::int32_t first_octave() const { return first_octave_; }
  std::int32_t octaves() const {
    return static_cast<std::int32_t>(parts_.size()) / boxes_an_octave;
  }
  /// Returns the ranges added for a box, 7 * octave + box; bits of box + 1: the far half
  /// of rho, z, depth.
  std::span<const TransmissionUse> in_use(std::int32_t number) const {
    return parts_[number];
  }

 private:
  TransmissionRange box(std::int32_t number) const;

  std::int32_t first_octave_;
  std::vector<std::vector<TransmissionUse>> parts_;
};

}  // namespace thinwire
