#pragma once

#include <string>
#include <vector>

#include "geometry/structure.h"

namespace thinwire {

/// What an engineer should look at before she believes a result: wires that overlap,
/// nearly touch or cross without being joined, sharp angles and large steps of radius or
/// length at junctions, segments shorter than their radius. One line each, most serious
/// kind first; after `most` lines of a kind the rest is counted. None of this stops a
/// solve.
std::vector<std::string> geometry_advice(const Structure& structure,
                                         std::size_t most = 5);

/// Only its most serious kind, for every solve: wires that overlap without being joined.
std::vector<std::string> overlap_advice(const Structure& structure, std::size_t most = 1);

}  // namespace thinwire
