#pragma once

#include <cuda_runtime.h>

#include <complex>

#include "kernels/base/host_device.h"

namespace thinwire {

/// Complex arithmetic on double2 (x real, y imaginary): 16-byte loads, and products
/// without recovery of infinities.

THINWIRE_HD inline double2 operator+(double2 a, double2 b) {
  return {a.x + b.x, a.y + b.y};
}
THINWIRE_HD inline double2 operator-(double2 a, double2 b) {
  return {a.x - b.x, a.y - b.y};
}
THINWIRE_HD inline double2 operator*(double s, double2 a) {
  return {s * a.x, s * a.y};
}
THINWIRE_HD inline float2 operator+(float2 a, float2 b) {
  return {a.x + b.x, a.y + b.y};
}
THINWIRE_HD inline float2 operator*(float s, float2 a) {
  return {s * a.x, s * a.y};
}
THINWIRE_HD inline double real(double2 a) {
  return a.x;
}
THINWIRE_HD inline double imag(double2 a) {
  return a.y;
}
THINWIRE_HD inline double2 conj(double2 a) {
  return {a.x, -a.y};
}
/// sum += a b
THINWIRE_HD inline void add_product(double2& sum, double2 a, double2 b) {
  sum.x = fma(a.x, b.x, fma(-a.y, b.y, sum.x));
  sum.y = fma(a.x, b.y, fma(a.y, b.x, sum.y));
}
THINWIRE_HD inline double2 operator*(double2 a, double2 b) {
  double2 product = {0, 0};
  add_product(product, a, b);
  return product;
}
THINWIRE_HD inline double norm(double2 a) {
  return fma(a.x, a.x, a.y * a.y);
}
THINWIRE_HD inline double abs(double2 a) {
  return hypot(a.x, a.y);
}
THINWIRE_HD inline double2 operator/(double2 a, double2 b) {
  return (1 / norm(b)) * (a * conj(b));
}
THINWIRE_HD inline double2 widen(double2 a) {
  return a;
}
THINWIRE_HD inline double2 widen(float2 a) {
  return {static_cast<double>(a.x), static_cast<double>(a.y)};
}
THINWIRE_HD inline void store(double2* to, double2 value) {
  *to = value;
}
THINWIRE_HD inline void store(float2* to, double2 value) {
  *to = {static_cast<float>(value.x), static_cast<float>(value.y)};
}

/// std::complex<double> is laid out as double2, std::complex<float> as float2.
inline double2* parts(std::complex<double>* x) {
  return reinterpret_cast<double2*>(x);
}
inline const double2* parts(const std::complex<double>* x) {
  return reinterpret_cast<const double2*>(x);
}
inline float2* parts(std::complex<float>* x) {
  return reinterpret_cast<float2*>(x);
}
inline const float2* parts(const std::complex<float>* x) {
  return reinterpret_cast<const float2*>(x);
}

}  // namespace thinwire
