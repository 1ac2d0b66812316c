#include "mom/gradients/run_gradients.h"

#include <cmath>
#include <cstdint>

#include "kernels/base/constants.h"
#include "kernels/gradient/ground_gradient.h"
#include "mom/excitation/incident_field.h"
#include "mom/loads/loads.h"
#include "mom/media/medium.h"
#include "mom/media/real_ground.h"
#include "mom/postprocess/radiation.h"

namespace thinwire {
namespace {

std::vector<EndCurrents> end_currents(const Discretization& discretization,
                                      std::span<const Complex> coefficients) {
  std::vector<EndCurrents> currents(discretization.elements().size());
  for (std::size_t e = 0; e < currents.size(); ++e)
    for (int end = 0; end < 2; ++end)
      currents[e].at[end] = discretization.basis().end_current(coefficients, e, end);
  return currents;
}

/// A^T Z J of the loads and of the proximity effect alone.
Complex load_form(const Discretization& discretization, const Run& run,
                  double frequency_hz, std::span<const Complex> a,
                  std::span<const Complex> j) {
  Complex sum = 0;
  const LoadModel loads(discretization, run.loads, frequency_hz, run.ground);
  for (const MatrixUpdate& u : loads.updates()) {
    sum += u.value * a[u.row] * j[u.column];
    if (u.row != u.column) sum += u.value * a[u.column] * j[u.row];
  }
  return sum;
}

/// Returns the contribution of the ports and loads of one side of a parameter to the
/// current at the source, at the currents and voltages of the problem itself.
Complex side_form(const Discretization& discretization, const Run& run,
                  double frequency_hz, double k, const PortSolution& adjoint,
                  const PortSolution& solution) {
  const Ports ports(discretization, run.sources, run.networks, k);
  Complex sum = -load_form(discretization, run, frequency_hz, adjoint.coefficients,
                           solution.coefficients);
  for (std::size_t p = 0; p < ports.count(); ++p)
    sum += adjoint.at_ports.voltage_v[p] * ports.current(p, solution.coefficients) +
           solution.at_ports.voltage_v[p] * ports.current(p, adjoint.coefficients);
  return sum;
}

/// The far field of currents, r E e^{jkr}, V.
struct FarField {
  Complex theta, phi;
};

std::vector<FarField> far_fields(const GradientInput& input,
                                 const Discretization& discretization, const Run& run,
                                 std::span<const Complex> coefficients,
                                 std::span<const Direction> directions) {
  const Radiation radiation(discretization, coefficients, input.frequency_hz,
                            input.kernel, run.ground);
  std::vector<FarField> fields;
  for (const Direction& direction : directions) {
    PatternRequest request;
    request.theta_start_deg = direction.theta * (180 / pi);
    request.phi_start_deg = direction.phi * (180 / pi);
    const PatternResult pattern = radiation.pattern(request, 1, 0);
    fields.push_back({pattern.e_theta_v[0], pattern.e_phi_v[0]});
  }
  return fields;
}

/// The currents of the basis functions on elements that a parameter moves, zero in the
/// place of all others: these have the same far field on both of its sides.
std::vector<Complex> moved_coefficients(const GradientInput& input,
                                        std::size_t parameter) {
  const std::vector<ElementMotion>& motions =
      input.varied.motions(input.run_index)[parameter];
  const auto rests = [&](std::uint32_t element) {
    return motions[element] == ElementMotion{};
  };
  std::vector<Complex> coefficients = input.solution.coefficients;
  const auto& functions = input.discretization.basis().functions();
  for (std::size_t m = 0; m < coefficients.size(); ++m)
    if (rests(functions[m].element[0]) && rests(functions[m].element[1]))
      coefficients[m] = 0;
  return coefficients;
}

/// Derivatives of the input power, W.
std::vector<double> power_derivatives(const GradientInput& input,
                                      std::span<const Complex> impedance_derivative_ohm) {
  const std::size_t sources = input.solution.ports.size();
  std::vector<double> derivatives(input.varied.size());
  for (std::size_t v = 0; v < derivatives.size(); ++v)
    for (std::size_t s = 0; s < sources; ++s) {
      const PortResult& port = input.solution.ports[s];
      const Complex derivative = impedance_derivative_ohm[v * sources + s];
      // P = |I|^2 Re(Z) / 2 = |V|^2 Re(1/Z) / 2; what drives the port is fixed.
      if (input.ports.sources()[s].current_a)
        derivatives[v] += 0.5 * std::norm(port.current_a) * derivative.real();
      else if (port.voltage_v != 0.0)
        derivatives[v] -= 0.5 * std::norm(port.voltage_v) *
                          (derivative / (port.impedance_ohm * port.impedance_ohm)).real();
    }
  return derivatives;
}

/// Error of the tables of a real ground, whose derivatives have larger ones.
constexpr double table_error = 1e-9;

/// Derivatives of the forms of the adjoint problems' and the solution's currents with
/// what wires, images and a real ground give: [adjoints][parameters].
std::vector<std::vector<Complex>> wire_gradients(
    const GradientInput& input, std::span<const std::vector<EndCurrents>> adjoints,
    std::span<const EndCurrents> solution) {
  const std::span<const Element> elements = input.discretization.elements();
  const double k = input.ports.k_rad_per_m();
  const auto& motions = input.varied.motions(input.run_index);
  const auto in = [&](const Medium& medium) {
    return ImpedanceForms{elements, adjoints, solution, k, input.kernel, medium};
  };
  const Ground& ground = input.run.ground;
  std::vector<std::vector<Complex>> sum = form_gradients(in(medium_of(ground)), motions);
  if (!ground.is_real()) return sum;
  if (ground.kind == Ground::Kind::coefficients) {
    const auto reflected = reflection_gradients(in(Medium::free_space()),
                                                reflecting_surface(ground, k), motions);
    for (std::size_t a = 0; a < sum.size(); ++a)
      for (std::size_t v = 0; v < motions.size(); ++v) sum[a][v] += reflected[a][v];
    return sum;
  }
  // An image of strength C0, and the rest.
  const GroundTable table(ground.permittivity(k), reflection_places(elements, {k, k, 1}),
                          GroundSide::above, {table_error});
  const Complex c0 = image_strength(table.eps());
  const auto over_conductor = form_gradients(in(Medium::perfect_ground()), motions),
             rest = reflection_gradients(in(Medium::free_space()),
                                         {k, table.eps(), table.view()}, motions);
  for (std::size_t a = 0; a < sum.size(); ++a)
    for (std::size_t v = 0; v < motions.size(); ++v)
      sum[a][v] += c0 * (over_conductor[a][v] - sum[a][v]) + rest[a][v];
  return sum;
}

/// The adjoint problems of a run, and what the forms of all of them change by.
class Adjoints {
 public:
  Adjoints(const GradientInput& input, std::vector<PortSolution> adjoints)
      : input_(input),
        k_(input.ports.k_rad_per_m()),
        circuit_(input.solver.circuit()),
        adjoints_(std::move(adjoints)) {
    std::vector<std::vector<EndCurrents>> currents;
    for (const PortSolution& adjoint : adjoints_)
      currents.push_back(end_currents(input.discretization, adjoint.coefficients));
    const std::vector<EndCurrents> solution =
        end_currents(input.discretization, input.solution.coefficients);
    of_wires_ = wire_gradients(input, currents, solution);
  }

  /// Returns the derivative of h^T I of adjoint problem a by a parameter.
  Complex derivative(std::size_t a, std::size_t parameter) const {
    const VariedStructures::Pair pair = input_.varied.of(parameter, input_.run_index);
    const auto form = [&](const Discretization& discretization, const Run& run) {
      return side_form(discretization, run, input_.frequency_hz, k_, adjoints_[a],
                       input_.solution);
    };
    return (form(pair.more, pair.run_more) - form(pair.less, pair.run_less)) /
               (2 * pair.step) +
           circuit_.network_derivative(adjoints_[a].at_ports, input_.solution.at_ports,
                                       pair.run_less.networks, pair.run_more.networks,
                                       pair.step) -
           of_wires_[a][parameter];
  }

 private:
  const GradientInput& input_;
  double k_;
  Circuit circuit_;
  std::vector<PortSolution> adjoints_;
  std::vector<std::vector<Complex>> of_wires_;
};

}  // namespace

RunGradients run_gradients(const GradientInput& input,
                           std::span<const Direction> directions,
                           const RhsSolver& solve) {
  const double k = input.ports.k_rad_per_m();
  const std::size_t sources = input.ports.sources().size(),
                    parameters = input.varied.size();
  std::vector<PortSolution> adjoints;
  for (std::size_t s = 0; s < sources; ++s)
    adjoints.push_back(input.solver.unit_drive(s));
  std::vector<FarField> fields;
  if (!directions.empty()) {
    fields = far_fields(input, input.discretization, input.run,
                        input.solution.coefficients, directions);
    const IncidentField incident(input.discretization, k, input.kernel, input.run.ground);
    std::vector<std::vector<Complex>> rhs;
    for (std::size_t d = 0; d < directions.size(); ++d)
      rhs.push_back(incident.excitation(directions[d], std::conj(fields[d].theta),
                                        std::conj(fields[d].phi)));
    for (const std::vector<Complex>& shorted : solve(rhs))
      adjoints.push_back(input.solver.undriven(shorted));
  }
  const Adjoints of(input, std::move(adjoints));

  RunGradients gradients;
  for (std::size_t v = 0; v < parameters; ++v)
    for (std::size_t s = 0; s < sources; ++s) {
      const PortResult& port = input.solution.ports[s];
      // dZ = -Z dI / I at a source of voltage, dV / I at one of current, which is driven
      // the other way round.
      const Complex factor = input.ports.sources()[s].current_a
                                 ? -1.0 / port.current_a
                                 : -port.impedance_ohm / port.current_a;
      gradients.impedance_ohm.push_back(factor * of.derivative(s, v));
    }

  double input_power_w = 0;
  for (const PortResult& port : input.solution.ports) input_power_w += port.power_w;
  const std::vector<double> power_derivative =
      power_derivatives(input, gradients.impedance_ohm);
  for (const FarField& field : fields) {
    const double intensity =
        (std::norm(field.theta) + std::norm(field.phi)) / (2 * eta0_ohm);
    gradients.gain.push_back({10 * std::log10(4 * pi * intensity / input_power_w),
                              std::vector<double>(parameters)});
  }
  for (std::size_t v = 0; v < parameters && !directions.empty(); ++v) {
    const VariedStructures::Pair pair = input.varied.of(v, input.run_index);
    const std::vector<Complex> moved = moved_coefficients(input, v);
    const auto seen = [&](const Discretization& discretization, const Run& run) {
      return far_fields(input, discretization, run, moved, directions);
    };
    const std::vector<FarField> more = seen(pair.more, pair.run_more),
                                less = seen(pair.less, pair.run_less);
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const FarField& field = fields[d];
      // An ampere along a metre sends -j k eta / 4 pi times what it receives of 1 V/m.
      const Complex of_currents =
          Complex(0, -k * eta0_ohm / (4 * pi)) * of.derivative(sources + d, v);
      const Complex of_places =
          (std::conj(field.theta) * (more[d].theta - less[d].theta) +
           std::conj(field.phi) * (more[d].phi - less[d].phi)) /
          (2 * pair.step);
      const double strength = std::norm(field.theta) + std::norm(field.phi);
      gradients.gain[d].derivative_db[v] =
          10 / std::log(10.0) *
          (2 * (of_currents + of_places).real() / strength -
           power_derivative[v] / input_power_w);
    }
  }
  return gradients;
}

}  // namespace thinwire
