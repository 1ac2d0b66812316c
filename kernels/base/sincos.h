#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/host_device.h"

namespace thinwire {

/// Sine and cosine of x, |x| < 1e5, without branches or calls, so that loops over it
/// vectorise; absolute error below 4e-16 there. Reduction to |r| <= pi/4 by a three-part
/// pi/2 (Cody and Waite 1980), then the Taylor series, whose first term left out is below
/// 5e-17.
THINWIRE_HD THINWIRE_INLINE void sincos_simd(double x, double& sine, double& cosine) {
  constexpr double two_over_pi = 0.63661977236758134308;
  constexpr double part_1 = 0x1.921fb544p+0;        // 33 bits of pi/2
  constexpr double part_2 = 0x1.0b4611a6p-34;       // the next 33
  constexpr double part_3 = 0x1.3198a2e037073p-69;  // the rest
  constexpr double round_shift = 0x1.8p52;          // adding it rounds to an integer
  const double shifted = x * two_over_pi + round_shift;
  const double quarter_turns = shifted - round_shift;
  const auto quadrant = __builtin_bit_cast(std::uint64_t, shifted);
  const double r =
      ((x - quarter_turns * part_1) - quarter_turns * part_2) - quarter_turns * part_3;
  const double r2 = r * r;
  double s = -1.0 / 1307674368000.0;
  s = s * r2 + 1.0 / 6227020800.0;
  s = s * r2 - 1.0 / 39916800.0;
  s = s * r2 + 1.0 / 362880.0;
  s = s * r2 - 1.0 / 5040.0;
  s = s * r2 + 1.0 / 120.0;
  s = s * r2 - 1.0 / 6.0;
  s = s * r2 * r + r;
  double c = 1.0 / 20922789888000.0;
  c = c * r2 - 1.0 / 87178291200.0;
  c = c * r2 + 1.0 / 479001600.0;
  c = c * r2 - 1.0 / 3628800.0;
  c = c * r2 + 1.0 / 40320.0;
  c = c * r2 - 1.0 / 720.0;
  c = c * r2 + 1.0 / 24.0;
  c = c * r2 - 0.5;
  c = c * r2 + 1.0;
  const bool swap = quadrant & 1;
  const std::uint64_t sine_sign = (quadrant & 2) << 62;
  const std::uint64_t cosine_sign = ((quadrant + 1) & 2) << 62;
  sine = __builtin_bit_cast(double,
                            __builtin_bit_cast(std::uint64_t, swap ? c : s) ^ sine_sign);
  cosine = __builtin_bit_cast(
      double, __builtin_bit_cast(std::uint64_t, swap ? s : c) ^ cosine_sign);
}

/// The same in single precision, absolute error below 2e-7 up to 1e3.
THINWIRE_HD THINWIRE_INLINE void sincos_simd(float x, float& sine, float& cosine) {
  constexpr float part_1 = 0x1.92p+0f, part_2 = 0x1.fb4p-12f, part_3 = 0x1.4442d2p-24f;
  constexpr float round_shift = 0x1.8p23f;
  const float shifted = x * 0.636619772f + round_shift;
  const float quarter_turns = shifted - round_shift;
  const auto quadrant = __builtin_bit_cast(std::uint32_t, shifted);
  const float r =
      ((x - quarter_turns * part_1) - quarter_turns * part_2) - quarter_turns * part_3;
  const float r2 = r * r;
  const float s =
      (((1.0f / 362880 * r2 - 1.0f / 5040) * r2 + 1.0f / 120) * r2 - 1.0f / 6) * r2 * r +
      r;
  const float c =
      (((1.0f / 40320 * r2 - 1.0f / 720) * r2 + 1.0f / 24) * r2 - 0.5f) * r2 + 1;
  const bool swap = quadrant & 1;
  sine = quadrant & 2 ? -(swap ? c : s) : swap ? c : s;
  cosine = (quadrant + 1) & 2 ? -(swap ? s : c) : swap ? s : c;
}

/// 1 / sqrt(x) for x > 0, to the last digit or the last but one.
THINWIRE_HD THINWIRE_INLINE double inverse_sqrt(double x) {
#if defined(__CUDA_ARCH__)
  return rsqrt(x);
#else
  return 1.0 / std::sqrt(x);
#endif
}
THINWIRE_HD THINWIRE_INLINE float inverse_sqrt(float x) {
#if defined(__CUDA_ARCH__)
  return rsqrtf(x);
#else
  return 1.0f / std::sqrt(x);
#endif
}

}  // namespace thinwire
