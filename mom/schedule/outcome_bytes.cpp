#include "mom/schedule/outcome_bytes.h"

#include "mom/schedule/byte_archive.h"

namespace thinwire {

static void members(Warning& of, const auto& use) {
  auto& [text, about] = of;
  use(text, about);
}
static void members(GainDerivatives& of, const auto& use) {
  auto& [pattern, theta, phi, gain, front_to_back, gain_derivative,
         front_to_back_derivative] = of;
  use(pattern, theta, phi, gain, front_to_back, gain_derivative,
      front_to_back_derivative);
}
static void members(PatternResult& of, const auto& use) {
  auto& [request, theta, phi, e_theta, e_phi, gain, reference, average, angle] = of;
  use(request, theta, phi, e_theta, e_phi, gain, reference, average, angle);
}
static void members(NearFieldResult& of, const auto& use) {
  auto& [request, field] = of;
  use(request, field);
}
static void members(SolverReport& of, const auto& use) {
  auto& [name, preconditioner, boxes, boxes_asked, coarse_functions, operator_name,
         operator_error, why, iterations, residual, converged, history, model_error] = of;
  use(name, preconditioner, boxes, boxes_asked, coarse_functions, operator_name,
      operator_error, why, iterations, residual, converged, history, model_error);
}
static void members(FrequencyResult& of, const auto& use) {
  auto& [run, frequency_hz, wave, ports, network_ports, port_impedance,
         impedance_derivative, gain_derivatives, coefficients, currents, charges,
         patterns, near_fields, couplings, input_power, loss_power, network_loss,
         radiated_power, solver] = of;
  use(run, frequency_hz, wave, ports, network_ports, port_impedance, impedance_derivative,
      gain_derivatives, coefficients, currents, charges, patterns, near_fields, couplings,
      input_power, loss_power, network_loss, radiated_power, solver);
}
static void members(FrequencyOutcome& of, const auto& use) {
  auto& [results, warnings, stored, timings] = of;
  use(results, warnings, timings);
}

std::string outcome_bytes(const FrequencyOutcome& outcome) {
  return to_bytes(outcome);
}

FrequencyOutcome outcome_of(std::string_view bytes) {
  return from_bytes<FrequencyOutcome>(bytes);
}

}  // namespace thinwire
