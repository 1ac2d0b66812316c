#pragma once

#include "geometry/pair_search.h"
#include "geometry/structure.h"
#include "geometry/wire_mesh.h"

namespace thinwire {

/// Tubes closer than this many times the sum of their radii influence each other's
/// current around the circumference, which the thin-wire method takes as uniform.
inline constexpr double close_radii = 2.0;

/// Least distance between the axes of two segments, m (Ericson 2005, section 5.1.9).
double segment_distance(const Segment& a, const Segment& b);

/// Returns the length of the shortest wire from an end of an element to another element,
/// over neither of them; infinite beyond limit_m.
double wire_between_m(const WireMesh& mesh, std::size_t from, int end, std::size_t to,
                      double limit_m);

/// Cosine of the angle up to which close wires run beside each other.
inline constexpr double beside_cosine = 0.9;

/// Looks for segments that are not joined and come closer than close_radii times the sum
/// of their radii. Of two whose mean length is at most that distance only those are found
/// whose axes meet, and those that run beside each other if neither is shorter than a
/// tenth of its radius: the short pieces of a thick wire are all close to many others.
/// mesh: of the structure as given. Takes time in proportion to the segments and those
/// near each other. Throws what the monitor does.
PairSearch close_wires(const Structure& structure, const WireMesh& mesh,
                       const Monitor& monitor = {});

}  // namespace thinwire
