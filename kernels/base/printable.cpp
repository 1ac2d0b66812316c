#include "kernels/base/printable.h"

#include <functional>
#include <numeric>

#include <fmt/format.h>

namespace thinwire {
namespace {

/// Returns the length of the UTF-8 sequence at the beginning of a text; 0 where there is
/// none (RFC 3629: neither overlong nor a surrogate nor beyond U+10FFFF).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2   ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool allowed = first == 0xe0   ? second >= 0xa0
                       : first == 0xed ? second < 0xa0
                       : first == 0xf0 ? second >= 0x90
                       : first == 0xf4 ? second < 0x90
                                       : true;
  return allowed ? length : 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  // Nearly every text is ASCII alone, which is told sixteen characters at a time.
  const char bits = std::reduce(text.begin(), text.end(), char{0}, std::bit_or());
  if (static_cast<unsigned char>(bits) < 0x80) return true;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string utf8_text(std::string bytes) {
  if (is_utf8(bytes)) return bytes;
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | (code >> 6));
      text += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  return text;
}

std::string printable(std::string_view text) {
  const std::string utf8 = utf8_text(std::string(text));
  std::string out;
  out.reserve(utf8.size());
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto code = static_cast<unsigned char>(utf8[i]);
    if (code == '\n')
      out += "\\n";
    else if ((code < 0x20 && code != '\t') || code == 0x7f)
      out += fmt::format("\\x{:02x}", code);
    else if (code == 0xc2 && static_cast<unsigned char>(utf8[i + 1]) < 0xa0)
      out += fmt::format("\\u00{:02x}", static_cast<unsigned char>(utf8[++i]));
    else
      out += utf8[i];
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += printable(text.substr(0, end));
    if (end == text.npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string shown(const std::filesystem::path& path) {
  return printable(path.string());
}

}  // namespace thinwire
