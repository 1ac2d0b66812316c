#pragma once

#include <span>

#include "kernels/ground/field_kernels.h"

namespace thinwire {

/// Which way waves go from currents to the observer, where one of both is in the ground.
enum class BuriedWay {
  reflected,  ///< both below: what the surface sends back down
  up,         ///< currents below, the observer above
  down,       ///< currents above, the observer below
};

/// A place of currents as an observer sees it, all times k: horizontal distance, height
/// of the one above, depth of the one below (`reflected`: the sum of both depths). Not
/// all 0.
struct BuriedPlace {
  double rho, z, depth;
};

/// Nats of the wave in the ground down to which errors are relative to e^{-j k2 depth}.
inline constexpr double buried_nats = 60;

/// The kernels of field_kernels.h for wires in the ground, times 1/k and derivatives (and
/// Q/rho) times 1/k^2, at scattered places: Sommerfeld integrals, one path for the places
/// of each octave. Derivatives with respect to the observer; with both below, of the
/// mirrored pair, depths as heights (buried_kernels.h). Q has the sign of
///
///   t_h Gh - t_z r Q + z^ (t_z Kzz + t_h . r Q),
///
/// r being the horizontal unit vector from the source to the observer, in all three. The
/// direct wave of two below is left out. Error 1e-8 of the static parts, 1/R and 1/R^2,
/// times e^{-j k2 depth}.
void buried_field_kernels(FieldKind kind, BuriedWay way, Complex eps,
                          std::span<const BuriedPlace> places,
                          std::span<FieldKernels> kernels);

/// Computes the kernels at rho_i and pairs of z_j and depth_j within a range. kernels:
/// [rho][pair].
void buried_field_kernels_grid(FieldKind kind, BuriedWay way, Complex eps,
                               const TransmissionRange& range,
                               std::span<const double> rho, std::span<const double> z,
                               std::span<const double> depth,
                               std::span<FieldKernels> kernels);

}  // namespace thinwire
