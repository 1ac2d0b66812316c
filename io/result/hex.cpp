#include "io/result/hex.h"

#include <charconv>
#include <stdexcept>

namespace thinwire {

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex(2 * bytes.size(), '0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    hex[2 * i] = digits[byte >> 4];
    hex[2 * i + 1] = digits[byte & 15];
  }
  return hex;
}

std::string bytes_of(std::string_view hex) {
  if (hex.size() % 2 != 0) throw std::invalid_argument("half a byte");
  std::string bytes(hex.size() / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char* const digits = hex.data() + 2 * i;
    unsigned char byte = 0;
    if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
      throw std::invalid_argument("no hexadecimal digits");
    bytes[i] = static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace thinwire
