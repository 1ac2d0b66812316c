#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mom/discretization/discretization.h"

namespace thinwire {

/// A connected antenna.
struct Antenna {
  std::vector<std::uint32_t> functions;  ///< in ascending order
  std::size_t elements = 0;

  /// A tree of wires with open ends has one function less than elements; every loop adds
  /// one, and every end on perfect ground does.
  std::size_t loops() const { return functions.size() + 1 - elements; }
};

/// The antennas that basis functions connect, each with at least one, in the order of
/// their first ones.
std::vector<Antenna> antennas_of_basis(const Discretization& where);

/// Largest connected antenna that preconditioners do not cut.
inline constexpr std::size_t largest_whole_antenna = 512;

}  // namespace thinwire
