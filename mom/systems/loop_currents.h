#pragma once

#include <span>
#include <vector>

#include "kernels/matrix/matrix_update.h"
#include "mom/discretization/discretization.h"
#include "mom/discretization/loops.h"
#include "mom/problem/ground.h"

namespace thinwire {

/// Parameters of the medium around loops.
struct LoopSurroundings {
  double k_rad_per_m;
  Ground ground;
  std::vector<MatrixUpdate> loads;  ///< LoadModel::updates_of_currents
};

/// Computes the voltages that one ampere around each loop induces along every basis
/// function, ohm: the part of Z that is due to currents, without loads,
/// [loops][unknowns]. For structures far smaller than the wavelength: shape functions are
/// taken as straight lines, to (k length)^2 / 12, and k times distances must be below
/// 0.1.
std::vector<std::vector<Complex>> voltages_of_loops(const Discretization& discretization,
                                                    std::span<const Loop> loops,
                                                    const LoopSurroundings& surroundings,
                                                    GreensKernel kernel);

}  // namespace thinwire
