#include "geometry/wires_below.h"

#include <algorithm>

#include "geometry/end_clusters.h"

namespace thinwire {

double surface_tolerance_m(const Segment& segment) {
  return junction_tolerance * norm(segment.end_m - segment.start_m);
}

bool reaches_below(const Segment& segment) {
  return std::min(segment.start_m.z, segment.end_m.z) < -surface_tolerance_m(segment);
}

bool lies_on_surface(const Segment& segment) {
  return !reaches_below(segment) &&
         std::max(segment.start_m.z, segment.end_m.z) <= surface_tolerance_m(segment);
}

bool has_wires_below(const Structure& structure) {
  return std::any_of(structure.segments().begin(), structure.segments().end(),
                     reaches_below);
}

}  // namespace thinwire
