#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace thinwire {

bool is_utf8(std::string_view text);

/// Returns text as UTF-8: as it is, or taken for Latin-1 where it is not UTF-8.
std::string utf8_text(std::string bytes);

/// Returns foreign text (names, comments, what a file holds) on one line and without
/// what a terminal would obey, as UTF-8: control characters but the tab, C1's (U+0080 to
/// U+009F) too, become \n, \x1b, \u009b. Fit for terminals, CSV, Touchstone, listings.
std::string printable(std::string_view text);

/// Returns foreign text of several lines, each as printable() text.
std::string printable_lines(std::string_view text);

/// Returns a path as printable() text, for messages.
std::string shown(const std::filesystem::path& path);

}  // namespace thinwire
