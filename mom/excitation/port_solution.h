#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "mom/excitation/circuit.h"
#include "mom/excitation/excitation.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// Voltages and currents of a run's sources and networks at one frequency.
struct PortSolution {
  std::vector<Complex> coefficients;
  std::vector<PortResult> ports, network_ports;  ///< as in FrequencyResult
  double network_loss_w = 0;
  /// Relative error of each port's current by rounding, where the antenna's currents and
  /// those of networks cancel; empty without networks.
  std::vector<double> rounding;
  /// At all ports; none from solve_voltages().
  Circuit::State at_ports;
};

/// Solves Z I = V for several right-hand sides: [rhs_count][n] to [rhs_count][n].
using RhsSolver = std::function<std::vector<std::vector<Complex>>(
    const std::vector<std::vector<Complex>>&)>;

/// Whether solve_voltages() is enough: no networks and no current sources.
bool driven_by_voltages(const Ports& ports);

/// Returns the excitations that PortSolver solves for: one volt at each port that carries
/// current.
std::vector<std::vector<Complex>> unit_excitations(const Ports& ports);

/// The currents that voltages alone excite; one right-hand side.
PortSolution solve_voltages(const Ports& ports, const RhsSolver& solve);

/// Solves for sources with networks, current sources and incident waves. The antenna is
/// solved for one volt at each port; these currents, and those that a wave induces, are
/// superposed as Circuit prescribes.
class PortSolver {
 public:
  PortSolver(const Ports& ports, const RhsSolver& solve);

  /// Without incident waves. Throws as Circuit::solve does, and so do the others.
  PortSolution transmitting() const { return superpose(source_drives(), {}); }
  /// Returns what the sources and a wave do at the ports. received_a: currents that the
  /// wave makes in the shorted ports, [ports].
  Circuit::State receiving(std::span<const Complex> received_a) const {
    return circuit_.solve(source_drives(), received_a);
  }
  /// Returns the solution of receiving() without its coefficients. current_a: of the
  /// antenna at its ports in that state, [ports].
  PortSolution received(Circuit::State&& state,
                        std::span<const Complex> current_a) const {
    return at_ports(source_drives(), std::move(state), current_a);
  }
  /// Returns the solution for one volt or ampere, as the source drives, from this source
  /// alone.
  PortSolution unit_drive(std::size_t source) const;

  /// With a wave that makes these currents where all ports are shorted, [n], and nothing
  /// from the sources.
  PortSolution undriven(std::vector<Complex> shorted) const;

  /// Currents for one volt at each port, the others shorted, [ports][n].
  std::span<const std::vector<Complex>> for_one_volt() const { return for_one_volt_; }

  /// The antenna and the networks as its ports see them.
  const Circuit& circuit() const { return circuit_; }

  /// Open-circuit impedances between the sources' ports, networks connected, [P][P].
  std::vector<Complex> impedance_matrix() const;

 private:
  std::vector<Circuit::Drive> source_drives() const;
  PortSolution at_ports(std::span<const Circuit::Drive> drives, Circuit::State&& state,
                        std::span<const Complex> current_a) const;
  PortSolution superpose(const std::vector<Circuit::Drive>& drives,
                         std::vector<Complex> received) const;

  const Ports& ports_;
  std::vector<std::vector<Complex>> for_one_volt_;
  Circuit circuit_;
};

}  // namespace thinwire
