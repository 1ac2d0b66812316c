#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thinwire::cli {

/// The known words that `word` was probably meant to be: those that it begins, and where
/// it begins none those that are the fewest slips away, two at most. A slip is a letter
/// changed, added, left out or swapped with its neighbour. At most three, in their order.
std::vector<std::string> nearest_words(std::string_view word,
                                       std::span<const std::string> known);

/// " Did you mean --sort or --sorted?", each word between `before` and `after`; empty
/// where no word is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> known,
                         std::string_view before, std::string_view after);

}  // namespace thinwire::cli
