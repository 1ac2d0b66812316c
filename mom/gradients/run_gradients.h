#pragma once

#include <span>
#include <vector>

#include "kernels/fields/far_field.h"
#include "mom/excitation/excitation.h"
#include "mom/excitation/port_solution.h"
#include "mom/plan/varied_structures.h"

namespace thinwire {

/// A run at one frequency that is to be differentiated, and its solution.
struct GradientInput {
  const Discretization& discretization;
  const Run& run;
  GreensKernel kernel;
  double frequency_hz;
  std::size_t run_index;
  const VariedStructures& varied;
  const Ports& ports;
  const PortSolver& solver;
  const PortSolution& solution;
};

/// Power gain towards a direction, and its derivatives, [parameters], for each unit of a
/// parameter.
struct GainGradient {
  double gain_dbi;
  std::vector<double> derivative_db;
};

struct RunGradients {
  /// Derivatives of the impedances of the sources' ports, [parameters][sources], ohm for
  /// each unit of a parameter.
  std::vector<Complex> impedance_ohm;
  std::vector<GainGradient> gain;  ///< [directions]
};

/// Derivatives of impedances and of gains towards some directions, for which `solve`
/// solves once each; over perfect ground these lie above it.
///
/// A number h^T I, h fixed, changes by
///     V_A^T dW^T I + V^T dW^T A - A^T dZ I + V_A^T dY_n V,
/// with the currents I for the voltages V at the ports, and A, V_A those that h in the
/// place of the sources makes: Z is symmetric, so the adjoint problem is the problem
/// itself. W are the ports' functionals and Y_n the admittances of the networks. For a
/// source's current, A is what one volt there makes (for a current source's voltage, one
/// ampere), which is there already. For the radiation intensity
///     U = |E|^2 / 2 eta,   dU = Re(conj(E) . dE) / eta,
/// h is the wave conj(E) that comes from there, by reciprocity; the input power follows
/// from the impedances. dZ of the wires comes from form_gradients, dY_n from the circuit;
/// what loads, ports and fields change by themselves is taken as the difference between
/// the two sides of the parameter.
RunGradients run_gradients(const GradientInput& input,
                           std::span<const Direction> directions, const RhsSolver& solve);

}  // namespace thinwire
