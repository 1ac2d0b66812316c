#pragma once

#include <cstddef>
#include <vector>

#include "geometry/structure.h"

namespace thinwire {

/// How wires that lie in the surface of a ground, z = 0, come to lie on it.
struct SurfaceLift {
  std::size_t segment = 0;   ///< the first that lies in the surface or dips into it
  std::size_t segments = 0;  ///< how many do
  double height_m = 0;       ///< by which ends rise
  double depth_m = 0;        ///< of the structure's lowest end below z = 0
  double clearance_m = 0;    ///< by which all must rise for no wire to dip
  std::vector<char> rises;   ///< [2 segments]: ends 0 and 1 of segment 0, of segment 1...
};

/// Finds the height by which all that is not below the surface must rise so that no wire
/// dips into it from above: the thickest of those in it then touches it. Ends below stay,
/// and with ground_contact those on the surface at which no wire in it ends. Without
/// wires in the surface `segments` is 0.
SurfaceLift find_surface_lift(const Structure& structure, bool ground_contact);

}  // namespace thinwire
