#pragma once

#include <span>
#include <vector>

#include "kernels/element/medium.h"
#include "mom/discretisation.h"
#include "mom/loops.h"

namespace thinwire {

/// What one ampere around each loop induces along every basis function, ohm: the part of
/// Z that is due to currents, [loops][unknowns]. For structures far smaller than the
/// wavelength: shape functions are taken as straight lines, to (k length)^2 / 12, and
/// k times distances must be below 0.1.
std::vector<std::vector<Complex>> voltages_of_loops(const Discretisation& antenna,
                                                    std::span<const Loop> loops,
                                                    double k_rad_per_m, Medium medium,
                                                    GreensKernel kernel);

}  // namespace thinwire
