#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/base/monitor.h"

namespace thinwire {

/// Pairs of places that lie near each other.
struct PairSearch {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  ///< smaller number first
  std::size_t candidates = 0;                              ///< pairs looked at
  bool complete = true;  ///< false where a limit ended the search
};

/// Limits of a search, beyond which places lie too densely for a list of pairs to help
/// anybody: candidates of one place, candidates in all (besides some for each place), and
/// pairs found.
inline constexpr std::size_t max_candidates_each = 2048;
inline constexpr std::size_t max_candidates = std::size_t{1} << 25;
inline constexpr std::size_t default_candidates_each = 64;
inline constexpr std::size_t max_pairs = std::size_t{1} << 20;

/// Adds the pairs that find(i, pair_with), called for each i < count on some thread,
/// gives by pair_with(a, b), and sorts them all. find returns the number of candidates
/// that it looked at, max_candidates_each at most. Where a limit is passed, the search
/// ends after a block of places: after the same one for any number of threads. Throws
/// what the monitor does.
template <class Find>
void search_pairs(std::size_t count, const Monitor& monitor, const Find& find,
                  PairSearch& search) {
  constexpr std::size_t block = 1 << 14;
  auto& pairs = search.pairs;
  std::size_t searched = 0;
  while (searched < count && pairs.size() < max_pairs &&
         search.candidates < max_candidates + default_candidates_each * searched) {
    monitor.report("check", static_cast<double>(searched) / static_cast<double>(count));
    const std::size_t first = searched, last = std::min(count, first + block);
    std::size_t sum = 0, most = 0;
#pragma omp parallel reduction(+ : sum) reduction(max : most)
    {
      std::vector<std::pair<std::size_t, std::size_t>> own;
#pragma omp for schedule(dynamic, 64) nowait
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t candidates = find(
            i, [&](std::size_t a, std::size_t b) { own.push_back(std::minmax(a, b)); });
        sum += candidates;
        most = std::max(most, candidates);
      }
#pragma omp critical
      pairs.insert(pairs.end(), own.begin(), own.end());
    }
    search.candidates += sum;
    search.complete = search.complete && most < max_candidates_each;
    searched = last;
  }
  search.complete = search.complete && searched == count;
  std::sort(pairs.begin(), pairs.end());
}

}  // namespace thinwire
