#pragma once

#include <string>
#include <vector>

#include "geometry/close_wires.h"
#include "geometry/structure.h"
#include "kernels/base/monitor.h"

namespace thinwire {

/// By how much, relative, that makes the impedance of a line of two such tubes too high:
/// ln(2 s / D) for acosh(s / D), s being the spacing of the axes, D the sum of the radii
/// (s at least 1.001 D, the right value vanishing where they touch).
double proximity_excess(double spacing_m, double radii_m);

/// Lists what an engineer should check before trusting a result: wires that overlap,
/// nearly touch or cross without being joined, open ends that face each other over a
/// short gap, radii that are large against their antenna, sharp angles and large steps of
/// length at junctions, segments shorter than their radius. One line each, most serious
/// kind first; after `most` lines of a kind the rest is counted. None of this stops a
/// solve. Takes time in proportion to the segments and those near each other; where too
/// many are, a line states that not all were compared. Throws what the monitor does.
std::vector<std::string> geometry_advice(const Structure& structure, std::size_t most = 5,
                                         const Monitor& monitor = {});

/// Only its serious kinds, for every solve: wires that overlap, that nearly touch and run
/// beside each other, gaps, and large radii.
/// with_proximity: the solve includes the proximity effect of parallel wires.
std::vector<std::string> serious_advice(const Structure& structure, std::size_t most = 1,
                                        const Monitor& monitor = {},
                                        bool with_proximity = false);

}  // namespace thinwire
