#include "io/result/sha256.h"

#if defined(THINWIRE_WITH_OPENSSL)
#include <fmt/format.h>
#include <openssl/evp.h>

#include "kernels/base/error.h"
#endif

namespace thinwire {

#if defined(THINWIRE_WITH_OPENSSL)
std::optional<std::string> sha256_hex(std::string_view data) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (EVP_Digest(data.data(), data.size(), digest, &size, EVP_sha256(), nullptr) != 1)
    throw Error(ErrorKind::numeric, "OpenSSL: no SHA-256 (its settings may forbid it).");
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}
#else
std::optional<std::string> sha256_hex(std::string_view) {
  return std::nullopt;
}
#endif

}  // namespace thinwire
