#include "kernels/base/bytes_text.h"

#include <fmt/format.h>

namespace thinwire {

std::string bytes_text(double bytes) {
  // Three digits would show a larger number as 1e+03.
  constexpr double most = 999.5;
  const char* unit = "bytes";
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB"}) {
    if (bytes < most) break;
    bytes /= 1024;
    unit = larger;
  }
  return fmt::format("{:.3g} {}", bytes, unit);
}

}  // namespace thinwire
