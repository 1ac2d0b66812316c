#pragma once

#include <span>

#include "kernels/fields/far_field.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Where the ground changes from place to place, each piece is reflected as a whole, so
/// that patterns change by steps as the pieces' rays pass an edge: by 0.05 dB with pieces
/// so long, by 0.14 dB with elements of a vertical dipole, by 1 dB with 0.3 rad.
inline constexpr double piece_in_parts_rad = 0.02;

/// Adds to far fields what a ground reflects that is not the same everywhere: a second
/// medium beyond an edge, a screen of radial wires (RP 2 to 6). Every current is
/// reflected, as a plane wave, where the ray from its place meets z = 0; the second
/// medium, lower by its drop, adds the phase of the longer way, 2 k drop cos(theta)
/// (Burke and Poggio 1981, part I, section IV). Edges diffract nothing.
///
/// moments: of the currents without images. e_theta, e_phi: r E e^{jkr}, volt,
/// [directions]; directions below the horizon stay as they are.
void add_reflected_in_parts(const CurrentMoments& moments,
                            std::span<const Direction> directions, double k_rad_per_m,
                            const Ground& ground, const PatternRequest& request,
                            std::span<Complex> e_theta_v, std::span<Complex> e_phi_v);

}  // namespace thinwire
