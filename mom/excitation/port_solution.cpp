#include "mom/excitation/port_solution.h"

#include <algorithm>

namespace thinwire {
namespace {

using Drive = Circuit::Drive;

/// Returns the antenna's own currents where networks connect; ports without a source come
/// first.
std::vector<PortResult> network_ports(const Ports& ports,
                                      const std::vector<Complex>& voltage_v,
                                      std::span<const Complex> coefficients) {
  std::vector<PortResult> results;
  std::vector<char> has_network(ports.count(), 0);
  for (const auto& ends : ports.of_networks())
    for (const std::size_t port : ends) has_network[port] = 1;
  const std::size_t sources = ports.sources().size();
  for (std::size_t i = 0; i < ports.count(); ++i) {
    const std::size_t p = (i + sources) % ports.count();
    if (has_network[p])
      results.push_back(ports.result(p, voltage_v[p], ports.current(p, coefficients)));
  }
  return results;
}

}  // namespace

bool driven_by_voltages(const Ports& ports) {
  return ports.networks().empty() &&
         std::none_of(ports.sources().begin(), ports.sources().end(),
                      [](const Source& s) { return s.current_a; });
}

std::vector<std::vector<Complex>> unit_excitations(const Ports& ports) {
  std::vector<std::vector<Complex>> rhs;
  for (std::size_t p = 0; p < ports.count(); ++p)
    if (ports.carries_current(p)) rhs.push_back(ports.unit_excitation(p));
  return rhs;
}

PortSolution solve_voltages(const Ports& ports, const RhsSolver& solve) {
  PortSolution solution;
  solution.coefficients = std::move(solve({ports.excitation()}).front());
  for (std::size_t p = 0; p < ports.count(); ++p)
    solution.ports.push_back(ports.result(p, ports.sources()[p].voltage_v,
                                          ports.current(p, solution.coefficients)));
  return solution;
}

PortSolver::PortSolver(const Ports& ports, const RhsSolver& solve) : ports_(ports) {
  const std::vector<std::vector<Complex>> rhs = unit_excitations(ports);
  std::vector<std::vector<Complex>> currents;
  if (!rhs.empty()) currents = solve(rhs);
  auto next = currents.begin();
  for (std::size_t p = 0; p < ports.count(); ++p)
    for_one_volt_.push_back(ports.carries_current(p)
                                ? std::move(*next++)
                                : std::vector<Complex>(ports.unknowns()));
}

Circuit PortSolver::circuit() const {
  const std::size_t p = ports_.count();
  std::vector<Complex> y(p * p);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < p; ++j)
      y[i * p + j] = ports_.current(i, for_one_volt_[j]);
  return {p,
          std::move(y),
          ports_.networks(),
          ports_.of_networks(),
          ports_.k_rad_per_m(),
          ports_.network_origin()};
}

std::vector<Drive> PortSolver::source_drives() const {
  std::vector<Drive> drives(ports_.count());
  for (std::size_t p = 0; p < ports_.sources().size(); ++p) {
    const Source& source = ports_.sources()[p];
    drives[p] = source.current_a ? Drive{Drive::Kind::current, *source.current_a}
                                 : Drive{Drive::Kind::voltage, source.voltage_v};
  }
  return drives;
}

PortSolution PortSolver::unit_drive(std::size_t source) const {
  std::vector<Drive> drives = source_drives();
  for (std::size_t p = 0; p < drives.size(); ++p) drives[p].value = p == source ? 1 : 0;
  return superpose(drives, {});
}

PortSolution PortSolver::undriven(std::vector<Complex> shorted) const {
  std::vector<Drive> drives = source_drives();
  for (Drive& drive : drives) drive.value = 0;
  return superpose(drives, std::move(shorted));
}

/// received: currents of a wave in shorted ports, or none.
PortSolution PortSolver::superpose(const std::vector<Drive>& drives,
                                   std::vector<Complex> received) const {
  const std::size_t count = ports_.count();
  const Circuit seen = circuit();
  std::vector<Complex> received_a;
  if (!received.empty())
    for (std::size_t p = 0; p < count; ++p)
      received_a.push_back(ports_.current(p, received));
  PortSolution solution;
  solution.at_ports = seen.solve(drives, received_a);
  const Circuit::State& state = solution.at_ports;
  solution.coefficients = std::move(received);
  solution.coefficients.resize(ports_.unknowns());
  for (std::size_t p = 0; p < count; ++p)
    for (std::size_t i = 0; i < solution.coefficients.size(); ++i)
      solution.coefficients[i] += state.voltage_v[p] * for_one_volt_[p][i];
  for (std::size_t p = 0; p < ports_.sources().size(); ++p) {
    const Complex carried = ports_.current(p, solution.coefficients);
    solution.ports.push_back(ports_.result(p, state.voltage_v[p],
                                           drives[p].kind == Drive::Kind::current
                                               ? drives[p].value
                                               : carried + state.network_current_a[p]));
  }
  solution.network_ports = network_ports(ports_, state.voltage_v, solution.coefficients);
  solution.network_loss_w = seen.loss_w(state.voltage_v);
  return solution;
}

std::vector<Complex> PortSolver::impedance_matrix() const {
  const std::size_t sources = ports_.sources().size();
  const Circuit seen = circuit();
  std::vector<Complex> impedance(sources * sources);
  for (std::size_t j = 0; j < sources; ++j) {
    std::vector<Drive> drives(ports_.count());
    drives[j].value = 1;
    const Circuit::State state = seen.solve(drives, {});
    for (std::size_t i = 0; i < sources; ++i)
      impedance[i * sources + j] = state.voltage_v[i];
  }
  return impedance;
}

}  // namespace thinwire
