#pragma once

#include <string>
#include <string_view>

namespace thinwire {

/// Bytes in JSON: two digits for each.
std::string hex_of(std::string_view bytes);
/// Throws std::invalid_argument where there are other characters than digits, or an odd
/// number of them.
std::string bytes_of(std::string_view hex);

}  // namespace thinwire
