#pragma once

#include "geometry/structure.h"

namespace thinwire {

/// Within how far of the ground's surface, z = 0, an end of the segment counts as on it:
/// the tolerance within which ends are joined.
double surface_tolerance_m(const Segment& segment);

/// Whether an end of the segment lies below z = 0.
bool reaches_below(const Segment& segment);

/// Whether both of its ends lie on z = 0.
bool lies_on_surface(const Segment& segment);

/// Whether any segment reaches below z = 0: where there is a ground, a buried wire.
bool has_wires_below(const Structure& structure);

}  // namespace thinwire
