#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace thinwire {

/// The text of a small JSON file that the program reads back. A member "crc64" is added:
/// the checksum of all others.
std::string checked_json(nlohmann::ordered_json object);

/// The object in such a text, without "crc64". Throws Error{file} with the reason alone
/// where it is damaged.
nlohmann::ordered_json parse_checked_json(const std::string& text);

/// Throws Error{file} with the reason alone.
[[noreturn]] void refuse_file(const std::string& why);

}  // namespace thinwire
