#include "kernels/fill/pair_classes.h"

#include <algorithm>
#include <numeric>

#include "kernels/base/parallel.h"
#include "kernels/element/pair_shape.h"

namespace thinwire {

PairClasses classify_pairs(std::span<const Element> elements, Medium medium, int s,
                           const ElementPairs& pairs) {
  const auto count = static_cast<std::uint32_t>(pairs.second.size());
  std::vector<std::uint32_t> first(count);
  std::vector<std::uint64_t> hash(count);
  const auto shaped = [&](std::uint32_t i) {
    return shaped_pair(medium.source(elements[first[i]], s), elements[pairs.second[i]]);
  };
  // The shapes of many pairs would take more memory than all that is kept of them.
  constexpr std::uint32_t few = 1 << 16;
  std::vector<PairShape> kept(count <= few ? count : 0);
  const auto shape = [&](std::uint32_t i) {
    return kept.empty() ? shaped(i).shape : kept[i];
  };
  PairClasses classes;
  classes.of_pair.resize(count);
  classes.symmetry.resize(count);
  constexpr std::size_t rows_at_once = 64;
  for_each_parallel(
      pairs.row.size() - 1,
      [&](std::size_t p) {
        for (std::uint64_t i = pairs.row[p]; i < pairs.row[p + 1]; ++i) {
          first[i] = static_cast<std::uint32_t>(p);
          const ShapedPair pair = shaped(static_cast<std::uint32_t>(i));
          hash[i] = pair.shape.hash();
          classes.symmetry[i] = pair.symmetry.bits();
          if (!kept.empty()) kept[i] = pair.shape;
        }
      },
      rows_at_once);

  // Parts of the pairs by the first bits of their hashes, each sorted by itself; of few
  // pairs one.
  constexpr int bits = 6;
  const std::uint64_t parts = kept.empty() ? 1 << bits : 1;
  const auto part_of = [&](std::uint32_t i) {
    return static_cast<std::size_t>(hash[i] >> (64 - bits) & (parts - 1));
  };
  std::vector<std::vector<std::uint32_t>> pairs_of(parts), example(parts);
  for (std::uint32_t i = 0; i < count; ++i) pairs_of[part_of(i)].push_back(i);
  for_each_parallel(parts, [&](std::size_t part) {
    std::vector<std::uint32_t>& mine = pairs_of[part];
    std::stable_sort(mine.begin(), mine.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return hash[a] < hash[b]; });
    // Shapes are compared too: hashes of different ones may be the same.
    PairShape last = {};
    for (std::size_t n = 0; n < mine.size(); ++n) {
      const bool follows = n > 0 && hash[mine[n]] == hash[mine[n - 1]],
                 leads = n + 1 < mine.size() && hash[mine[n]] == hash[mine[n + 1]];
      PairShape here = {};
      if (follows || leads) here = shape(mine[n]);
      if (!follows || !(here == last)) example[part].push_back(mine[n]);
      last = here;
      classes.of_pair[mine[n]] = static_cast<std::uint32_t>(example[part].size() - 1);
    }
  });
  std::vector<std::uint32_t> before(parts);
  for (std::size_t part = 0; part < parts; ++part) {
    before[part] = static_cast<std::uint32_t>(classes.p.size());
    for (const std::uint32_t i : example[part]) {
      classes.p.push_back(first[i]);
      classes.q.push_back(pairs.second[i]);
      classes.first_turns.push_back(classes.symmetry[i]);
    }
  }
  for_each_cheap(count, [&](std::size_t i) {
    classes.of_pair[i] += before[part_of(static_cast<std::uint32_t>(i))];
  });
  return classes;
}

}  // namespace thinwire
