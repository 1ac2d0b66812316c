#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

// Numbers as a page's document has them: short, and never NaN, which JSON has not.
namespace thinwire {

/// Returns the values rounded to significant digits; null for those that are not finite.
nlohmann::json short_numbers(std::span<const double> values, int digits = 7);

std::string base64(std::string_view bytes);
/// Returns the numbers' bytes in base64.
template <class T>
std::string packed(const std::vector<T>& values) {
  return base64(
      {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

/// Returns at most `max_count` of 0 .. count - 1, evenly, the first and the last among
/// them; the middle one where one is allowed.
std::vector<std::size_t> evenly(std::size_t count, std::size_t max_count);

}  // namespace thinwire
