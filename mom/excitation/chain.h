#pragma once

#include "kernels/base/complex.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Chain parameters of a reciprocal two-port (Pozar 2012, table 4.1), a d - b c = 1:
/// V1 = a V2 - b I2, I1 = c V2 - d I2, currents into the network. They exist at every
/// length of a line and for ideal transformers, which have no admittance matrix.
struct Chain {
  Complex a = 1, b_ohm = 0, c_s = 0, d = 1;
};

/// Returns the parameters of a line, without the shunts at its ends, or of a ladder.
///
/// A line has the resistance R = 2 Z0 A sqrt(f) and the conductance G = 2 B f / Z0 a
/// metre beside the inductance and capacitance of a lossless one, A and B being those of
/// Network::loss_np_per_m. Then gamma = sqrt((R + j w L) (G + j w C)) and Z = sqrt((R +
/// j w L) / (G + j w C)) (the telegrapher's equations).
Chain chain_of(const Network& network, double k_rad_per_m);

/// Returns a line that loses more than max_np as the two-port of its admittances, shunts
/// included, and any other network as it is: the chain parameters of long lossy lines
/// grow without bounds, and their difference is the result.
Network short_or_admittances(const Network& network, double k_rad_per_m,
                             double max_np = 1);

/// Returns the derivatives of the chain parameters as the network goes from `less` over
/// `at` to `more`, for each unit of a parameter that lies 2 `step` apart there.
Chain chain_derivative(const Network& less, const Network& at, const Network& more,
                       double k_rad_per_m, double step);

/// Impedance that currents of a line or ladder are scaled by, ohm.
double reference_ohm(const Network& network);

}  // namespace thinwire
