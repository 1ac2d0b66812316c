#pragma once

#include <complex>
#include <span>
#include <vector>

#include "kernels/base/complex.h"

namespace thinwire {

/// The four functions through which a lossy half space z < 0 reflects what currents and
/// charges above it send down, for the mixed potential with one scalar potential for all
/// currents (formulation C of Michalski and Zheng 1990). Air above, relative permittivity
/// eps = eps_r - j sigma / (w eps0) below, time convention e^{+jwt}. Beside the
/// free-space terms,
///
///   dZ_mn = (j k eta0 / 4 pi) II f f' [t_h . t'_h Gh + t_z t'_z Kzz
///                                      + (t_z t'_h . r - t_h . r t'_z) Q] ds ds'
///         + (eta0 / (4 pi j k)) II (df/ds) (df'/ds') Kphi ds ds',
///
/// r being the horizontal unit vector from the source to the observer. The bracket stays
/// as it is when both are exchanged, so that Z is symmetric.
struct ReflectedKernels {
  HdComplex h;    ///< Gh: horizontal with horizontal current
  HdComplex phi;  ///< Kphi: charges
  HdComplex zz;   ///< Kzz: vertical with vertical current
  HdComplex q;    ///< Q: vertical with horizontal current
};

/// The reflected kernels times 1/k, at the horizontal distance rho and the sum zeta of
/// the two heights, both times k (not both 0): Sommerfeld integrals by quadrature along a
/// path in the complex plane of kr. Error 1e-11 of an image e^{-jR}/R, for |sqrt(eps)| up
/// to 1e4, k R from 1e-6 to 63 (10 wavelengths).
ReflectedKernels reflected_kernels(Complex eps, double rho, double zeta);

/// (eps - 1) / (eps + 1): next to the ground charges have an image of -C0.
Complex image_strength(Complex eps);

/// Which side of the surface currents are on.
enum class GroundSide { above, below };

/// Where the horizontal distance and the sum of heights lie, both times k.
struct ReflectionRange {
  double rho_0, rho_1, zeta_0, zeta_1;
};

/// Places between currents above the surface (z) and below it, all times k.
struct TransmissionRange {
  double rho_0, rho_1, z_0, z_1, depth_0, depth_1;
};
/// Returns the range of reflections above the surface.
inline TransmissionRange above_surface(const ReflectionRange& r) {
  return {r.rho_0, r.rho_1, r.zeta_0, r.zeta_1, 0, 0};
}
inline TransmissionRange below_surface(const ReflectionRange& r) {
  return {r.rho_0, r.rho_1, 0, 0, r.zeta_0, r.zeta_1};
}

/// The reflected kernels on a grid of rho_i times zeta_j within a range: Bessel functions
/// for every rho_i alone, exponentials for every zeta_j, and a product of matrices. Error
/// 1e-9 of an image. kernels: [rho][zeta].
void reflected_kernels_grid(Complex eps, const ReflectionRange& range,
                            std::span<const double> rho, std::span<const double> zeta,
                            std::span<ReflectedKernels> kernels);

}  // namespace thinwire
