#pragma once

#include "kernels/fields/near_field.h"

namespace thinwire {

/// electric_field of near_field.h on the current GPU: the same terms, to rounding in
/// each; the same bits every time. Takes 100 to 500 bytes a point of the GPU's memory.
/// Throws Error{device}, Error{memory}.
void device_electric_field(const NearFieldSources& sources,
                           std::span<const Vec3> points_m, double k_rad_per_m,
                           std::span<Complex> e_v_per_m);

/// magnetic_field, likewise.
void device_magnetic_field(const NearFieldSources& sources,
                           std::span<const Vec3> points_m, double k_rad_per_m,
                           std::span<Complex> h_a_per_m);

}  // namespace thinwire
