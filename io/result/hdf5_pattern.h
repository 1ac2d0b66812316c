#pragma once

#include "io/result/hdf5_file.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// Writes /pattern/<k>, one group for each pattern request of each run that has a result:
/// theta_deg, phi_deg, e_theta_v, e_phi_v and gain_dbi [F, T, P], and for each frequency
/// frequency_hz, reference_power_w and average_gain.
void write_patterns(Hdf5Writer& out, const Solution& solution);

}  // namespace thinwire
