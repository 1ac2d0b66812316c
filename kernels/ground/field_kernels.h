#pragma once

#include <array>
#include <complex>
#include <span>

#include "kernels/base/complex.h"
#include "kernels/ground/half_space.h"

namespace thinwire {

/// Which field of the reflected currents: the kernels differ.
enum class FieldKind { electric, magnetic };

/// Five kernels of a field that the half space z < 0 reflects, at the horizontal distance
/// rho and the sum of heights zeta (half_space.h), derivatives with respect to the
/// observer:
///
///   electric: Gh, Kzz, Q, dKphi/drho, dKphi/dz
///   magnetic: dGh/drho, dGh/dz, dV/drho, dQ/drho, Q/rho
///
/// V = -S{Rh + kr^2 P} is what vertical currents' magnetic field comes from: the curl of
/// Kzz z^ - Q r^ is -dV/drho phi^.
using FieldKernels = std::array<Complex, 5>;

/// The kernels times 1/k, derivatives (and Q/rho) times 1/k^2, on a grid of rho_i (> 0)
/// times zeta_j within a range, all times k: Sommerfeld integrals along one path
/// (spectral_path.h). Error 1e-9 of the image's e^{-jR}(1 + R)/R^2. kernels: [rho][zeta].
void field_kernels_grid(FieldKind kind, Complex eps, const ReflectionRange& range,
                        std::span<const double> rho, std::span<const double> zeta,
                        std::span<FieldKernels> kernels);

/// Returns the kernels of an image, e^{-jR}/R: of strength -1 for horizontal currents and
/// charges, +1 for vertical currents; it has no Q.
FieldKernels image_field_kernels(FieldKind kind, double rho, double zeta);

}  // namespace thinwire
