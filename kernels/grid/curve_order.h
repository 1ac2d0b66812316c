#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/large_vector.h"
#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"

namespace thinwire {

/// A basis renumbered so that functions that are close have close numbers: by cubes in
/// the order of a Morton curve (Morton 1966), and in each cube as they were, along the
/// wires. Elements are renumbered as the functions meet them.
struct CurveOrder {
  LargeVector<std::uint32_t> function;  ///< old number of each, [functions]
  LargeVector<Element> elements;
  LargeVector<BasisFunction> basis;  ///< of the new numbers of both

  CurveOrder(std::span<const Element> elements, std::span<const BasisFunction> basis,
             double cube_m);
};

}  // namespace thinwire
