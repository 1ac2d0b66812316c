#pragma once

#include "kernels/element/near_pair.h"

namespace thinwire {

/// Computes near_pair_turned on the CPU, to rounding (1e-13 of the largest entry), and
/// several points of the quadrature at once where the pair is coaxial and the kernel
/// exact, as nearly all near pairs of straight wires are.
ElementMatrix near_pair_by_lanes(Element p, Element q, PairSymmetry turns,
                                 double k_rad_per_m, GreensKernel kernel,
                                 double nats = near_pair_nats);

}  // namespace thinwire
