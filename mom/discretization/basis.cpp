#include "mom/discretization/basis.h"

#include <cstdint>

#include "kernels/base/grouped.h"
#include "kernels/base/parallel.h"

namespace thinwire {

namespace {

/// Functions of a node.
std::size_t functions_at(const Node& node) {
  return node.grounded ? node.ends.size() : node.ends.size() - 1;
}

/// Returns how many functions of a node have a term at one of its ends.
std::size_t functions_at(const Node& node, std::size_t end) {
  if (node.grounded) return 1;
  return (end > 0 ? 1 : 0) + (end + 1 < node.ends.size() ? 1 : 0);
}

std::size_t number_of(ElementEnd e) {
  return 2 * std::size_t{e.element} + e.end;
}

/// Into the junction: along the element at its end, against it at its start.
std::int8_t into(ElementEnd e) {
  return e.end == 1 ? 1 : -1;
}

}  // namespace

Basis::Basis(const WireMesh& mesh) {
  const std::size_t nodes = mesh.node_count(), ends = 2 * mesh.elements().size();
  // Functions are numbered as one walks along the wires, so that neighbours stand close
  // in the matrix: those of a node where one first comes to it.
  LargeVector<std::uint32_t> functions_first_at(ends), terms_at(ends);
  for_each_cheap(nodes, [&](std::size_t n) {
    const Node node = mesh.node(n);
    for (std::size_t i = 0; i < node.ends.size(); ++i) {
      const std::size_t at = number_of(node.ends[i]);
      functions_first_at[at] =
          i == 0 ? static_cast<std::uint32_t>(functions_at(node)) : 0;
      terms_at[at] = static_cast<std::uint32_t>(functions_at(node, i));
    }
  });
  const LargeVector<std::size_t> before =
      running_sum(ends, [&](std::size_t at) { return functions_first_at[at]; });
  first_ = running_sum(ends, [&](std::size_t at) { return terms_at[at]; });
  functions_.resize(before.back());
  weights_.resize(first_.back());
  for_each_cheap(nodes, [&](std::size_t n) {
    const Node node = mesh.node(n);
    const std::size_t first = before[number_of(node.ends.front())];
    for (std::size_t i = 0; i < node.ends.size(); ++i) {
      const ElementEnd end = node.ends[i];
      BasisWeight* weight = weights_.data() + first_[number_of(end)];
      if (node.grounded) {
        functions_[first + i] = {{end.element, 0}, {end.end, 0}, {into(end), 0}};
        *weight = {first + i, static_cast<double>(into(end))};
        continue;
      }
      // A function leads from each end to the next.
      if (i > 0) *weight++ = {first + i - 1, -static_cast<double>(into(end))};
      if (i + 1 == node.ends.size()) continue;
      const ElementEnd to = node.ends[i + 1];
      functions_[first + i] = {{end.element, to.element},
                               {end.end, to.end},
                               {into(end), static_cast<std::int8_t>(-into(to))}};
      *weight = {first + i, static_cast<double>(into(end))};
    }
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

LargeVector<Complex> Basis::end_currents(std::span<const Complex> coefficients) const {
  LargeVector<Complex> currents(first_.size() - 1);
  for_each_cheap(currents.size(), [&](std::size_t i) {
    currents[i] = end_current(coefficients, i / 2, static_cast<int>(i % 2));
  });
  return currents;
}

}  // namespace thinwire
