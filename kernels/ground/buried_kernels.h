#pragma once

#include <span>

#include "kernels/ground/half_space.h"

namespace thinwire {

/// Computes the reflection of the surface z = 0 between two currents below it, times 1/k,
/// at the horizontal distance rho and the sum of both depths, all times k. With both
/// elements mirrored in z = 0 (depths for heights, t_z with reversed sign) half_space.h's
/// formula for Z holds unchanged, phi having the factor 1/eps of charges in the ground.
/// Beside the reflection, currents have e^{-j k2 R}/R directly, k2 = sqrt(eps), and
/// charges 1/eps times that. Mirrored, it is the reflection of a medium of wave number k2
/// by one of relative permittivity 1/eps: next to the surface charges have an image of C0
/// / eps. Error 1e-11 of 1/R (of 1/(|eps| R) for phi), k R from 1e-6 to 63.
ReflectedKernels below_kernels(Complex eps, double rho, double depths);

/// All there is between a current at z >= 0 and one `depth` below the surface, times 1/k,
/// all three lengths times k:
///
///   Z_mn = (j k eta0 / 4 pi) II f f' [t_h . t'_h Gh + t_z t'_z Kzz
///                                     + (t_z t'_h . r - t_h . r t'_z) Q] ds ds'
///        + (eta0 / (4 pi j k)) II (df/ds) (df'/ds') Kphi ds ds',
///
/// t above, t' below, r the horizontal unit vector from the point below to that above,
/// whichever of them is the source. Kzz is Gh. With S{f} = int f e^{-u1 z - u2 depth}
/// J0(kr rho) kr dkr:
///
///   Gh = S{2 / (u1 + u2)},  Kphi = S{2 / (eps u1 + u2)},
///   Q = d/drho S{2 (u1 - u2) / (eps u1 + u2)}
///
/// (formulation C of Michalski and Zheng 1990). Where eps = 1 that is free space. Error
/// 1e-11 of 1/R (of 2 / (|eps + 1| R) for phi), R^2 = rho^2 + (z + depth)^2, k R from
/// 1e-6 to 63.
ReflectedKernels transmission_kernels(Complex eps, double rho, double z, double depth);

/// Computes the kernels below on a grid of rho_i times depths_j in a range (zeta:
/// depths), as reflected_kernels_grid. Error 1e-9. kernels: [rho][depths].
void below_kernels_grid(Complex eps, const ReflectionRange& range,
                        std::span<const double> rho, std::span<const double> depths,
                        std::span<ReflectedKernels> kernels);

/// Computes the transmission kernels at rho_i and the places above and below j, in a
/// range. Error 1e-9. kernels: [rho][place].
void transmission_kernels_grid(Complex eps, const TransmissionRange& range,
                               std::span<const double> rho, std::span<const double> z,
                               std::span<const double> depth,
                               std::span<ReflectedKernels> kernels);

}  // namespace thinwire
