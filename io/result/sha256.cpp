#include "io/result/sha256.h"

#include <array>
#include <bit>
#include <cstdint>

#include <fmt/format.h>

namespace thinwire {
namespace {

using Words = std::array<std::uint32_t, 8>;

/// First 32 bits of the fractional part of the n-th root (2 or 3) of `prime`, by integer
/// search so that no rounding is trusted: floor(prime^(1/n) 2^32) mod 2^32.
std::uint32_t root_bits(unsigned prime, int n) {
  using Wide = unsigned __int128;
  // r = floor(prime^(1/n) 2^32), below 2^37; r^n <= prime 2^(32 n) fits 128 bits up to
  // n = 3 with 2^105.
  std::uint64_t r = 0;
  for (int bit = 36; bit >= 0; --bit) {
    const std::uint64_t trial = r | (std::uint64_t{1} << bit);
    Wide power = 1;
    for (int i = 0; i < n; ++i) power *= trial;
    if (power <= (Wide{prime} << (32 * n))) r = trial;
  }
  return static_cast<std::uint32_t>(r);
}

struct Constants {
  Words start;
  std::array<std::uint32_t, 64> round;
  Constants() {
    std::size_t count = 0;
    for (unsigned candidate = 2; count < round.size(); ++candidate) {
      bool prime = true;
      for (unsigned d = 2; d * d <= candidate; ++d) prime = prime && candidate % d != 0;
      if (!prime) continue;
      if (count < start.size()) start[count] = root_bits(candidate, 2);
      round[count++] = root_bits(candidate, 3);
    }
  }
};

void absorb(Words& h, const unsigned char* block, const Constants& constants) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t t = 0; t < 16; ++t)
    w[t] = std::uint32_t{block[4 * t]} << 24 | std::uint32_t{block[4 * t + 1]} << 16 |
           std::uint32_t{block[4 * t + 2]} << 8 | std::uint32_t{block[4 * t + 3]};
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 =
        std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 =
        std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, k] = h;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = k + sum1 + ((e & f) ^ (~e & g)) + constants.round[t] + w[t];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    k = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const Words add{a, b, c, d, e, f, g, k};
  for (std::size_t i = 0; i < 8; ++i) h[i] += add[i];
}

}  // namespace

std::string sha256_hex(std::string_view data) {
  static const Constants constants;
  std::string padded(data);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  const std::uint64_t bits = std::uint64_t{data.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8)
    padded += static_cast<char>(bits >> shift & 0xff);

  Words h = constants.start;
  for (std::size_t at = 0; at < padded.size(); at += 64)
    absorb(h, reinterpret_cast<const unsigned char*>(padded.data()) + at, constants);
  std::string hex;
  for (const std::uint32_t word : h) hex += fmt::format("{:08x}", word);
  return hex;
}

}  // namespace thinwire
