#pragma once

#include "io/result/hdf5_file.h"
#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// Writes /port, a column for each port over all runs: voltages, currents, impedances and
/// reflections [F, P]; where there are any, the impedance matrix [F, P, P], the
/// derivatives by parameters [F, P, V], and, in /network, where networks connect. NaN
/// where a run has no such port.
void write_ports(Hdf5Writer& out, const Problem& problem, const Solution& solution,
                 double reference_ohm);

}  // namespace thinwire
