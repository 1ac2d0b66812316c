#pragma once

#include <span>
#include <vector>

#include "kernels/gradient/near_gradient.h"

namespace thinwire {

/// How two elements change along one parameter.
struct PairMotion {
  ElementMotion first, second;
};

/// The moves of a turned pair (pair_shape.h) along which NearSlopes differentiates; those
/// of pairs of one shape correspond to each other.
std::vector<PairMotion> pair_moves(const Element& first, const Element& second,
                                   bool the_same, WantedSlopes wanted);

/// The gradient of a number that does not change when the whole pair moves, from its
/// derivatives along the pair_moves.
PairGradient gradient_from_moves(const Element& first, const Element& second,
                                 bool the_same, std::span<const PairMotion> moves,
                                 std::span<const HdComplex> slopes);

/// Whether the elements are parallel and apart from each other's axis.
bool side_by_side(const Element& first, const Element& second);

}  // namespace thinwire
