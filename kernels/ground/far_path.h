#pragma once

#include "kernels/ground/half_space.h"
#include "kernels/ground/spectral_path.h"

namespace thinwire {

/// Whether all places of a range are far enough for far_path(), and low enough: on the
/// left of its cut e^{-u1 zeta} grows up to e^{zeta^2/(4 rho)}. zeta counts heights in
/// the air; a depth below the surface counts sqrt(|k2|) times.
bool is_far(Complex eps, const ReflectionRange& range);

/// The path for places far away, 1e-9. The ordinary one takes as many points as there are
/// radians in rho. Here J is divided into Hankel functions near 0 already; that of the
/// first kind goes up, and that of the second, on its way down, leaves behind the cuts of
/// both roots, drawn straight down from kr = 1 and k2, around which it goes:
///
///      0 ==+------1--------k2------>        kr = 1 - j t^2 on both sides of the cut,
///           \     ||        ||              on the left for negative t:
///     J      \    ||        ||              u1 = t e^{-j pi/4} sqrt(2 - j t^2)
///                 vv        vv              decays as e^{-rho t^2}, smooth in t
///
/// Where the wave in the ground has died down the cut at k2 is left out.
SpectralPath far_path(Complex eps, const ReflectionRange& range);

}  // namespace thinwire
