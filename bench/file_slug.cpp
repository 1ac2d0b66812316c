#include "bench/file_slug.h"

namespace thinwire {

std::string file_slug(std::string_view name, const char* otherwise) {
  std::string slug;
  for (const char c : name) {
    const bool upper = 'A' <= c && c <= 'Z';
    if (upper || ('a' <= c && c <= 'z') || ('0' <= c && c <= '9'))
      slug += static_cast<char>(upper ? c - 'A' + 'a' : c);
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  }
  return slug.empty() ? otherwise : slug;
}

}  // namespace thinwire
