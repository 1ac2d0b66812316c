#pragma once

#include <vector>

#include "mom/excitation.h"
#include "mom/gradient/varied_structures.h"
#include "mom/port_solution.h"

namespace thinwire {

/// A run at one frequency whose impedances are to be differentiated.
struct GradientInput {
  const Discretisation& antenna;
  const Run& run;
  GreensKernel kernel;
  double frequency_hz;
  std::size_t run_index;
  const VariedStructures& varied;
};

/// Derivatives of the impedances of the sources' ports, [parameters][sources], ohm for
/// each unit of a parameter.
///
/// With currents I for the voltages V at the ports, and A for one volt at a source alone
/// (for one ampere where it is a current source), both from solutions that are there
/// already, the current at that source changes by
///     V_A^T dW^T I + V^T dW^T A - A^T dZ I + V_A^T dY_n V,
/// W being the ports' functionals and Y_n the admittances of the networks: Z is
/// symmetric, so the adjoint problem is the problem itself. dZ of the wires comes from
/// form_gradient; what loads, ports and networks add is known in closed form and taken as
/// its difference between the two sides of the parameter.
std::vector<Complex> impedance_gradient(const GradientInput& input, const Ports& ports,
                                        const PortSolver& solver,
                                        const PortSolution& solution);

}  // namespace thinwire
