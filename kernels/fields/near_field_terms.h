#pragma once

#include "kernels/base/constants.h"
#include "kernels/base/exp.h"
#include "kernels/base/sincos.h"
#include "kernels/fields/near_field_element.h"

namespace thinwire {

/// A complex vector: a sum in the making.
struct FieldVector {
  HdComplex x, y, z;

  THINWIRE_HD THINWIRE_INLINE void add(Vec3 v, HdComplex factor) {
    x += v.x * factor;
    y += v.y * factor;
    z += v.z * factor;
  }
};

/// One Gauss point of a source seen from d_m away, not close: the mean of e^{-jkR}/R over
/// the ring of squared radius a2 about the unit vector t. With w = R^2 + a^2 and s = (a
/// rho)^2, rho the observer's distance from the axis, it is f(w) + s f''(w) with an error
/// of order (a/R)^4, f being e^{-jk sqrt(w)} / sqrt(w). Its gradient is g (p d + q t), q
/// being -(d . t) normal.
struct RingPoint {
  double along_m;    ///< d . t
  HdComplex g;       ///< f(w), 1/m
  HdComplex mean;    ///< of the Green's function, over g
  HdComplex p;       ///< of the gradient, over g: along d, 1/m^2
  HdComplex normal;  ///< the part of p that holds for d's component normal to t only

  THINWIRE_HD THINWIRE_INLINE RingPoint(Vec3 d_m, Vec3 t, double a2, double k) {
    along_m = dot(d_m, t);
    const double r2 = dot(d_m, d_m), w = r2 + a2;
    const double inverse = inverse_sqrt(w), u = inverse * inverse;
    const double v = k * (w * inverse), v2 = v * v;
    double sine, cosine;
    sincos_simd(v, sine, cosine);
    g = {cosine * inverse, -sine * inverse};
    const double b = a2 * u;                                   // (a/R)^2
    const double c = 0.25 * b * (r2 - along_m * along_m) * u;  // s / (4 w^2)
    const HdComplex f2 = {3 - v2, 3 * v};                      // 4 w^2 f'' / f
    mean = {1 + c * f2.re, c * f2.im};
    normal = (0.5 * b * u) * f2;
    p = {normal.re - u * (1 + c * (15 - 6 * v2)),
         normal.im - u * (v + c * (15 - v2) * v)};
  }

  /// In a medium with loss, Im k <= 0.
  THINWIRE_HD THINWIRE_INLINE RingPoint(Vec3 d_m, Vec3 t, double a2, HdComplex k) {
    along_m = dot(d_m, t);
    const double r2 = dot(d_m, d_m), w = r2 + a2;
    const double inverse = inverse_sqrt(w), u = inverse * inverse;
    const double r = w * inverse;
    double sine, cosine;
    sincos_simd(k.re * r, sine, cosine);
    const double size = inverse * exp_simd(k.im * r);
    g = {size * cosine, -size * sine};
    const HdComplex jv = {-r * k.im, r * k.re}, v2 = HdComplex{-1, 0} * (jv * jv),
                    one = {1, 0};
    const double b = a2 * u;
    const double c = 0.25 * b * (r2 - along_m * along_m) * u;
    const HdComplex f2 = 3 * (one + jv) - v2;
    mean = one + c * f2;
    normal = (0.5 * b * u) * f2;
    p = normal - u * (one + jv + c * (15 * (one + jv) - 6 * v2 - jv * v2));
  }
};

/// Terms of the electric field in near_field.h: k I t G + (I'/k) grad G.
struct ElectricTerms {
  /// Times the sum, V/m.
  static THINWIRE_HD HdComplex factor() { return {0, -eta0_ohm / (4 * pi)}; }

  /// A Gauss point: moment is its weight times I, derivative its weight times I'/k. wave:
  /// the wave number of the medium, k or HdComplex.
  template <class Wavenumber>
  static THINWIRE_HD THINWIRE_INLINE FieldVector of_point(Vec3 d_m, Vec3 t, double a2,
                                                          HdComplex moment,
                                                          HdComplex derivative, double k,
                                                          Wavenumber wave) {
    const RingPoint ring(d_m, t, a2, wave);
    const HdComplex charge = derivative * ring.g;
    const HdComplex along_d = charge * ring.p;
    const HdComplex along_t =
        k * (moment * ring.g * ring.mean) - ring.along_m * (charge * ring.normal);
    FieldVector field;
    field.add(d_m, along_d);
    field.add(t, along_t);
    return field;
  }

  /// A close element, its integrals in the observer's cylindrical coordinates.
  static THINWIRE_HD void add_element(const Element& e, const ElementField& f,
                                      Vec3 outward, double k, FieldVector& sum) {
    sum.add(e.tangent, k * f.potential + f.axial_charge);
    sum.add(outward, f.radial_charge);
  }
};

/// Terms of the magnetic field: I grad G x t, which needs only p d x t.
struct MagneticTerms {
  /// Times the sum, A/m.
  static THINWIRE_HD HdComplex factor() { return {1 / (4 * pi), 0}; }

  template <class Wavenumber>
  static THINWIRE_HD THINWIRE_INLINE FieldVector of_point(Vec3 d_m, Vec3 t, double a2,
                                                          HdComplex moment, HdComplex,
                                                          double, Wavenumber wave) {
    const RingPoint ring(d_m, t, a2, wave);
    FieldVector field;
    field.add(cross(d_m, t), moment * ring.g * ring.p);
    return field;
  }

  static THINWIRE_HD void add_element(const Element& e, const ElementField& f,
                                      Vec3 outward, double, FieldVector& sum) {
    sum.add(cross(outward, e.tangent), f.radial_curl);
  }
};

/// An observer's cylindrical coordinates around an element's axis.
struct Cylindrical {
  double rho_m, foot_m;
  Vec3 outward;  ///< unit vector; zero on the axis

  THINWIRE_HD Cylindrical(const Element& e, Vec3 at) {
    const Vec3 d = at - e.start_m;
    foot_m = dot(d, e.tangent);
    const Vec3 aside = d - foot_m * e.tangent;
    rho_m = norm(aside);
    outward = rho_m > 1e-9 * e.radius_m ? (1 / rho_m) * aside : Vec3{};
  }
};

/// Points nearer to a tube's surface than this fraction of its radius are moved outside.
inline constexpr double sheet_thickness = 1e-3;

THINWIRE_HD inline bool on_sheet(const Element& e, const Cylindrical& place) {
  const double thickness = sheet_thickness * e.radius_m;
  return std::fabs(place.rho_m - e.radius_m) < thickness && place.foot_m > -thickness &&
         place.foot_m < e.length_m + thickness;
}
/// How far to move a point on the surface of a tube.
THINWIRE_HD inline Vec3 way_off_sheet(const Element& e, const Cylindrical& place) {
  return ((1 + sheet_thickness) * e.radius_m - place.rho_m) * place.outward;
}

/// Adds a close element that carries a current with these values at its ends, in a medium
/// with that wave number whose charges count `over_eps` times.
template <class Terms, class Wavenumber>
THINWIRE_HD inline void add_close_element(const Element& e, HdComplex start_a,
                                          HdComplex end_a, Vec3 at, double k,
                                          Wavenumber wave, HdComplex over_eps,
                                          GreensKernel kernel, FieldVector& sum) {
  const Cylindrical place(e, at);
  ElementField f =
      element_field(e, start_a, end_a, place.rho_m, place.foot_m, k, wave, kernel);
  f.radial_charge = over_eps * f.radial_charge;
  f.axial_charge = over_eps * f.axial_charge;
  Terms::add_element(e, f, place.outward, k, sum);
}

}  // namespace thinwire
