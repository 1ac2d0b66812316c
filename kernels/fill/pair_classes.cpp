#include "kernels/fill/pair_classes.h"

#include <algorithm>
#include <numeric>

#include "kernels/element/pair_shape.h"

namespace thinwire {

PairClasses classify_pairs(std::span<const Element> elements, Medium medium, int s,
                           const ElementPairs& pairs) {
  const auto count = static_cast<std::uint32_t>(pairs.second.size());
  const auto rows = static_cast<std::int64_t>(pairs.row.size()) - 1;
  std::vector<std::uint32_t> first(count);
  std::vector<std::uint64_t> hash(count);
  const auto shape = [&](std::uint32_t i) {
    return shaped_pair(medium.source(elements[first[i]], s), elements[pairs.second[i]]);
  };
  PairClasses classes;
  classes.of_pair.resize(count);
  classes.symmetry.resize(count);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int64_t p = 0; p < rows; ++p)
    for (std::uint64_t i = pairs.row[p]; i < pairs.row[p + 1]; ++i) {
      first[i] = static_cast<std::uint32_t>(p);
      const ShapedPair pair = shape(i);
      hash[i] = pair.shape.hash();
      classes.symmetry[i] = pair.symmetry.bits();
    }

  // Parts of the pairs by the first bits of their hashes, each sorted by itself.
  constexpr int bits = 6, parts = 1 << bits;
  const auto part_of = [&](std::uint32_t i) {
    return static_cast<int>(hash[i] >> (64 - bits));
  };
  std::vector<std::uint32_t> pairs_of[parts], example[parts];
  for (std::uint32_t i = 0; i < count; ++i) pairs_of[part_of(i)].push_back(i);
#pragma omp parallel for schedule(dynamic)
  for (int part = 0; part < parts; ++part) {
    std::vector<std::uint32_t>& mine = pairs_of[part];
    std::stable_sort(mine.begin(), mine.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return hash[a] < hash[b]; });
    // Shapes are compared too: hashes of different ones may be the same.
    PairShape last = {};
    for (std::size_t n = 0; n < mine.size(); ++n) {
      const bool follows = n > 0 && hash[mine[n]] == hash[mine[n - 1]],
                 leads = n + 1 < mine.size() && hash[mine[n]] == hash[mine[n + 1]];
      PairShape here = {};
      if (follows || leads) here = shape(mine[n]).shape;
      if (!follows || !(here == last)) example[part].push_back(mine[n]);
      last = here;
      classes.of_pair[mine[n]] = static_cast<std::uint32_t>(example[part].size() - 1);
    }
  }
  std::uint32_t before[parts];
  for (int part = 0; part < parts; ++part) {
    before[part] = static_cast<std::uint32_t>(classes.p.size());
    for (const std::uint32_t i : example[part]) {
      classes.p.push_back(first[i]);
      classes.q.push_back(pairs.second[i]);
    }
  }
#pragma omp parallel for schedule(static)
  for (std::uint32_t i = 0; i < count; ++i) classes.of_pair[i] += before[part_of(i)];
  return classes;
}

}  // namespace thinwire
