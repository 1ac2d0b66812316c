#include "cli/suggestion.h"

#include <fmt/format.h>

#include <algorithm>

namespace thinwire::cli {
namespace {

/// Slips between two words (optimal string alignment).
std::size_t slips(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1,
                                          std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::vector<std::string> nearest_words(std::string_view word,
                                       std::span<const std::string> known) {
  constexpr std::size_t longest_word = 40, max_slips = 2, max_words = 3;
  std::vector<std::string> nearest;
  if (word.empty() || word.size() > longest_word) return nearest;
  std::ranges::copy_if(known, std::back_inserter(nearest),
                       [word](const std::string& k) { return k.starts_with(word); });
  // Half the letters of a short word have to be right.
  std::size_t fewest = std::min(max_slips, (word.size() - 1) / 2);
  if (nearest.empty())
    for (const std::string& candidate : known) {
      const std::size_t here = slips(word, candidate);
      if (here > fewest) continue;
      if (here < fewest) nearest.clear();
      fewest = here;
      nearest.push_back(candidate);
    }
  nearest.resize(std::min(nearest.size(), max_words));
  return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known,
                         std::string_view before, std::string_view after) {
  const std::vector<std::string> nearest = nearest_words(word, known);
  std::string text;
  for (std::size_t i = 0; i < nearest.size(); ++i)
    text += fmt::format("{}{}{}{}",
                        i == 0                    ? " Did you mean "
                        : i + 1 == nearest.size() ? " or "
                                                  : ", ",
                        before, nearest[i], after);
  return text.empty() ? text : text + "?";
}

}  // namespace thinwire::cli
