#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/element/near_pair.h"

namespace thinwire {

/// What near_pair depends on beside wave number and kernel: lengths, radii and how two
/// elements lie to each other. Pairs that a motion or a reflection in a plane takes into
/// each other are of one shape. On grids of equal cells there are a few hundred shapes,
/// however many pairs.
///
/// Lengths and places are rounded to 2^-38 of a power of two below the longer length,
/// 4e-12, which is above the rounding of coordinates a thousand elements away, and shifts
/// nothing by more. Where it parts pairs that are the same, only time is lost.
struct PairShape {
  static constexpr int numbers = 10;
  double number[numbers];

  THINWIRE_HD bool operator==(const PairShape& other) const {
    for (int i = 0; i < numbers; ++i)
      if (number[i] != other.number[i]) return false;
    return true;
  }
  THINWIRE_HD std::uint64_t hash() const {
    std::uint64_t h = 0;
    for (const double x : number) {
      std::uint64_t bits;
      std::memcpy(&bits, &x, sizeof(bits));
      // The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
      h = (h ^ bits) + 0x9e3779b97f4a7c15;
      h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9;
      h = (h ^ h >> 27) * 0x94d049bb133111eb;
      h ^= h >> 31;
    }
    return h;
  }
};

THINWIRE_HD inline PairShape pair_shape(const Element& p, const Element& q) {
  const Vec3 step = q.start_m - p.start_m, normal = cross(p.tangent, q.tangent);
  const double cosine = dot(p.tangent, q.tangent), sine = norm(normal),
               along = dot(step, p.tangent);
  // In the frame of both tangents, where they have one.
  double across, beyond = 0;
  if (elements_parallel(p, q)) {
    across = norm(step - along * p.tangent);
  } else {
    across = (dot(step, q.tangent) - cosine * along) / sine;
    beyond = std::fabs(dot(step, normal)) / sine;
  }
  const double unit = std::ldexp(1.0, std::ilogb(std::fmax(p.length_m, q.length_m)));
  // Zero has one sign.
  const auto rounded = [](double x) { return std::rint(0x1p38 * x) + 0.0; };
  return {{unit, p.radius_m, q.radius_m, rounded(p.length_m / unit),
           rounded(q.length_m / unit), rounded(cosine), rounded(sine),
           rounded(along / unit), rounded(across / unit), rounded(beyond / unit)}};
}

}  // namespace thinwire
