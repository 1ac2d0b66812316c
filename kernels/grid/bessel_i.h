#pragma once

namespace thinwire {

/// I_n(s) / s^n as a function of s^2, entire and even, by its power series
/// sum over m of (s^2 / 4)^m / (2^n m! (m + n)!): all terms are positive for s^2 >= 0, so
/// no digits are lost. For s^2 up to 35^2.
inline double scaled_bessel_i(int n, double s2) {
  double term = 1;
  for (int i = 1; i <= n; ++i) term /= 2.0 * i;
  double sum = term;
  for (int m = 1; m < 200; ++m) {
    term *= 0.25 * s2 / (m * static_cast<double>(m + n));
    sum += term;
    if (term < 1e-17 * sum) break;
  }
  return sum;
}

/// sinh(s) / s as a function of s^2 of either sign.
double sinh_ratio(double s2);

}  // namespace thinwire
