#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/gradient/element_gradient.h"

namespace thinwire {

/// Which derivatives are wanted beside those by lengths and distances.
struct WantedDerivatives {
  bool radii = true;
  bool turns = true;  ///< by the angle between parallel elements side by side: dear
};

/// How two elements change along one parameter.
struct PairMotion {
  ElementMotion first, second;
};

/// As many moves as a pair has: a length, both ends along three axes, two radii.
inline constexpr std::size_t max_moves = 9;

/// The moves of a turned pair (pair_shape.h) along which NearDerivatives differentiates;
/// those of pairs of one shape correspond to each other.
std::vector<PairMotion> pair_moves(const Element& first, const Element& second,
                                   bool the_same, WantedDerivatives wanted);

/// The gradient of a number that does not change when the whole pair moves, from its
/// derivatives along the pair_moves.
PairGradient gradient_from_moves(const Element& first, const Element& second,
                                 bool the_same, std::span<const PairMotion> moves,
                                 std::span<const HdComplex> derivatives);

/// Whether the elements are parallel and apart from each other's axis.
bool side_by_side(const Element& first, const Element& second);

}  // namespace thinwire
