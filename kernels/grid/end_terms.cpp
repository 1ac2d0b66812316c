#include "kernels/grid/end_terms.h"

#include <algorithm>

#include "kernels/base/grouped.h"
#include "kernels/base/parallel.h"

namespace thinwire {

EndTerms::EndTerms(std::size_t elements, std::span<const BasisFunction> basis)
    : first(2 * elements + 1) {
  // Term t of function m is item 2 m + t; those without a sign go to a group of their
  // own.
  const auto none = static_cast<std::uint32_t>(2 * elements);
  LargeVector<std::uint32_t> end_of(2 * basis.size());
  for_each_cheap(basis.size(), [&](std::size_t m) {
    const BasisFunction& f = basis[m];
    for (int t = 0; t < 2; ++t)
      end_of[2 * m + t] = f.sign[t] != 0 ? 2 * f.element[t] + f.end[t] : none;
  });
  const Grouped by_end(end_of, 2 * elements + 1);
  for_each_cheap(first.size(), [&](std::size_t end) {
    first[end] = static_cast<std::uint32_t>(by_end.first[end]);
  });
  term.resize(first.back());
  for_each_cheap(term.size(), [&](std::size_t i) {
    const std::uint32_t item = by_end.members[i], m = item / 2;
    term[i] = {m, static_cast<double>(basis[m].sign[item % 2])};
  });
}

std::uint32_t EndTerms::lowest(std::size_t element) const {
  std::uint32_t low = UINT32_MAX;
  for (int end = 0; end < 2; ++end)
    if (const auto terms = of(element, end); !terms.empty())
      low = std::min(low, terms.front().function);
  return low;
}

}  // namespace thinwire
