#pragma once

#include <optional>
#include <span>
#include <vector>

#include "geometry/structure.h"
#include "kernels/base/complex.h"

namespace thinwire {

/// The space that closed wire grids enclose: hulls, rooms, boxes.
struct Cavity {
  double volume_m3 = 0;         ///< of all of them, to about a cell at their walls
  std::vector<Vec3> samples_m;  ///< points inside, evenly drawn, away from the walls
};

/// Finds the space that cannot be reached from outside without passing between wires that
/// are closer than three typical segments, by a flood of cubes. None where nothing is
/// enclosed, or where it is too small to resonate at this wavelength.
std::optional<Cavity> find_cavity(const Structure& structure, double wavelength_m);

/// Returns the energy that a field, V/m, at the samples stands for, as much magnetic as
/// electric, over what the input power brings in a radian: the cavity's share of the
/// structure's quality factor. field: [3 samples], peak.
double stored_radians(const Cavity& cavity, std::span<const Complex> field,
                      double input_power_w, double wavelength_m);

}  // namespace thinwire
