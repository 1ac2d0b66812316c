#pragma once

#include <cstdint>

namespace thinwire {

/// Bits of each number in a Morton code.
inline constexpr int morton_bits = 21;

/// Returns the bits of x, y and z in turn, those of z highest (G. M. Morton 1966).
inline std::uint64_t morton_code(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  // Two zeros before each bit, by halves.
  const auto spread = [](std::uint64_t bits) {
    bits = (bits | bits << 32) & 0x001f00000000ffffu;
    bits = (bits | bits << 16) & 0x001f0000ff0000ffu;
    bits = (bits | bits << 8) & 0x100f00f00f00f00fu;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3u;
    return (bits | bits << 2) & 0x1249249249249249u;
  };
  return spread(x) | spread(y) << 1 | spread(z) << 2;
}

}  // namespace thinwire
