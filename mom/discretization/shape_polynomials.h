#pragma once

#include <array>
#include <cmath>

namespace thinwire {

/// Integrals of x^i on one element and y^j on another with a kernel, [i][j], x and y from
/// -1 to 1.
using PowerForm = std::array<double, 9>;

/// The two shape functions and their derivatives (1/m) as polynomials 1, x, x^2 on an
/// element, x from -1 to 1: least squares, 1e-2 of the value at an element a fifth of a
/// wavelength long and 2e-4 at a twentieth.
struct ShapePolynomials {
  std::array<double, 3> current[2], charge[2];

  ShapePolynomials(double length_m, double k) {
    // Legendre series of cos hx and sin hx by spherical Bessel functions.
    const double h = 0.5 * k * length_m, h2 = h * h, s = std::sin(h), c = std::cos(h);
    const double j0 = 1 - h2 / 6 * (1 - h2 / 20 * (1 - h2 / 42 * (1 - h2 / 72)));
    const double j1 = h / 3 * (1 - h2 / 10 * (1 - h2 / 28 * (1 - h2 / 54)));
    const double j2 = h2 / 15 * (1 - h2 / 14 * (1 - h2 / 36 * (1 - h2 / 66)));
    const double cosine[] = {j0 + 2.5 * j2, -7.5 * j2}, sine = 3 * j1;
    for (int end = 0; end < 2; ++end) {
      const double sign = end == 0 ? -1 : 1, odd = 0.5 * sign / s, even = 0.5 / c;
      current[end] = {even * cosine[0], odd * sine, even * cosine[1]};
      const double slope = 2 * h / length_m;
      charge[end] = {slope * odd * cosine[0], -slope * even * sine,
                     slope * odd * cosine[1]};
    }
  }
};

/// Returns the integral of two polynomials with the kernel of a form.
inline double product(const std::array<double, 3>& a, const PowerForm& form,
                      const std::array<double, 3>& b) {
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += a[i] * (form[3 * i] * b[0] + form[3 * i + 1] * b[1] + form[3 * i + 2] * b[2]);
  return sum;
}

}  // namespace thinwire
