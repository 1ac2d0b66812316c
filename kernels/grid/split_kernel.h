#pragma once

#include <cmath>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/base/host_device.h"
#include "kernels/base/vec3.h"

namespace thinwire {

/// The real part of the smooth kernel G_s as a function of u = r^2, and its derivatives
/// D^n, D = (1/r) d/dr = 2 d/du; D^n G_s in 1/m^(2n + 1).
struct RadialDerivatives {
  double d[5];
};

/// View of SplitKernel for CPU or GPU. Inside r_c: polynomials in u, one a panel of equal
/// width in u. Outside: cos(kr) / r.
struct SplitKernelView {
  static constexpr int panels = 16, terms = 12;

  const double* coefficient;  ///< [panels][terms], powers of 2 u / width - 2 panel - 1
  double k, cut2, panels_per_u;

  /// order: the highest derivative wanted, 0 to 4.
  template <int order>
  THINWIRE_HD RadialDerivatives at(double u) const {
    RadialDerivatives g{};
    if (u >= cut2) {
      // (2 n + 3) D^(n+1) G + u D^(n+2) G = -k^2 D^n G: the Helmholtz equation and its
      // derivatives.
      const double r = std::sqrt(u), inverse = 1 / u;
      g.d[0] = std::cos(k * r) / r;
      if (order > 0) g.d[1] = -(k * std::sin(k * r) + g.d[0]) * inverse;
      for (int n = 0; n + 2 <= order; ++n)
        g.d[n + 2] = -(k * k * g.d[n] + (2 * n + 3) * g.d[n + 1]) * inverse;
      return g;
    }
    const double x = u * panels_per_u;
    const int panel = static_cast<int>(x) < panels ? static_cast<int>(x) : panels - 1;
    const double t = 2 * (x - panel) - 1;
    const double* c = coefficient + panel * terms;
    // Horner's scheme; g.d[m] is the m-th derivative by t over m!.
    for (int i = terms - 1; i >= 0; --i) {
      for (int m = order; m > 0; --m) g.d[m] = g.d[m] * t + g.d[m - 1];
      g.d[0] = g.d[0] * t + c[i];
    }
    double scale = 1;
    for (int m = 1; m <= order; ++m) {
      scale *= 4 * panels_per_u * m;
      g.d[m] *= scale;
    }
    return g;
  }

  /// G_s at a distance, 1/m: to 1e-12 of G_s(0).
  THINWIRE_HD HdComplex value(double r_m) const {
    const double x = k * r_m;
    const double im = x < 1e-4 ? -k * (1 - x * x / 6) : -std::sin(x) / r_m;
    return {at<0>(r_m * r_m).d[0], im};
  }
};

/// Derivatives of sin(kr)/r = -Im G_s: its D^n is (-1)^n k^(2n + 1) j_n(x) / x^n, x = kr.
struct BoundedWave {
  double k;

  template <int order>
  THINWIRE_HD RadialDerivatives at(double u) const {
    RadialDerivatives g{};
    const double r = std::sqrt(u);
    if (k * r > 5) {  // the series would cancel
      g.d[0] = std::sin(k * r) / r;
      if (order > 0) g.d[1] = (k * std::cos(k * r) - g.d[0]) / u;
      for (int n = 0; n + 2 <= order; ++n)
        g.d[n + 2] = -(k * k * g.d[n] + (2 * n + 3) * g.d[n + 1]) / u;
      return g;
    }
    double first = k;
    for (int n = 0; n <= order; ++n) {
      double term = first;
      for (int m = 1; m < 25 && std::fabs(term) > 1e-18 * std::fabs(first); ++m) {
        g.d[n] += term;
        term *= -0.5 * k * k * u / (m * (2.0 * (n + m) + 1));
      }
      first *= -k * k / (2 * n + 3);
    }
    return g;
  }
};

/// The split of the Green's function G = e^{-jkr}/r = G_s + G_l for sums on a grid.
///
/// G_s = G * w with w radial, zero beyond r_c, its transform
///     w^(q) = [sinh(s)/s](q) / [sinh(s)/s](k),  s^2 = beta^2 - (q r_c)^2,
/// so that w^(k) = 1. By the mean-value property of the Helmholtz equation G_s = G beyond
/// r_c exactly, G_l is real, and G_s has next to no wave numbers above beta / r_c
/// (e^{-beta} of what it has at 0). w's projection on a line is
/// phi(y) = I0(sqrt(beta^2 - (beta y / r_c)^2)) / norm, and inside r_c
///     r Re G_s = 2 cos(kr) int_0^r phi cos ky dy - 2 sin(kr) int_r^{r_c} phi sin ky dy,
/// Im G_s = -sin(kr)/r. The split is Ewald's (1921), the window Kaiser's and Bessel's.
class SplitKernel {
 public:
  /// Throws Error{numeric} unless k cut < beta <= 30.
  SplitKernel(double k_rad_per_m, double cut_m, double beta);

  double k_rad_per_m() const { return k_; }
  double cut_m() const { return cut_; }
  double beta() const { return beta_; }
  /// The wave number, rad/m, above which G_s is taken to have nothing.
  double largest_wavenumber() const { return beta_ / cut_; }

  /// G_s at a distance, 1/m, from the table: to 1e-12 of G_s(0).
  Complex at(double r_m) const;
  /// w^(q).
  double transform(double q_rad_per_m) const;

  SplitKernelView view() const {
    return {coefficient_.data(), k_, cut_ * cut_,
            SplitKernelView::panels / (cut_ * cut_)};
  }

 private:
  void tabulate();
  double projection(double y) const;  ///< phi

  double k_, cut_, beta_, norm_;
  std::vector<double> coefficient_;
};

/// The mean of a wave over the circumference of a tube of radius a about t, to second
/// order in a: 1 + (a^2/4) (laplacian - (t . grad)^2). The laplacian of a wave is -k^2
/// times it, so that this is on_axis (1 - bend_m2 (t . grad)^2).
struct TubeMean {
  double on_axis, bend_m2;

  THINWIRE_HD TubeMean(double k_rad_per_m, double radius_m)
      : on_axis(1 - 0.25 * k_rad_per_m * k_rad_per_m * radius_m * radius_m),
        bend_m2(0.25 * radius_m * radius_m / on_axis) {}
};

/// (1 - p (t_p . grad)^2) (1 - q (t_q . grad)^2) of a radial function of r = r_p - r_q,
/// given by its derivatives: the means of two tubes, p and q their bend_m2.
THINWIRE_HD inline double bent(const RadialDerivatives& g, Vec3 r, Vec3 t_p, Vec3 t_q,
                               double p, double q) {
  const double zp = dot(r, t_p), zq = dot(r, t_q), c = dot(t_p, t_q);
  const double both = (1 + 2 * c * c) * g.d[2] +
                      (zp * zp + zq * zq + 4 * c * zp * zq) * g.d[3] +
                      zp * zp * zq * zq * g.d[4];
  return g.d[0] - p * (g.d[1] + zp * zp * g.d[2]) - q * (g.d[1] + zq * zq * g.d[2]) +
         p * q * both;
}

}  // namespace thinwire
