#pragma once

#include "io/result/hdf5_file.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// Writes /near_field/<k>, one group for each near-field request of each run that has
/// points: the grid's axes, position_m [n3, n2, n1, 3] and e_v_per_m or h_a_per_m [F, n3,
/// n2, n1, 3], n1 being the number of points along x (or r), n2 along y (or phi), n3
/// along z (or theta).
void write_near_fields(Hdf5Writer& out, const Solution& solution);

}  // namespace thinwire
