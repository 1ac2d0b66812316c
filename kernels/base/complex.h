#pragma once

#include <cmath>
#include <complex>

#include "kernels/base/host_device.h"

namespace thinwire {

using Complex = std::complex<double>;

/// A complex number for code that is compiled for the GPU too; laid out as
/// std::complex<double>. Plain products: no recovery of infinities, so a product is four
/// multiplications. Real: double or Dual.
template <class Real>
struct BasicComplex {
  Real re{}, im{};
  operator Complex() const { return {re, im}; }

  friend THINWIRE_HD BasicComplex operator+(BasicComplex a, BasicComplex b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend THINWIRE_HD BasicComplex operator-(BasicComplex a, BasicComplex b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend THINWIRE_HD BasicComplex operator-(BasicComplex a) { return {-a.re, -a.im}; }
  friend THINWIRE_HD BasicComplex operator*(Real s, BasicComplex a) {
    return {s * a.re, s * a.im};
  }
  friend THINWIRE_HD BasicComplex operator*(BasicComplex a, BasicComplex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend THINWIRE_HD BasicComplex& operator+=(BasicComplex& a, BasicComplex b) {
    a.re += b.re;
    a.im += b.im;
    return a;
  }
  friend THINWIRE_HD BasicComplex conj(BasicComplex a) { return {a.re, -a.im}; }
  friend THINWIRE_HD Real real(BasicComplex a) { return a.re; }
  friend THINWIRE_HD Real imag(BasicComplex a) { return a.im; }
  /// |a|^2
  friend THINWIRE_HD Real norm(BasicComplex a) { return a.re * a.re + a.im * a.im; }
  friend THINWIRE_HD Real abs(BasicComplex a) { return std::hypot(a.re, a.im); }
  friend THINWIRE_HD BasicComplex operator/(BasicComplex a, BasicComplex b) {
    return (1 / norm(b)) * (a * conj(b));
  }
};

using HdComplex = BasicComplex<double>;

/// The root with a real part >= 0, of numbers whose squares are finite.
THINWIRE_HD inline HdComplex square_root(HdComplex a) {
  const double size = std::sqrt(norm(a));
  if (size == 0) return {0, a.im};
  const double larger = std::sqrt(0.5 * (size + std::fabs(a.re)));
  const double smaller = 0.5 * a.im / larger;
  if (a.re >= 0) return {larger, smaller};
  return {std::fabs(smaller), std::copysign(larger, a.im)};
}

inline HdComplex to_hd(Complex a) {
  return {a.real(), a.imag()};
}

}  // namespace thinwire
