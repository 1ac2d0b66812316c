#pragma once

#include <span>

#include "kernels/base/complex.h"
#include "kernels/element/element.h"

namespace thinwire {

/// Adds the electric field, V/m, of currents that fill a medium of relative permittivity
/// eps with their waves, k2 = k sqrt(eps), Im k2 <= 0; k is the wave number of the
/// piecewise-sinusoidal currents. As near_field.h, of any distance from the wires, and on
/// the host:
///
///   E = -(j eta0 / 4 pi) sum over elements of integral of (k I t G + (I'/(k eps)) grad
///       G) ds,   G = e^{-j k2 R}/R.
///
/// end_current_a: [2 elements], at the start and the end; e_v_per_m: [3 points].
void add_electric_field_in(Complex eps, std::span<const Element> elements,
                           std::span<const Complex> end_current_a, double k_rad_per_m,
                           GreensKernel kernel, std::span<const Vec3> points_m,
                           std::span<Complex> e_v_per_m);

/// Adds the magnetic field, A/m, likewise: H = (1 / 4 pi) sum of integral of I grad G x t
/// ds.
void add_magnetic_field_in(Complex eps, std::span<const Element> elements,
                           std::span<const Complex> end_current_a, double k_rad_per_m,
                           GreensKernel kernel, std::span<const Vec3> points_m,
                           std::span<Complex> h_a_per_m);

}  // namespace thinwire
