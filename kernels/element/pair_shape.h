#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/element/close_pairs.h"
#include "kernels/element/pair_kernel.h"

namespace thinwire {

/// Everything that the element matrix of a pair depends on beside wave number and kernel:
/// lengths, radii and the relative position of the elements. Pairs that a motion, a
/// reflection, turning elements round or exchanging them takes into each other have one
/// shape. Grids of equal cells have a few hundred shapes, however many pairs.
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

/// Operations that turn a pair into the representative of its shape: the exchange first,
/// then the reversal of one or both.
struct PairSymmetry {
  bool exchanged = false, first_reversed = false, second_reversed = false;

  THINWIRE_HD std::uint8_t bits() const {
    return static_cast<std::uint8_t>(exchanged | first_reversed << 1 |
                                     second_reversed << 2);
  }
  THINWIRE_HD static PairSymmetry of(std::uint8_t bits) {
    return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
  }
  template <class Real>
  THINWIRE_HD void apply(BasicElement<Real>& p, BasicElement<Real>& q) const {
    if (exchanged) {
      const BasicElement<Real> kept = p;
      p = q;
      q = kept;
    }
    if (first_reversed) p = reversed(p);
    if (second_reversed) q = reversed(q);
  }
  /// The matrix of the pair that it was, from that of the turned one.
  template <class Real>
  THINWIRE_HD BasicElementMatrix<Real> undo(BasicElementMatrix<Real> m) const {
    if (first_reversed) m = thinwire::first_reversed(m);
    if (second_reversed) m = thinwire::second_reversed(m);
    return exchanged ? transposed(m) : m;
  }

 private:
  template <class Real>
  THINWIRE_HD static BasicElement<Real> reversed(const BasicElement<Real>& e) {
    return {e.start_m + e.length_m * e.tangent, -1.0 * e.tangent, e.length_m, e.radius_m};
  }
};

struct ShapedPair {
  PairShape shape;
  PairSymmetry symmetry;
};

/// Below this sine the axes part by less than 1e-10 of the length: rounding.
THINWIRE_HD inline bool elements_parallel(const Element& p, const Element& q) {
  return norm(cross(p.tangent, q.tangent)) < 1e-10;
}

/// Where the second element's centre is in the frame of the first: along its tangent, and
/// across, towards the second's tangent; both, and the cosine of the tangents, with the
/// signs that turning elements round can give them.
struct PairFrame {
  double cosine, along, across;
  bool first_reversed = false, second_reversed = false;

  THINWIRE_HD PairFrame(double c, double x, double y) : cosine(c), along(x), across(y) {
    // Turning the first round changes the signs of cosine and along, turning the second
    // those of cosine and across.
    if (along < 0) reverse_first();
    if (cosine < 0) reverse_second();
    if (across < 0 && cosine == 0) reverse_second();
    if (across < 0 && along == 0) {
      reverse_first();
      reverse_second();
    }
  }
  THINWIRE_HD bool before(const PairFrame& other) const {
    if (along != other.along) return along < other.along;
    return across < other.across;
  }

 private:
  THINWIRE_HD void reverse_first() {
    cosine = 0 - cosine;
    along = 0 - along;
    first_reversed = !first_reversed;
  }
  THINWIRE_HD void reverse_second() {
    cosine = 0 - cosine;
    across = 0 - across;
    second_reversed = !second_reversed;
  }
};

/// The turned pair has the larger radius first, or then the greater length. With those
/// the same, exchanging p and q gives the same pair to the last digit.
THINWIRE_HD inline ShapedPair shaped_pair(const Element& p, const Element& q) {
  const double unit = std::ldexp(1.0, std::ilogb(std::fmax(p.length_m, q.length_m)));
  // Zero has one sign. Adding `shift` rounds as std::rint does, which is a call where the
  // processor need not have the instruction.
  const auto rounded = [](double x) {
    constexpr double shift = 0x1.8p52;
    const double y = 0x1p38 * x;
    return (std::fabs(y) < 0x1p51 ? (y + shift) - shift : std::rint(y)) + 0.0;
  };
  const Vec3 step = centre_of(q) - centre_of(p), normal = cross(p.tangent, q.tangent);
  const double cosine = dot(p.tangent, q.tangent), sine = norm(normal),
               at_p = dot(step, p.tangent), at_q = dot(step, q.tangent);
  const bool parallel = elements_parallel(p, q);
  const auto frame = [&](const Vec3& tangent, double along, double other) {
    const double across = parallel ? norm(step - dot(step, tangent) * tangent)
                                   : (other - cosine * along) / sine;
    PairFrame seen(rounded(cosine), rounded(along / unit), rounded(across / unit));
    // Parallel elements have no plane of their own, and across it no sign.
    if (parallel) seen.across = std::fabs(seen.across);
    return seen;
  };
  const PairFrame from_p = frame(p.tangent, at_p, at_q),
                  from_q = frame(q.tangent, -at_q, -at_p);
  bool exchanged;
  if (p.radius_m != q.radius_m)
    exchanged = p.radius_m < q.radius_m;
  else if (rounded(p.length_m / unit) != rounded(q.length_m / unit))
    exchanged = p.length_m < q.length_m;
  else if (from_p.before(from_q) || from_q.before(from_p))
    exchanged = from_q.before(from_p);
  else
    exchanged = step.x != 0 ? step.x < 0 : step.y != 0 ? step.y < 0 : step.z < 0;
  const PairFrame& seen = exchanged ? from_q : from_p;
  const Element &first = exchanged ? q : p, &second = exchanged ? p : q;
  const double beyond = parallel ? 0 : std::fabs(dot(step, normal)) / sine;
  return {{{unit, first.radius_m, second.radius_m, rounded(first.length_m / unit),
            rounded(second.length_m / unit), seen.cosine, rounded(sine), seen.along,
            seen.across, rounded(beyond / unit)}},
          {exchanged, seen.first_reversed, seen.second_reversed}};
}

}  // namespace thinwire
