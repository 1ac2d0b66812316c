#pragma once

#include "kernels/base/complex.h"
#include "kernels/base/dual.h"
#include "kernels/base/host_device.h"

namespace thinwire {

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
THINWIRE_HD THINWIRE_INLINE BasicCoefficientKernels<Real> coefficient_kernels(
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

}  // namespace thinwire
