#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/element/medium.h"
#include "mom/discretization/basis.h"

namespace thinwire {

/// A current of one ampere around a closed path: +1 or -1 of each basis function on it.
using Loop = std::vector<BasisWeight>;

/// Loops from which all currents are made that leave no charge anywhere: as many as there
/// are functions beyond those that join the `elements` of the basis to trees. The first
/// function of each is in no other, with +1. over_perfect_ground: paths that end on the
/// ground are closed through their images.
///
/// They are the cycles of the graph that has elements, and the ground, for nodes and
/// functions for edges: charge stays in a node, a function carries it from one to the
/// next. Each is an edge beside a spanning tree, and the way back through the tree.
std::vector<Loop> independent_loops(const Basis& basis, std::size_t elements,
                                    bool over_perfect_ground);

/// Limit of segments up to which loops are preserved at low frequencies whatever device
/// is asked for (mom/plan): on the CPU, as no other device does.
inline constexpr std::size_t max_segments_of_loops = 2000;

/// The largest structure, with its images, whose loops are solved apart
/// (mom/systems/loop_system.h), and its longest element, k length. At the bounds both
/// ways agree best: to 1e-6 of the reactance.
inline constexpr double loops_below_wavelengths = 1e-2;
inline constexpr double longest_straight_rad = 5e-3;

bool is_small_for_loops(std::span<const Element> elements, Medium medium,
                        double k_rad_per_m);

}  // namespace thinwire
