#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/element/basis_function.h"
#include "kernels/matrix/tile_share.h"

namespace thinwire {

/// For each of `count` elements p whether a share of whole rows of tiles may need element
/// matrices of pairs (p, q), q <= p: 1 or 0. Where functions and elements are numbered
/// along the wires, few elements are needed by more than one share.
std::vector<std::uint8_t> elements_of_share(std::span<const BasisFunction> basis,
                                            std::size_t count, TileShare share);

}  // namespace thinwire
