#include "kernels/grid/end_terms.h"

#include <algorithm>
#include <numeric>

namespace thinwire {

EndTerms::EndTerms(std::size_t elements, std::span<const BasisFunction> basis)
    : first(2 * elements + 1, 0) {
  const auto for_terms = [&](auto&& take) {
    for (std::uint32_t m = 0; m < basis.size(); ++m)
      for (int t = 0; t < 2; ++t)
        if (basis[m].sign[t] != 0)
          take(2 * std::size_t{basis[m].element[t]} + basis[m].end[t],
               EndTerm{m, static_cast<double>(basis[m].sign[t])});
  };
  for_terms([&](std::size_t end, EndTerm) { ++first[end + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  term.resize(first.back());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for_terms([&](std::size_t end, EndTerm t) { term[next[end]++] = t; });
}

std::uint32_t EndTerms::lowest(std::size_t element) const {
  std::uint32_t low = UINT32_MAX;
  for (int end = 0; end < 2; ++end)
    if (const auto terms = of(element, end); !terms.empty())
      low = std::min(low, terms.front().function);
  return low;
}

}  // namespace thinwire
