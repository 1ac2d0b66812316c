#pragma once

#include <cmath>
#include <complex>

#include "kernels/base/host_device.h"

namespace thinwire {

using Complex = std::complex<double>;

/// A complex number for code that is compiled for the GPU too; laid out as
/// std::complex<double>. Plain products: no recovery of infinities, so a product is four
/// multiplications.
struct HdComplex {
  double re = 0, im = 0;
  operator Complex() const { return {re, im}; }
};

THINWIRE_HD inline HdComplex operator+(HdComplex a, HdComplex b) {
  return {a.re + b.re, a.im + b.im};
}
THINWIRE_HD inline HdComplex operator-(HdComplex a, HdComplex b) {
  return {a.re - b.re, a.im - b.im};
}
THINWIRE_HD inline HdComplex operator*(double s, HdComplex a) {
  return {s * a.re, s * a.im};
}
THINWIRE_HD inline HdComplex operator*(HdComplex a, HdComplex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
THINWIRE_HD inline HdComplex& operator+=(HdComplex& a, HdComplex b) {
  a.re += b.re;
  a.im += b.im;
  return a;
}
THINWIRE_HD inline double real(HdComplex a) {
  return a.re;
}
THINWIRE_HD inline double imag(HdComplex a) {
  return a.im;
}
THINWIRE_HD inline HdComplex conj(HdComplex a) {
  return {a.re, -a.im};
}
/// |a|^2
THINWIRE_HD inline double norm(HdComplex a) {
  return a.re * a.re + a.im * a.im;
}
THINWIRE_HD inline double abs(HdComplex a) {
  return std::hypot(a.re, a.im);
}
THINWIRE_HD inline HdComplex operator/(HdComplex a, HdComplex b) {
  return (1 / norm(b)) * (a * conj(b));
}

}  // namespace thinwire
