#include "kernels/base/counted.h"

namespace thinwire {

std::string counted(std::size_t count, std::string_view noun) {
  std::string text = std::to_string(count) + ' ' + std::string(noun);
  if (count == 1 || noun.empty()) return text;
  const auto ends_in = [noun](std::string_view end) { return noun.ends_with(end); };
  if (ends_in("y") && !ends_in("ay") && !ends_in("ey") && !ends_in("oy")) {
    text.back() = 'i';
    return text + "es";
  }
  const bool hisses = ends_in("s") || ends_in("sh") || ends_in("ch") || ends_in("x");
  return text + (hisses ? "es" : "s");
}

}  // namespace thinwire
