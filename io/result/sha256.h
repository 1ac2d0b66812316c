#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace thinwire {

/// SHA-256 (FIPS 180-4) of `data` as 64 lower-case hexadecimal digits; nothing where the
/// program was built without OpenSSL. Throws Error{numeric} where OpenSSL refuses.
std::optional<std::string> sha256_hex(std::string_view data);

}  // namespace thinwire
