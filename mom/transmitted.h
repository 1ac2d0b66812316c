#pragma once

#include <span>

#include "kernels/element/element.h"
#include "kernels/fields/far_field.h"

namespace thinwire {

/// Far fields in a ground without loss, of currents above it: of the directions below the
/// horizon, sqrt(n) r E e^{+j n k r}, volt, n = sqrt(permittivity), so that the power
/// density is |E|^2 / (2 eta0) as above; the others stay as they are. By reciprocity:
/// what a plane wave from there is in the air, times Fresnel's coefficients, with the
/// angle in the air complex beyond the critical one.
///
/// end_current_a: [2 elements], at the start and the end. With the exact kernel the
/// current flows on the circumference. e_theta, e_phi: [directions].
void transmitted_field(std::span<const Element> elements,
                       std::span<const Complex> end_current_a, GreensKernel kernel,
                       std::span<const Direction> directions, double k_rad_per_m,
                       double permittivity, std::span<Complex> e_theta_v,
                       std::span<Complex> e_phi_v);

}  // namespace thinwire
