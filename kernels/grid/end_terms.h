#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/large_vector.h"
#include "kernels/element/basis_function.h"

namespace thinwire {

/// A function that has a term on an element's end, and its sign there.
struct EndTerm {
  std::uint32_t function;
  double sign;
};

/// The functions of every element end, rising: a basis turned round.
struct EndTerms {
  LargeVector<std::uint32_t> first;  ///< [2 elements + 1], of element e's end: 2 e + end
  LargeVector<EndTerm> term;

  EndTerms(std::size_t elements, std::span<const BasisFunction> basis);
  std::span<const EndTerm> of(std::size_t element, int end) const {
    return {term.data() + first[2 * element + end],
            term.data() + first[2 * element + end + 1]};
  }
  /// The smallest number of a function on the element; 2^32 - 1 where it has none.
  std::uint32_t lowest(std::size_t element) const;
};

}  // namespace thinwire
