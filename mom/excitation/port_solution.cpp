#include "mom/excitation/port_solution.h"

#include <algorithm>
#include <limits>

namespace thinwire {
namespace {

using Drive = Circuit::Drive;

/// Returns the antenna's own currents where networks connect; ports without a source come
/// first.
std::vector<PortResult> network_ports(const Ports& ports,
                                      const std::vector<Complex>& voltage_v,
                                      std::span<const Complex> current_a) {
  std::vector<PortResult> results;
  std::vector<char> has_network(ports.count(), 0);
  for (const auto& ends : ports.of_networks())
    for (const std::size_t port : ends) has_network[port] = 1;
  const std::size_t sources = ports.sources().size();
  for (std::size_t i = 0; i < ports.count(); ++i) {
    const std::size_t p = (i + sources) % ports.count();
    if (has_network[p]) results.push_back(ports.result(p, voltage_v[p], current_a[p]));
  }
  return results;
}

std::vector<std::vector<Complex>> solve_for_one_volt(const Ports& ports,
                                                     const RhsSolver& solve) {
  const std::vector<std::vector<Complex>> sides = unit_excitations(ports);
  std::vector<std::vector<Complex>> currents, for_one_volt;
  if (!sides.empty()) currents = solve(sides);
  auto next = currents.begin();
  for (std::size_t p = 0; p < ports.count(); ++p)
    for_one_volt.push_back(ports.carries_current(p)
                               ? std::move(*next++)
                               : std::vector<Complex>(ports.unknowns()));
  return for_one_volt;
}

Circuit circuit_of(const Ports& ports,
                   std::span<const std::vector<Complex>> for_one_volt) {
  std::vector<Complex> y;
  for (std::size_t i = 0; i < ports.count(); ++i)
    for (const std::vector<Complex>& driven : for_one_volt)
      y.push_back(ports.current(i, driven));
  return {ports.count(),       std::move(y),        ports.networks(),
          ports.of_networks(), ports.k_rad_per_m(), ports.network_origin()};
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

PortSolver::PortSolver(const Ports& ports, const RhsSolver& solve)
    : ports_(ports),
      for_one_volt_(solve_for_one_volt(ports, solve)),
      circuit_(circuit_of(ports, for_one_volt_)) {}

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
  std::vector<Complex> current_a;
  if (!received.empty())
    for (std::size_t p = 0; p < count; ++p)
      current_a.push_back(ports_.current(p, received));
  Circuit::State state = circuit_.solve(drives, current_a);
  received.resize(ports_.unknowns());
  for (std::size_t p = 0; p < count; ++p)
    for (std::size_t i = 0; i < received.size(); ++i)
      received[i] += state.voltage_v[p] * for_one_volt_[p][i];
  current_a.resize(count);
  for (std::size_t p = 0; p < count; ++p) current_a[p] = ports_.current(p, received);
  PortSolution solution = at_ports(drives, std::move(state), current_a);
  solution.coefficients = std::move(received);
  return solution;
}

PortSolution PortSolver::at_ports(std::span<const Drive> drives, Circuit::State&& state,
                                  std::span<const Complex> current_a) const {
  PortSolution solution;
  for (std::size_t p = 0; p < ports_.sources().size(); ++p) {
    const bool of_current = drives[p].kind == Drive::Kind::current;
    solution.ports.push_back(ports_.result(
        p, state.voltage_v[p],
        of_current ? drives[p].value : current_a[p] + state.network_current_a[p]));
    double sum_a = std::abs(state.network_current_a[p]);
    for (std::size_t q = 0; q < ports_.count() && !of_current; ++q)
      sum_a += std::abs(state.voltage_v[q] * ports_.current(p, for_one_volt_[q]));
    solution.rounding.push_back(std::numeric_limits<double>::epsilon() * sum_a /
                                std::abs(solution.ports[p].current_a));
  }
  solution.network_ports = network_ports(ports_, state.voltage_v, current_a);
  solution.network_loss_w = circuit_.loss_w(state);
  solution.at_ports = std::move(state);
  return solution;
}

std::vector<Complex> PortSolver::impedance_matrix() const {
  const std::size_t sources = ports_.sources().size();
  std::vector<Complex> impedance(sources * sources);
  for (std::size_t j = 0; j < sources; ++j) {
    std::vector<Drive> drives(ports_.count());
    drives[j].value = 1;
    const Circuit::State state = circuit_.solve(drives, {});
    for (std::size_t i = 0; i < sources; ++i)
      impedance[i * sources + j] = state.voltage_v[i];
  }
  return impedance;
}

}  // namespace thinwire
