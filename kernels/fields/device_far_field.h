#pragma once

#include "kernels/fields/far_field.h"

namespace thinwire {

/// far_field of far_field.h on the current GPU: the same sums, to rounding; the same bits
/// every time. Throws Error{device}, Error{memory}.
void device_far_field(const CurrentMoments& moments,
                      std::span<const Direction> directions, double k_rad_per_m,
                      std::span<Complex> e_theta_v, std::span<Complex> e_phi_v);

}  // namespace thinwire
