#pragma once

#include <span>

#include "kernels/base/dual.h"
#include "kernels/element/element.h"
#include "kernels/ground/field_kernels.h"
#include "kernels/ground/reflecting_surface.h"
#include "kernels/ground/source_points.h"

namespace thinwire {

/// Computes the reflection of a ground by the reflection coefficients of plane waves, as
/// NEC-2 does (Burke and Poggio 1981, part I, section IV), but for every pair of points
/// with that pair's own angle, so that Z stays symmetric: in the perfect image's field,
/// the component in the plane of incidence is multiplied by Rv and the one normal to it
/// by Rh,
///   E = Rv E_image + (Rh - Rv) (E_image . p) p,
///   H = Rh H_image + (Rv - Rh) (H_image . p) p,
///
/// p being the horizontal normal to the plane. Good to about 2 % from 0.5 wavelengths
/// above the ground on; wrong near it.
///
/// The element matrix of p (z >= 0) with q: point dipoles at Gauss points of pieces,
/// which are halved until they are short against their distance from the image. Error
/// 1e-6 of the largest entry that elements of these lengths at this distance have in any
/// direction; more where the edge of a screen lies between points of a piece.
ElementMatrix coefficient_pair(const Element& p, const Element& q,
                               const ReflectingSurface& surface);

/// The reflected electric field of point dipoles of unit moment over -j k eta0 / (4 pi),
/// 1/m, by the horizontal direction r from the source to the observer: along r of a
/// dipole along r, along the horizontal normal of one along that, vertical of a vertical
/// one, and vertical of one along r, which is minus what a vertical one has along r.
template <class Real>
struct BasicCoefficientKernels {
  BasicComplex<Real> radial, transverse, vertical, mixed;
};
using CoefficientKernels = BasicCoefficientKernels<double>;

/// At the horizontal distance rho and the sum zeta of both heights, m, for the factors
/// Rv and Rh there. Real: double or Dual.
template <class Real>
THINWIRE_INLINE BasicCoefficientKernels<Real> coefficient_kernels(
    double k_rad_per_m, const Real& rho_m, const Real& zeta_m,
    const BasicComplex<Real>& rv, const BasicComplex<Real>& rh) {
  using C = BasicComplex<Real>;
  const Real inverse = 1 / sqrt(rho_m * rho_m + zeta_m * zeta_m), sine = rho_m * inverse,
             cosine = zeta_m * inverse, over = inverse / k_rad_per_m, kr = 1 / over;
  const C g = inverse * C{cos(kr), -sin(kr)};
  // The image of moment t has the field moment t - radial (t . r) r.
  const C moment = g * C{1 - over * over, -over},
          radial = g * C{1 - 3 * over * over, -3 * over};
  return {rv * (sine * sine * radial - moment), -(rh * moment),
          rv * (moment - cosine * cosine * radial), rv * (sine * cosine * radial)};
}
/// Without radials.
CoefficientKernels coefficient_kernels(const ReflectingSurface& surface, double rho_m,
                                       double zeta_m);

/// Adds the reflected field at every point (z >= 0, metres), x y z: [3 points], V/m or
/// A/m.
void add_coefficient_field(FieldKind kind, const CurrentSources& sources,
                           const ReflectingSurface& surface,
                           std::span<const Vec3> points_m, std::span<Complex> field);

}  // namespace thinwire
