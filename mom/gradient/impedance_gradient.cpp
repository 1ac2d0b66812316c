#include "mom/gradient/impedance_gradient.h"

#include "kernels/base/constants.h"
#include "mom/loads.h"
#include "mom/medium.h"

namespace thinwire {
namespace {

std::vector<EndCurrents> end_currents(const Discretisation& antenna,
                                      std::span<const Complex> coefficients) {
  std::vector<EndCurrents> currents(antenna.elements().size());
  for (std::size_t e = 0; e < currents.size(); ++e)
    for (int end = 0; end < 2; ++end)
      currents[e].at[end] = antenna.basis().end_current(coefficients, e, end);
  return currents;
}

/// A^T Z J of the loads alone.
Complex load_form(const Discretisation& antenna, const Run& run, double frequency_hz,
                  std::span<const Complex> a, std::span<const Complex> j) {
  if (run.loads.empty()) return 0;
  Complex sum = 0;
  const LoadModel loads(antenna, run.loads, frequency_hz, run.ground);
  for (const MatrixUpdate& u : loads.updates()) {
    sum += u.value * a[u.row] * j[u.column];
    if (u.row != u.column) sum += u.value * a[u.column] * j[u.row];
  }
  return sum;
}

/// V_A^T Y V of the networks alone.
Complex network_form(const Ports& ports, std::span<const Complex> voltage_a,
                     std::span<const Complex> voltage_v) {
  if (ports.networks().empty()) return 0;
  const std::size_t count = ports.count();
  const Circuit circuit(count, std::vector<Complex>(count * count), ports.networks(),
                        ports.of_networks(), ports.k_rad_per_m());
  std::vector<Circuit::Drive> drives;
  for (const Complex v : voltage_v) drives.push_back({Circuit::Drive::Kind::voltage, v});
  const Circuit::State state = circuit.solve(drives, {});
  Complex sum = 0;
  for (std::size_t p = 0; p < count; ++p)
    sum += voltage_a[p] * state.network_current_a[p];
  return sum;
}

/// What ports, loads and networks of one side of a parameter give to the current at the
/// source, at the currents and voltages of the problem itself.
Complex side_form(const Discretisation& antenna, const Run& run, double frequency_hz,
                  double k, const PortSolution& adjoint, const PortSolution& solution) {
  const Ports ports(antenna, run.sources, run.networks, k);
  Complex sum =
      network_form(ports, adjoint.voltage_v, solution.voltage_v) -
      load_form(antenna, run, frequency_hz, adjoint.coefficients, solution.coefficients);
  for (std::size_t p = 0; p < ports.count(); ++p)
    sum += adjoint.voltage_v[p] * ports.current(p, solution.coefficients) +
           solution.voltage_v[p] * ports.current(p, adjoint.coefficients);
  return sum;
}

}  // namespace

std::vector<Complex> impedance_gradient(const GradientInput& input, const Ports& ports,
                                        const PortSolver& solver,
                                        const PortSolution& solution) {
  const double k = ports.k_rad_per_m();
  const std::size_t sources = ports.sources().size();
  const std::vector<EndCurrents> currents =
      end_currents(input.antenna, solution.coefficients);
  std::vector<Complex> gradient(input.varied.size() * sources);
  for (std::size_t s = 0; s < sources; ++s) {
    const PortSolution adjoint = solver.unit_drive(s);
    const std::vector<EndCurrents> adjoint_currents =
        end_currents(input.antenna, adjoint.coefficients);
    const std::vector<Complex> of_wires =
        form_gradient({input.antenna.elements(), adjoint_currents, currents, k,
                       input.kernel, medium_of(input.run.ground)},
                      input.varied.motions(input.run_index));
    const PortResult& port = solution.ports[s];
    // dZ = -Z dI / I at a source of voltage, dV / I at one of current, which is driven
    // the other way round.
    const Complex factor = ports.sources()[s].current_a
                               ? -1.0 / port.current_a
                               : -port.impedance_ohm / port.current_a;
    for (std::size_t v = 0; v < input.varied.size(); ++v) {
      const VariedStructures::Sides sides = input.varied.of(v, input.run_index);
      const auto form = [&](const Discretisation& antenna, const Run& run) {
        return side_form(antenna, run, input.frequency_hz, k, adjoint, solution);
      };
      const Complex of_rest =
          (form(sides.more, sides.run_more) - form(sides.less, sides.run_less)) /
          (2 * sides.step);
      gradient[v * sources + s] = factor * (of_rest - of_wires[v]);
    }
  }
  return gradient;
}

}  // namespace thinwire
