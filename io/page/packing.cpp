#include "io/page/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace thinwire {

// Pages read little-endian numbers.
static_assert(std::endian::native == std::endian::little);

nlohmann::json short_numbers(std::span<const double> values, int digits) {
  nlohmann::json all = nlohmann::json::array();
  for (const double value : values) {
    if (std::isfinite(value))
      all.push_back(std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr));
    else
      all.push_back(nullptr);
  }
  return all;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three =
          three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k])
                                             : std::uint32_t{0});
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::vector<std::size_t> evenly(std::size_t count, std::size_t max_count) {
  if (max_count == 1 && count > 1) return {count / 2};
  std::vector<std::size_t> chosen(std::min(count, max_count));
  for (std::size_t i = 0; i < chosen.size(); ++i)
    chosen[i] = count <= max_count ? i
                                   : static_cast<std::size_t>(std::nearbyint(
                                         static_cast<double>(i * (count - 1)) /
                                         static_cast<double>(max_count - 1)));
  return chosen;
}

}  // namespace thinwire
