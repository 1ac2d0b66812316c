#pragma once

#include <optional>
#include <string>
#include <vector>

namespace thinwire::cli {

/// Returns the words of `thinwire nec2c` for a call by the name of another program's NEC,
/// nothing for other names:
///
/// - nec2c, nec2++, necpp: the words as they are;
/// - nec2dxs (nec2dxs500, NEC2DXS11K.EXE ..), which 4nec2 and scripts start: the names of
///   deck and listing, each a line of standard input, or nec2c's options;
/// - nec5 (NEC5, nec5cl ..), which EZNEC Pro starts: the same two as words.
///
/// The last two have their listings in NEC-2's columns (--layout nec2).
///
/// Throws Error{usage} where a name is missing.
std::optional<std::vector<std::string>> words_of_seat(
    const std::string& program, const std::vector<std::string>& words, char** argv);

}  // namespace thinwire::cli
