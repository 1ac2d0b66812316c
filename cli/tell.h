#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

#include "kernels/base/printable.h"

namespace thinwire::cli {

/// Writes text as it is to standard error. Writes nothing where that cannot be written
/// to, such as a full disk: results come first.
inline void write_to_stderr(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Prints lines to standard error, as printable() text.
template <class... Values>
void tell(fmt::format_string<Values...> text, Values&&... values) {
  write_to_stderr(printable_lines(fmt::format(text, std::forward<Values>(values)...)));
}

}  // namespace thinwire::cli
