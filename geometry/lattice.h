#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "geometry/structure.h"
#include "kernels/base/large_vector.h"
#include "kernels/base/monitor.h"

namespace thinwire {

/// Connected antennas that are equal up to a shift and stand on the places of a lattice,
/// one or none on each. Antenna 0 is the one with the first segment; place (i, j, k) lies
/// at the sum of i, j, k times the steps from place (0, 0, 0).
struct Lattice {
  std::vector<Vec3> steps_m;                      ///< 1 to 3, rectangular or oblique
  std::array<std::size_t, 3> places = {1, 1, 1};  ///< along each step; 1 without one
  /// Place of each antenna: (i places[1] + j) places[2] + k.
  LargeVector<std::uint64_t> place_of;
  /// Segments of each antenna, [antennas][segments_each], in the same order for all
  /// antennas.
  LargeVector<std::uint32_t> segments;
  std::size_t segments_each = 0;

  std::size_t antennas() const { return place_of.size(); }
  /// Returns the number of each segment within its antenna.
  std::vector<std::uint32_t> within_antenna() const;
};

struct LatticeSearch {
  std::shared_ptr<const Lattice> lattice;  ///< null where there is none
  /// Why there is none, as the middle of an error's text: the antenna that breaks it and
  /// how, or how empty it would be.
  std::string reason;
};

/// Looks for a lattice by geometry alone: which wires touch, and where they lie; tags and
/// cards do not matter, but the segments of an antenna have to be in the same order and
/// direction as those of the others. Antennas and places agree to 1e-6 of the shortest
/// segment. At most 8 places an antenna. Takes time in proportion to the segments. Throws
/// what the monitor throws; reports no progress.
LatticeSearch find_lattice(const Structure& structure, const Monitor& monitor = {});

/// Why the images of a lattice's antennas in the ground, z = 0, form no lattice with it,
/// as the middle of an error's text: a step rises, by more than 1e-6 of the shortest
/// segment or element over all its places. Empty where they do.
std::string why_no_images(std::span<const Vec3> steps_m,
                          const std::array<std::size_t, 3>& places, double shortest_m);

}  // namespace thinwire
