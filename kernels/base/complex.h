#pragma once

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

}  // namespace thinwire
