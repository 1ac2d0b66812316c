#include "mom/basis.h"

#include <numeric>

namespace thinwire {

Basis::Basis(const WireMesh& mesh) {
  // Into the junction: along the element at its end, against it at its start.
  const auto into = [](ElementEnd e) -> std::int8_t { return e.end == 1 ? 1 : -1; };
  std::vector<char> done(mesh.node_count(), 0);
  // Functions are numbered as one walks along the wires, so that neighbours stand close
  // in the matrix.
  for (std::size_t e = 0; e < mesh.elements().size(); ++e)
    for (int side = 0; side < 2; ++side) {
      const std::size_t n = mesh.node_of(e, side);
      if (done[n]) continue;
      done[n] = 1;
      const Node node = mesh.node(n);
      if (node.grounded)
        for (const ElementEnd& end : node.ends)
          functions_.push_back({{end.element, 0}, {end.end, 0}, {into(end), 0}});
      else
        for (std::size_t i = 1; i < node.ends.size(); ++i) {
          const ElementEnd from = node.ends[i - 1], to = node.ends[i];
          functions_.push_back({{from.element, to.element},
                                {from.end, to.end},
                                {into(from), static_cast<std::int8_t>(-into(to))}});
        }
    }

  // Sorted by element end; those of one end stay in the order of the functions.
  const auto for_terms = [this](auto&& take) {
    for (std::size_t m = 0; m < functions_.size(); ++m)
      for (int t = 0; t < 2; ++t)
        if (const BasisFunction& f = functions_[m]; f.sign[t] != 0)
          take(2 * f.element[t] + f.end[t], m, static_cast<double>(f.sign[t]));
  };
  first_.assign(2 * mesh.elements().size() + 1, 0);
  for_terms([this](std::size_t end, std::size_t, double) { ++first_[end + 1]; });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  weights_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for_terms([&](std::size_t end, std::size_t m, double sign) {
    weights_[next[end]++] = {m, sign};
  });
}

std::span<const BasisWeight> Basis::at(std::size_t element, int end) const {
  const std::size_t group = 2 * element + static_cast<std::size_t>(end);
  return {weights_.data() + first_[group], weights_.data() + first_[group + 1]};
}

Complex Basis::end_current(std::span<const Complex> coefficients, std::size_t element,
                           int end) const {
  Complex sum = 0;
  for (const BasisWeight& w : at(element, end))
    sum += w.weight * coefficients[w.function];
  return sum;
}

}  // namespace thinwire
