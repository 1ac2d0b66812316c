#pragma once

#include <string>
#include <string_view>

namespace thinwire {

/// Whether the bytes are a file of EZNEC (.ez): they have its check constant.
bool is_eznec(std::string_view bytes);

/// Returns the cards of a file of EZNEC; wire N has tag N. Comments name what has no
/// effect in it. docs/guide/coming-from.md has the limits. Throws Error{file} for what is
/// damaged, and for what no card can represent.
std::string eznec_cards(std::string_view bytes, const std::string& name);

}  // namespace thinwire
