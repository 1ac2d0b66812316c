#pragma once

#include <span>

#include "kernels/element/element.h"
#include "kernels/fields/far_field.h"
#include "kernels/ground/half_space.h"

namespace thinwire {

/// Far fields of currents on one side of a ground's surface, of waves that pass it or lie
/// below it: added to e_theta and e_phi, volt, [directions]. From currents below in all
/// directions, the air's included; from those above in directions below the horizon,
/// where something arrives only if the ground has no loss (elsewhere nothing is added;
/// the waves in the air are far_field.h's). Above, r E e^{+jkr}; below, sqrt(n) r E
/// e^{+j n k r}, n = sqrt(permittivity), so that the power density is |E|^2 / (2 eta0)
/// everywhere.
///
/// By reciprocity, from the waves of plane_waves.h. end_current_a: [2 elements], at the
/// start and the end. With the exact kernel the current flows on the circumference.
void add_waves_through_ground(GroundSide side, std::span<const Element> elements,
                              std::span<const Complex> end_current_a, GreensKernel kernel,
                              std::span<const Direction> directions, double k_rad_per_m,
                              Complex permittivity, std::span<Complex> e_theta_v,
                              std::span<Complex> e_phi_v);

}  // namespace thinwire
