#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace thinwire::cli {

/// Prints to standard error. Says nothing where that cannot be written to, such as a full
/// disk: results come first.
template <class... Values>
void tell(fmt::format_string<Values...> text, Values&&... values) {
  const std::string line = fmt::format(text, std::forward<Values>(values)...);
  (void)std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace thinwire::cli
