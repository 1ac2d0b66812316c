#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/base/vec3.h"
#include "kernels/fft/half_spectra.h"
#include "mom/operators/lattice_basis.h"

namespace thinwire {

/// The transforms of a lattice's products: arrays of twice its places, wrapped around, on
/// which displacements and places of the lattice have their points.
///
/// Displacements come in pairs d, -d: number 0 is none, 1, 2, ... are those of which the
/// first component that is not zero is positive.
class ToeplitzGrid {
 public:
  explicit ToeplitzGrid(const LatticeBasis& basis);

  const std::array<std::size_t, 3>& lengths() const { return half_.lengths; }
  const std::array<std::size_t, 3>& places() const { return places_; }
  std::size_t points() const { return half_.points(); }
  const HalfSpectra& half() const { return half_; }
  /// Returns the number of displacements of one half, 0 included; no more than
  /// half().count().
  std::size_t displacements() const { return displacements_; }
  /// In steps.
  std::array<std::int64_t, 3> displacement(std::size_t number) const;
  /// Returns the displacement, m.
  Vec3 displacement_m(std::size_t number) const;
  /// The point of the displacement, or with sign -1 of its opposite.
  std::size_t point_of(std::size_t number, int sign) const;
  /// The point of each antenna.
  const std::vector<std::uint32_t>& antenna_points() const { return antenna_points_; }

  /// Points of the grid of so many places.
  static std::array<std::size_t, 3> lengths_for(std::array<std::size_t, 3> places);

 private:
  std::vector<Vec3> steps_m_;
  std::array<std::size_t, 3> places_;
  HalfSpectra half_;
  std::size_t displacements_;
  std::vector<std::uint32_t> antenna_points_;
};

}  // namespace thinwire
