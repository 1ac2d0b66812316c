#pragma once

#include <cmath>

#include "kernels/base/sincos.h"

namespace thinwire {

/// The functions of <cmath> by their bare names: templates call them so, and get those of
/// double or, found by the argument, those of Dual.
using std::asinh, std::cos, std::exp, std::fabs, std::fmax, std::fmin, std::log, std::pow,
    std::sin, std::sqrt;

/// A number and its derivatives with respect to n parameters (forward differentiation;
/// Griewank and Walther 2008, chapter 3). Comparisons look at the number alone, so that a
/// branch is taken as for a double and the branch taken is differentiated.
template <int n>
struct Dual {
  double value = 0;
  double derivative[n] = {};

  Dual() = default;
  Dual(double constant) : value(constant) {}  // implicit: constants mix with Duals

  /// Applies the chain rule for a function with value f and derivative df at x.
  static Dual chain(const Dual& x, double f, double df) {
    Dual result(f);
    for (int i = 0; i < n; ++i) result.derivative[i] = df * x.derivative[i];
    return result;
  }

  Dual& operator+=(const Dual& b) {
    value += b.value;
    for (int i = 0; i < n; ++i) derivative[i] += b.derivative[i];
    return *this;
  }
  Dual& operator-=(const Dual& b) {
    value -= b.value;
    for (int i = 0; i < n; ++i) derivative[i] -= b.derivative[i];
    return *this;
  }
  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend Dual operator-(const Dual& a) { return chain(a, -a.value, -1); }
  friend Dual operator*(const Dual& a, const Dual& b) {
    Dual result(a.value * b.value);
    for (int i = 0; i < n; ++i)
      result.derivative[i] = a.derivative[i] * b.value + a.value * b.derivative[i];
    return result;
  }
  friend Dual operator*(double a, const Dual& b) { return chain(b, a * b.value, a); }
  friend Dual operator*(const Dual& a, double b) { return b * a; }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double inverse = 1 / b.value;
    Dual result(a.value * inverse);
    for (int i = 0; i < n; ++i)
      result.derivative[i] = (a.derivative[i] - result.value * b.derivative[i]) * inverse;
    return result;
  }
  friend Dual operator/(const Dual& a, double b) { return (1 / b) * a; }

  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }

  /// At zero without derivative: distances reach it where they have a least value.
  friend Dual sqrt(const Dual& x) {
    const double root = std::sqrt(x.value);
    return chain(x, root, root > 0 ? 0.5 / root : 0);
  }
  friend Dual sin(const Dual& x) {
    return chain(x, std::sin(x.value), std::cos(x.value));
  }
  friend Dual cos(const Dual& x) {
    return chain(x, std::cos(x.value), -std::sin(x.value));
  }
  friend Dual exp(const Dual& x) {
    const double e = std::exp(x.value);
    return chain(x, e, e);
  }
  friend Dual log(const Dual& x) { return chain(x, std::log(x.value), 1 / x.value); }
  friend Dual asinh(const Dual& x) {
    return chain(x, std::asinh(x.value), 1 / std::sqrt(1 + x.value * x.value));
  }
  friend Dual pow(const Dual& x, double p) {
    return chain(x, std::pow(x.value, p), p * std::pow(x.value, p - 1));
  }
  friend Dual fabs(const Dual& x) { return x.value < 0 ? -x : x; }
  friend Dual fmin(const Dual& a, const Dual& b) { return b.value < a.value ? b : a; }
  friend Dual fmax(const Dual& a, const Dual& b) { return b.value > a.value ? b : a; }

  friend double value_of(const Dual& x) { return x.value; }
  friend void sincos_simd(const Dual& x, Dual& sine, Dual& cosine) {
    double s, c;
    sincos_simd(x.value, s, c);
    sine = chain(x, s, c);
    cosine = chain(x, c, -s);
  }
  friend Dual inverse_sqrt(const Dual& x) {
    const double inverse = inverse_sqrt(x.value);
    return chain(x, inverse, -0.5 * inverse / x.value);
  }
};

template <class Real>
inline constexpr bool has_derivatives = false;
template <int n>
inline constexpr bool has_derivatives<Dual<n>> = true;

/// The number without derivatives: what decides how a double or a Dual is treated.
THINWIRE_HD inline double value_of(double x) {
  return x;
}

}  // namespace thinwire
