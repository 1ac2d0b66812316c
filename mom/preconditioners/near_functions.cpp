#include "mom/preconditioners/near_functions.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/point_index.h"

namespace thinwire {
namespace {

using FunctionPair = std::array<std::uint32_t, 2>;

/// Pairs of coarse functions, the first not above the second, that are near each other.
std::vector<FunctionPair> near_pairs(const Discretization& where,
                                     const CoarseSpace& space, double near_m) {
  const auto n = static_cast<std::uint32_t>(space.size());
  std::vector<Vec3> middle;
  std::vector<std::uint32_t> cluster, function;
  for (std::uint32_t c = 0; c < n; ++c) {
    Vec3 sum;
    double all = 0;
    const auto functions = space.restriction.columns_of(c);
    const auto values = space.restriction.values_of(c);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const double weight = std::abs(values[i]);
      all += weight;
      sum = sum +
            weight * place_of(where.basis().functions()[functions[i]], where.elements());
    }
    middle.push_back(all > 0 ? (1 / all) * sum : sum);
    for (const std::uint32_t of : space.between[c])
      if (of != CoarseSpace::no_cluster) {
        cluster.push_back(of);
        function.push_back(c);
      }
  }
  std::vector<FunctionPair> pairs;
  const PointIndex index(middle);
  const Vec3 reach = {near_m, near_m, near_m};
  for (std::uint32_t c = 0; c < n; ++c)
    index.visit(middle[c] - reach, middle[c] + reach, [&](std::size_t other) {
      if (other <= c && norm(middle[c] - middle[other]) <= near_m)
        pairs.push_back({static_cast<std::uint32_t>(other), c});
    });
  const Grouped by_cluster(
      cluster,
      cluster.empty() ? 0 : *std::max_element(cluster.begin(), cluster.end()) + 1);
  for (std::size_t g = 0; g < by_cluster.groups(); ++g)
    for (const std::uint32_t a : by_cluster.of(g))
      for (const std::uint32_t b : by_cluster.of(g))
        if (function[a] <= function[b]) pairs.push_back({function[a], function[b]});
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::vector<NearTerm> near_terms(const CoarseSpace& space,
                                 std::span<const FunctionPair> pairs) {
  std::vector<NearTerm> terms;
  for (std::uint32_t i = 0; i < pairs.size(); ++i) {
    const auto [p, q] = pairs[i];
    for (const std::uint32_t a : space.between[p])
      for (const std::uint32_t b : space.between[q]) {
        if (a == CoarseSpace::no_cluster || b == CoarseSpace::no_cluster) continue;
        if (a >= b)
          terms.push_back({a, b, q, p, i});
        else
          terms.push_back({b, a, p, q, i});
      }
  }
  std::sort(terms.begin(), terms.end(),
            [](const NearTerm& x, const NearTerm& y) { return x.order() < y.order(); });
  return terms;
}

}  // namespace

NearFunctions::NearFunctions(const Discretization& where, const CoarseSpace& space,
                             double near_m)
    : pairs(near_pairs(where, space, near_m)), terms(near_terms(space, pairs)) {
  block.push_back(0);
  for (std::size_t t = 1; t < terms.size(); ++t)
    if (terms[t].block() != terms[t - 1].block()) block.push_back(t);
  block.push_back(terms.size());
}

ClusterFunctions::ClusterFunctions(const CoarseSpace& space)
    : of_cluster(space.cluster_of_function,
                 *std::max_element(space.cluster_of_function.begin(),
                                   space.cluster_of_function.end()) +
                     1),
      place(space.cluster_of_function.size()) {
  for (std::size_t g = 0; g < of_cluster.groups(); ++g)
    for (std::uint32_t i = 0; i < of_cluster.size(g); ++i) place[of_cluster.of(g)[i]] = i;
}

}  // namespace thinwire
