#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "geometry/lattice.h"
#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"
#include "mom/discretization/discretization.h"

namespace thinwire {

/// The basis of equal antennas on a lattice (geometry/lattice.h): antenna 0's, and which
/// function of another antenna is which of antenna 0 shifted.
struct LatticeBasis {
  /// Throws Error{geometry} where the antennas' functions are not the same.
  LatticeBasis(const Discretization& where, const Lattice& lattice);

  std::vector<Vec3> steps_m;
  std::array<std::size_t, 3> places;
  LargeVector<std::uint64_t> place_of;  ///< of each antenna, as in Lattice
  /// Antenna 0's; its functions count elements from 0.
  std::vector<Element> elements;
  std::vector<BasisFunction> functions;
  /// The number among all of each antenna's functions, [antennas][functions].
  LargeVector<std::uint32_t> number_of;

  std::size_t antennas() const { return place_of.size(); }
  std::size_t size() const { return functions.size(); }  ///< functions of an antenna
  std::size_t unknowns() const { return number_of.size(); }
};

}  // namespace thinwire
