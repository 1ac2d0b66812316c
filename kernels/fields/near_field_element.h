#pragma once

#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "kernels/element/element.h"
#include "kernels/element/quadrature_order.h"

namespace thinwire {

/// e^{-jkR}/R, or its mean around a ring, with its derivatives along the radius and the
/// axis of the observer's cylindrical coordinates.
struct RingGreens {
  HdComplex value, radial, axial;
};

/// Sum into `sum` of weight times the Green's function of a source point from which the
/// observer is (radial, sideways, axial) away, the sideways derivative left out (the
/// mirrored point cancels it). r2: squared distance, > 0.
THINWIRE_HD inline void add_point(RingGreens& sum, double weight, double radial,
                                  double axial, double r2, double k) {
  const double u = 1 / r2;
  const double r = r2 * std::sqrt(u);
  const double x = k * r;
  const double cosine = weight * std::cos(x) / r, sine = weight * std::sin(x) / r;
  // G' / R = -(1 + jkR) e^{-jkR} / R^3.
  const HdComplex derivative{-u * (cosine + x * sine), -u * (x * cosine - sine)};
  sum.value += {cosine, -sine};
  sum.radial += radial * derivative;
  sum.axial += axial * derivative;
}

/// Adds a point in a medium with loss, Im k <= 0.
THINWIRE_HD inline void add_point(RingGreens& sum, double weight, double radial,
                                  double axial, double r2, HdComplex k) {
  const double r = std::sqrt(r2), size = weight * std::exp(k.im * r) / r;
  const HdComplex g{size * std::cos(k.re * r), -size * std::sin(k.re * r)};
  const HdComplex derivative = (-1 / r2) * (HdComplex{1 - k.im * r, k.re * r} * g);
  sum.value += g;
  sum.radial += radial * derivative;
  sum.axial += axial * derivative;
}

/// Mean around a ring of radius a for an observer at `rho` from its axis and `z` along
/// it, not on the ring. Relative error about 1e-8.
template <class Wavenumber>
THINWIRE_HD inline RingGreens ring_greens(double rho, double z, double a, Wavenumber k) {
  RingGreens sum;
  // R^2 = near2 + 4 a rho sin^2(phi / 2) vanishes at phi = +-j eta.
  const double near2 = std::fmax(z * z + (rho - a) * (rho - a), 1e-12 * a * a);
  const double sinh_half = std::sqrt(near2 / (4 * a * rho + 1e-300));
  const double eta = 2 * std::asinh(sinh_half);
  const auto at = [&](double weight, double phi) {
    const double s = std::sin(0.5 * phi);
    const double bend = 2 * a * s * s;  // a (1 - cos phi)
    add_point(sum, weight, rho - a + bend, z, near2 + 2 * rho * bend, k);
  };
  if (eta > 0.6) {
    // The trapezoid rule leaves e^{-n eta}; G is even in phi, so half the ring serves.
    const int n = 2 + static_cast<int>(10 / eta);
    for (int i = 0; i < n; ++i) at(1.0 / n, pi * (i + 0.5) / n);
    return sum;
  }
  // Nearer to the ring: phi = eta sinh u spreads the peak.
  const double top = std::asinh(pi / eta);
  const int panels = 1 + static_cast<int>(top / 2.5);
  const GaussRule rule = gauss_rule(12);
  const double half = 0.5 * top / panels;
  for (int p = 0; p < panels; ++p)
    for (int b = 0; b < rule.points; ++b) {
      const double u = half * (2 * p + 1 + rule.node[b]);
      at(half * rule.weight[b] * eta * std::cosh(u) / pi, eta * std::sinh(u));
    }
  return sum;
}

/// Integrals for the field of one element, in cylindrical coordinates around its axis: I
/// the current, G the Green's function, s the distance along the element.
struct ElementField {
  HdComplex potential;      ///< integral of I G ds
  HdComplex radial_charge;  ///< integral of (I'/k) dG/drho ds
  HdComplex axial_charge;   ///< integral of (I'/k) dG/dz ds
  HdComplex radial_curl;    ///< integral of I dG/drho ds
};

/// The integrals over an element for an observer `rho` from its axis and `foot` along it,
/// with any distance: Gauss panels that grow by three away from the source point nearest
/// to the observer. k: of the current; wave: of the medium, double or HdComplex.
template <class Wavenumber>
THINWIRE_HD inline ElementField element_field(const Element& e, HdComplex start_a,
                                              HdComplex end_a, double rho, double foot,
                                              double k, Wavenumber wave,
                                              GreensKernel kernel) {
  const double a = e.radius_m, length = e.length_m;
  const bool ring = kernel == GreensKernel::exact;
  // NEC-2's regularisation of a filament: within the radius, a^2 is added. Rounding is
  // not to decide on the surface.
  const double rho2 = rho * rho + (rho < (1 - hair) * a ? a * a : 0);
  const double nearest = std::fmin(std::fmax(foot, 0.0), length);
  const double aside = ring ? rho - a : std::sqrt(rho2);
  const double smallest =
      std::fmax(std::sqrt(aside * aside + (foot - nearest) * (foot - nearest)), 1e-4 * a);
  const double scale = 1 / std::sin(k * length);
  const GaussRule rule = gauss_rule(8);
  ElementField sum;
  const auto panel = [&](double from, double to) {
    const double half = 0.5 * (to - from);
    for (int b = 0; b < rule.points; ++b) {
      const double s = from + half * (1 + rule.node[b]);
      const double weight = half * rule.weight[b] * scale;
      const double z = foot - s;
      RingGreens g;
      if (ring)
        g = ring_greens(rho, z, a, wave);
      else
        add_point(g, 1, rho, z, z * z + rho2, wave);
      const HdComplex current =
          weight * (std::sin(k * (length - s)) * start_a + std::sin(k * s) * end_a);
      const HdComplex derivative =
          weight * (std::cos(k * s) * end_a - std::cos(k * (length - s)) * start_a);
      sum.potential += current * g.value;
      sum.radial_charge += derivative * g.radial;
      sum.axial_charge += derivative * g.axial;
      sum.radial_curl += current * g.radial;
    }
  };
  double step = smallest;
  for (double from = nearest; from < length; from += step, step = 2 * (from - nearest))
    panel(from, std::fmin(from + step, length));
  step = smallest;
  for (double to = nearest; to > 0; to -= step, step = 2 * (nearest - to))
    panel(std::fmax(to - step, 0.0), to);
  return sum;
}

}  // namespace thinwire
