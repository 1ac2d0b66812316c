#include "io/result/write_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "mom/postprocess/polarization.h"
#include "mom/postprocess/power.h"
#include "mom/problem/reflection.h"
#include "mom/problem/stages.h"

namespace thinwire {
namespace {

// Keys stay in the order in which a reader of the document expects them.
using OrderedJson = nlohmann::ordered_json;

OrderedJson number(double value) {
  return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr);
}

OrderedJson pair(Complex value) {
  return OrderedJson::array({number(value.real()), number(value.imag())});
}

OrderedJson port_json(const PortResult& port, double reference_ohm) {
  return {{"tag", port.tag},
          {"segment", port.segment},
          {"voltage_v", pair(port.voltage_v)},
          {"current_a", pair(port.current_a)},
          {"impedance_ohm", pair(port.impedance_ohm)},
          {"reflection", pair(reflection(port.impedance_ohm, reference_ohm))},
          {"power_w", number(port.power_w)}};
}

OrderedJson pattern_json(const PatternResult& pattern) {
  const PatternPeak peak = pattern_peak(pattern);
  const auto or_null = [](std::optional<double> value) {
    return value ? number(*value) : OrderedJson(nullptr);
  };
  if (!(peak.gain_dbi > gain_floor_db))
    return {{"gain_max_dbi", nullptr},
            {"theta_deg", nullptr},
            {"phi_deg", nullptr},
            {"front_to_back_db", nullptr},
            {"average_gain", or_null(pattern.average_gain)}};
  return {{"gain_max_dbi", number(peak.gain_dbi)},
          {"theta_deg", number(peak.theta_deg)},
          {"phi_deg", number(peak.phi_deg)},
          {"front_to_back_db", or_null(peak.front_to_back_db)},
          {"average_gain", or_null(pattern.average_gain)}};
}

OrderedJson boxes_json(BoxSize boxes, bool asked) {
  return {
      {"cells", number(boxes.box)}, {"overlap", number(boxes.overlap)}, {"asked", asked}};
}

OrderedJson solver_json(const SolverReport& solver) {
  OrderedJson json = {{"name", solver.name},
                      {"preconditioner", solver.preconditioner},
                      {"operator", solver.operator_name},
                      {"iterations", solver.iterations},
                      {"relative_residual", number(solver.relative_residual)},
                      {"converged", solver.converged}};
  if (solver.boxes) {
    json["boxes"] = boxes_json(*solver.boxes, solver.boxes_asked);
    json["coarse_functions"] = solver.coarse_functions;
  }
  if (solver.operator_error) json["operator_error"] = number(*solver.operator_error);
  if (!solver.why.empty()) json["why"] = solver.why;
  if (solver.model_error) json["model_error"] = number(*solver.model_error);
  return json;
}

/// Segments are counted from 1 over the whole structure; no numbers follow where the
/// coupling is not between 0 and 1.
OrderedJson coupling_json(const CouplingResult& coupling) {
  OrderedJson json = {
      {"segments", {coupling.segment_index[0] + 1, coupling.segment_index[1] + 1}}};
  if (coupling.linville >= 0 && coupling.linville <= 1) {
    json["coupling_db"] = number(coupling.coupling_db);
    json["load_ohm"] = pair(coupling.load_ohm);
    json["input_ohm"] = pair(coupling.input_ohm);
  }
  return json;
}

/// Returns the derivatives of the ports' impedances by each parameter.
OrderedJson derivatives_json(const Problem& problem, const FrequencyResult& result) {
  OrderedJson json = OrderedJson::object();
  const std::size_t ports = result.ports.size();
  for (std::size_t v = 0; v < problem.parameters.size(); ++v) {
    OrderedJson& derivatives = json[problem.parameters[v].name] = OrderedJson::array();
    for (std::size_t p = 0; p < ports; ++p)
      derivatives.push_back(pair(result.impedance_derivative_ohm[v * ports + p]));
  }
  return json;
}

OrderedJson gain_derivatives_json(const Problem& problem, const GainDerivatives& gain) {
  const auto derivatives = [&](const std::vector<double>& of_parameters) {
    OrderedJson json = OrderedJson::object();
    for (std::size_t v = 0; v < problem.parameters.size(); ++v)
      json[problem.parameters[v].name] = number(of_parameters[v]);
    return json;
  };
  return {
      {"pattern", gain.pattern},
      {"theta_deg", number(gain.theta_deg)},
      {"phi_deg", number(gain.phi_deg)},
      {"gain_dbi", number(gain.gain_dbi)},
      {"front_to_back_db", number(gain.front_to_back_db)},
      {"gain_derivatives_db", derivatives(gain.gain_derivative_db)},
      {"front_to_back_derivatives_db", derivatives(gain.front_to_back_derivative_db)}};
}

OrderedJson frequency_json(const Problem& problem, const FrequencyResult& result,
                           double reference_ohm) {
  // Power that is neither radiated nor lost in wires goes into the ground.
  const bool over_real_ground = problem.runs.at(result.run).ground.is_real();
  OrderedJson ports = OrderedJson::array();
  for (const PortResult& port : result.ports)
    ports.push_back(port_json(port, reference_ohm));
  OrderedJson json = {{"frequency_hz", number(result.frequency_hz)},
                      {"run", result.run},
                      {"ports", std::move(ports)},
                      {"input_power_w", number(result.input_power_w)}};
  if (!result.impedance_derivative_ohm.empty())
    json["impedance_derivatives_ohm"] = derivatives_json(problem, result);
  for (const GainDerivatives& gain : result.gain_derivatives)
    json["gain_derivatives"].push_back(gain_derivatives_json(problem, gain));
  if (result.wave)
    json["wave"] = {{"theta_deg", number(result.wave->theta_deg)},
                    {"phi_deg", number(result.wave->phi_deg)},
                    {"eta_deg", number(result.wave->eta_deg)}};
  if (!result.network_ports.empty()) {
    json["network_connections"] = OrderedJson::array();
    for (const PortResult& port : result.network_ports)
      json["network_connections"].push_back({{"tag", port.tag},
                                             {"segment", port.segment},
                                             {"voltage_v", pair(port.voltage_v)},
                                             {"current_a", pair(port.current_a)}});
  }
  if (result.radiated_power_w)
    json["radiated_power_w"] = number(*result.radiated_power_w);
  json["loss_power_w"] = number(result.loss_power_w);
  json["network_loss_w"] = number(result.network_loss_w);
  if (const auto radiated = efficiency(result)) {
    json["efficiency"] = number(*radiated);
    json["power_balance"] = number(*power_balance(result));
    if (over_real_ground)
      json["ground_power_w"] =
          number(result.input_power_w * (1 - *power_balance(result)));
  }
  if (!result.patterns.empty()) {
    json["patterns"] = OrderedJson::array();
    for (const PatternResult& pattern : result.patterns)
      json["patterns"].push_back(pattern_json(pattern));
  }
  if (!result.couplings.empty()) {
    json["couplings"] = OrderedJson::array();
    for (const CouplingResult& coupling : result.couplings)
      json["couplings"].push_back(coupling_json(coupling));
  }
  json["solver"] = solver_json(result.solver);
  return json;
}

std::string text(const OrderedJson& json) {
  // A deck in another encoding than UTF-8 must not break the document.
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace

std::string solution_json(const Problem& problem, const Solution& solution,
                          double reference_ohm) {
  OrderedJson frequencies = OrderedJson::array();
  for (const FrequencyResult& result : solution.frequencies)
    frequencies.push_back(frequency_json(problem, result, reference_ohm));
  OrderedJson timings;
  for (const Stage& stage : stages_of(solution.timings_s))
    timings[std::string(stage.name)] = number(stage.seconds);
  return text({{"format", "thinwire-solution"},
               {"version", 1},
               {"deck", problem.name},
               {"segments", solution.segments},
               {"unknowns", solution.unknowns},
               {"device", solution.device},
               {"reference_impedance_ohm", reference_ohm},
               {"warnings", solution.warnings},
               {"frequencies", std::move(frequencies)},
               {"timings_s", std::move(timings)}});
}

std::string plan_json(const Problem& problem, const Plan& plan) {
  OrderedJson json = {{"format", "thinwire-plan"},
                      {"version", 1},
                      {"deck", problem.name},
                      {"segments", plan.segments},
                      {"mesh_elements", plan.mesh_elements},
                      {"unknowns", plan.unknowns},
                      {"matrix_bytes", plan.matrix_bytes},
                      {"total_bytes", plan.total_bytes},
                      {"host_bytes", plan.host_bytes},
                      {"device_bytes", plan.device_bytes},
                      {"ranks", plan.ranks},
                      {"fits", plan.shortage.empty()},
                      {"device", plan.device},
                      {"solver", plan.solver},
                      {"preconditioner", plan.preconditioner},
                      {"operator", plan.operator_name},
                      {"why", plan.why},
                      {"blocks", plan.blocks},
                      {"block_inverses", plan.block_inverses},
                      {"block_bytes", plan.block_bytes},
                      {"ground_table_bytes", plan.ground_table_bytes},
                      {"ground_table_seconds", number(plan.ground_table_seconds)},
                      {"predicted_iterations", number(plan.predicted_iterations)},
                      {"predicted_seconds", number(plan.predicted_seconds)}};
  if (plan.saved_bytes > 0) json["saved_matrix_bytes"] = plan.saved_bytes;
  if (plan.blocks > 0) {
    json["boxes"] = boxes_json(plan.boxes, plan.boxes_asked);
    json["coarse_functions"] = plan.coarse_functions;
  }
  if (plan.buried.elements > 0)
    json["in_ground"] = {
        {"elements", plan.buried.elements},
        {"frequency_hz", number(plan.buried.frequency_hz)},
        {"k_rad_per_m", number(plan.buried.k_rad_per_m)},
        {"longest_wavelengths", number(plan.buried.longest_wavelengths)}};
  if (plan.lattice_antennas > 0)
    json["lattice"] = {{"antennas", plan.lattice_antennas},
                       {"places", plan.lattice_places},
                       {"displacements", plan.lattice_displacements()}};
  if (plan.grid)
    json["grid"] = {{"nodes", plan.grid->grid.size},
                    {"spacing_m", number(plan.grid->spacing_m)},
                    {"near_radius_m", number(plan.grid->near_radius_m)},
                    {"near_entries_per_row", number(plan.grid->near_entries_per_row)},
                    {"class", number(plan.grid->grid_class.tolerance)},
                    {"bytes", number(plan.grid->bytes)},
                    {"seconds_per_product", number(plan.grid->seconds_per_product)}};
  return text(json);
}

}  // namespace thinwire
