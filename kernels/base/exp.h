#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"

namespace thinwire {

/// e^x, x < 700, to a few units of the last digit (e^-700 below that), without branches
/// or calls, so that loops over it vectorise: reduction to |r| <= log(2) / 2 by a
/// two-part log 2 (Cody and Waite 1980), then the Taylor series.
THINWIRE_HD THINWIRE_INLINE double exp_simd(double x) {
  constexpr double round_shift = 0x1.8p52;  // adding it rounds to an integer
  x = x < -700 ? -700 : x;
  const double shifted = x * 1.44269504088896340736 + round_shift;
  const double n = shifted - round_shift;
  const double r = (x - n * 0x1.62e42fefa0000p-1) - n * 0x1.cf79abc9e3b3ap-40;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const std::uint64_t power = (__builtin_bit_cast(std::uint64_t, shifted) + 1023) << 52;
  return p * __builtin_bit_cast(double, power);
}

}  // namespace thinwire
