#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/base/error.h"

namespace thinwire {

/// A value of an enumeration, and its name on the command line and in files.
template <class T>
using Word = std::pair<T, std::string_view>;

/// An enumeration that a user chooses from: words_of() gives an array of its Words.
template <class T>
concept Choice = requires(T choice) {
  words_of(choice);
};

/// Returns the name of a choice: "auto", "two-level", "as-given".
template <Choice T>
std::string_view name_of(T choice) {
  for (const auto& [value, word] : words_of(choice))
    if (value == choice) return word;
  return "";
}

/// Returns all names with a separator in between: "auto|off|on".
template <Choice T>
std::string names_of(std::string_view between = "|") {
  std::string all;
  for (const auto& word : words_of(T{}))
    all += std::string(all.empty() ? "" : between) + std::string(word.second);
  return all;
}

/// Returns the choice of that name. Throws Error{usage}: "`option` must be one of ...".
template <Choice T>
T choice_named(std::string_view option, std::string_view word) {
  for (const auto& [value, name] : words_of(T{}))
    if (name == word) return value;
  throw Error(ErrorKind::usage, std::string(option) + " must be one of " +
                                    names_of<T>(", ") + " (got '" + std::string(word) +
                                    "').");
}

}  // namespace thinwire
