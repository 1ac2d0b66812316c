#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/constants.h"
#include "mom/postprocess/polarization.h"
#include "mom/postprocess/power.h"
#include "mom/problem/near_field_request.h"
#include "mom/problem/reflection.h"
#include "mom/problem/solution.h"

// The one description of a result: HDF5, JSON, the bytes of journals, the arrays of
// Python, the table and the schema in docs/reference follow from it. Each struct has a
// function
//
//     void describe(PortResult& port, auto& field);
//
// that passes every member to `field`, a visitor:
//
//     field(member, {...})       a member that is written to files
//     field(member)              a member that only journals keep
//     field.derived(f, {...})    f(FieldContext), computed for files
//
// A struct among the members is a record of its own, in JSON an object within that of its
// parent. To add a field, add the member and its line here. Include this in .cpp files
// only.
namespace thinwire {

/// Input of derived fields besides the result.
struct FieldContext {
  const Problem& problem;
  double reference_ohm = 50;
};

/// The description of a field.
struct Field {
  /// Which JSON documents have a field. Lists of numbers are `full` but for those along
  /// V.
  enum class Json {
    if_any,  ///< both, where it is not empty
    always,  ///< both
    full     ///< only that of --json full, where it is not empty
  };
  const char* name = nullptr;  ///< key in JSON; nullptr: none; "": into the parent
  /// Dataset in HDF5 and array in Python; nullptr: none. <k> counts patterns, near fields
  /// and couplings, <f> frequencies.
  const char* path = nullptr;
  const char* unit = "1";
  const char* long_name = "";
  /// Axes of the dataset, the last running fastest. F: frequencies of all runs, f: of one
  /// run; P: ports, Q: ports that carry a current; C: connections of networks; S:
  /// segments; V: parameters; T, A: theta and phi; K: pairs of segments; I: iterations;
  /// n1, n2, n3: coordinates of points.
  const char* axes = "";
  std::size_t row = 0;  ///< length of a list's last axis; 0: it has only one
  Json json = Json::if_any;
};

inline Field always(Field field) {
  field.json = Field::Json::always;
  return field;
}
inline Field full(Field field) {
  field.json = Field::Json::full;
  return field;
}

// Records that are made for the files.

/// A segment that networks connect to.
struct ConnectionFields : PortResult {};

/// The overlapping blocks of a preconditioner.
struct BoxFields {
  double cells = nan, overlap = nan;
  bool asked = false;
};

/// The strongest direction of a pattern; NaN where nothing is radiated.
struct PeakFields {
  double gain_max_dbi = nan, theta_deg = nan, phi_deg = nan, front_to_back_db = nan;
};

void describe(const Segment& segment, auto& field) {
  const auto xyz = [](Vec3 v) { return std::array{v.x, v.y, v.z}; };
  field.derived(
      [&](auto&) { return xyz(segment.start_m); },
      {"start_m", "/mesh/start_m", "m", "start of the segment, x y z", "S xyz"});
  field.derived([&](auto&) { return xyz(segment.end_m); },
                {"end_m", "/mesh/end_m", "m", "end of the segment, x y z", "S xyz"});
  field(segment.radius_m, {"radius_m", "/mesh/radius_m", "m", "wire radius", "S"});
  field(segment.tag, {"tag", "/mesh/tag", "1", "tag", "S"});
}

void describe(PortResult& port, auto& field) {
  field(port.tag, {"tag", "/port/tag", "1", "tag of the fed segment", "P"});
  field(port.segment, {"segment", "/port/segment", "1",
                       "number of the fed segment within its tag, from 1", "P"});
  field(port.segment_index);
  field(port.gap);
  field.derived([&](auto&) { return std::string(gap_name(port.gap)); },
                {"gap", nullptr, "1", "start or end of the segment, for a port there"});
  field.derived([&](auto&) { return static_cast<std::int64_t>(port.gap); },
                {nullptr, "/port/gap", "1",
                 "place on the fed segment: 0 all of it, 1 its start, 2 its end", "P"});
  field(port.voltage_v,
        {"voltage_v", "/port/voltage_v", "V", "port voltage, peak", "F P"});
  field(port.current_a,
        {"current_a", "/port/current_a", "A", "port current, peak", "F P"});
  field(port.impedance_ohm,
        {"impedance_ohm", "/port/impedance_ohm", "ohm", "input impedance", "F P"});
  field.derived(
      [&](auto& of) { return reflection(port.impedance_ohm, of.reference_ohm); },
      {"reflection", "/port/reflection", "1",
       "reflection coefficient at the reference impedance", "F P"});
  field(port.power_w, {"power_w", "/port/power_w", "W", "power into the port", "F P"});
}

void describe(ConnectionFields& connection, auto& field) {
  field(connection.tag, {"tag", "/network/tag", "1", "its tag", "C"});
  field(connection.segment,
        {"segment", "/network/segment", "1", "its number within its tag, from 1", "C"});
  field.derived([&](auto&) { return std::string(gap_name(connection.gap)); },
                {"gap", nullptr, "1", "start or end of the segment, for a gap there"});
  field.derived([&](auto&) { return static_cast<std::int64_t>(connection.gap); },
                {nullptr, "/network/gap", "1",
                 "place on it: 0 all of it, 1 its start, 2 its end", "C"});
  field(connection.voltage_v,
        {"voltage_v", "/network/voltage_v", "V", "voltage there, peak", "F C"});
  field(connection.current_a,
        {"current_a", "/network/current_a", "A",
         "current of the antenna there, without the networks', peak", "F C"});
}

void describe(IncidentWave& wave, auto& field) {
  field(wave.kind);
  field(wave.theta_deg, {"theta_deg", "/incident/theta_deg", "deg",
                         "angle from +z that the incident wave comes from", "F"});
  field(wave.phi_deg, {"phi_deg", "/incident/phi_deg", "deg",
                       "azimuth that the incident wave comes from", "F"});
  field(wave.eta_deg, {"eta_deg", "/incident/eta_deg", "deg",
                       "of its field's major axis, from theta towards phi", "F"});
  field(wave.axial_ratio);
}

void describe(PeakFields& peak, auto& field) {
  field(peak.gain_max_dbi, {"gain_max_dbi", nullptr, "dBi", "largest gain"});
  field(peak.theta_deg, {"theta_deg", nullptr, "deg", "its angle from +z"});
  field(peak.phi_deg, {"phi_deg", nullptr, "deg", "its azimuth from +x"});
  field(peak.front_to_back_db, {"front_to_back_db", nullptr, "dB",
                                "its ratio to the gain in the opposite direction"});
}

inline PeakFields peak_fields(const PatternResult& pattern) {
  const PatternPeak peak = pattern_peak(pattern);
  if (!(peak.gain_dbi > gain_floor_db)) return {};
  return {peak.gain_dbi, peak.theta_deg, peak.phi_deg,
          peak.front_to_back_db.value_or(nan)};
}

void describe(PatternResult& pattern, auto& field) {
  const std::size_t row = pattern.phi_deg.size();
  field(pattern.request);
  field.derived([&](auto&) { return peak_fields(pattern); }, {""});
  field(pattern.average_gain, always({"average_gain", "/pattern/<k>/average_gain", "1",
                                      "average gain over the grid; NaN where there is "
                                      "none",
                                      "f"}));
  field(pattern.theta_deg,
        {"grid_theta_deg", "/pattern/<k>/theta_deg", "deg", "angle from +z", "T"});
  field(pattern.phi_deg,
        {"grid_phi_deg", "/pattern/<k>/phi_deg", "deg", "azimuth from +x", "A"});
  field(pattern.e_theta_v, {"e_theta_v", "/pattern/<k>/e_theta_v", "V",
                            "r E_theta exp(jkr), peak", "f T A", row});
  field(pattern.e_phi_v,
        {"e_phi_v", "/pattern/<k>/e_phi_v", "V", "r E_phi exp(jkr), peak", "f T A", row});
  field(pattern.gain_dbi,
        {"gain_dbi", "/pattern/<k>/gain_dbi", "dBi",
         pattern.request.directive ? "directivity, total" : "gain, total", "f T A", row});
  field(pattern.reference_power_w,
        full({"reference_power_w", "/pattern/<k>/reference_power_w", "W",
              "power that the gains are relative to", "f"}));
  field(pattern.average_solid_angle_pi);
}

void describe(GainDerivatives& of, auto& field) {
  field(of.pattern, {"pattern", nullptr, "1", "index of the pattern, from 0"});
  field(of.theta_deg, {"theta_deg", "/pattern/<k>/gain_derivative_theta_deg", "deg",
                       "theta of the maximum, where derivatives are taken", "f"});
  field(of.phi_deg, {"phi_deg", "/pattern/<k>/gain_derivative_phi_deg", "deg",
                     "phi of the maximum, where derivatives are taken", "f"});
  field(of.gain_dbi, {"gain_dbi", nullptr, "dBi", "power gain there"});
  field(of.front_to_back_db,
        {"front_to_back_db", nullptr, "dB", "its ratio to that backwards"});
  field(of.gain_derivative_db,
        {"gain_derivatives_db", "/pattern/<k>/gain_derivative_db", "dB",
         "derivative of the power gain, for each unit of the symbol", "f V"});
  field(of.front_to_back_derivative_db,
        {"front_to_back_derivatives_db", "/pattern/<k>/front_to_back_derivative_db", "dB",
         "the same of its ratio to that backwards", "f V"});
}

inline std::vector<double> positions_m(const NearFieldRequest& request) {
  std::vector<double> all;
  for (const Vec3 p : near_field_points(request)) all.insert(all.end(), {p.x, p.y, p.z});
  return all;
}

inline const char* grid_name(NearFieldRequest::Grid grid) {
  constexpr const char* names[] = {"rectangular", "spherical", "near_ground"};
  return names[static_cast<std::size_t>(grid)];
}

void describe(NearFieldResult& near, auto& field) {
  field(near.request);
  field.derived([&](auto&) { return std::string(grid_name(near.request.grid)); },
                {"grid", nullptr, "1", "rectangular, spherical or near_ground"});
  field.derived([&](auto&) { return positions_m(near.request); },
                {"position_m", "/near_field/<k>/position_m", "m", "position, x y z",
                 "n3 n2 n1 xyz", 3});
  if (near.request.field == NearFieldRequest::Field::electric)
    field(near.field, {"e_v_per_m", "/near_field/<k>/e_v_per_m", "V/m",
                       "near electric field, peak, x y z", "f n3 n2 n1 xyz", 3});
  else
    field(near.field, {"h_a_per_m", "/near_field/<k>/h_a_per_m", "A/m",
                       "near magnetic field, peak, x y z", "f n3 n2 n1 xyz", 3});
}

void describe(CouplingResult& coupling, auto& field) {
  // Nothing follows from Linville's factor elsewhere.
  const auto if_coupled = [&](auto value) {
    const bool follows = coupling.linville >= 0 && coupling.linville <= 1;
    return follows ? std::optional(value) : std::nullopt;
  };
  const auto segment = [&](int end) {
    return static_cast<std::int64_t>(coupling.segment_index[end] + 1);
  };
  field(coupling.segment_index);
  field.derived(
      [&](auto&) {
        return std::array{segment(0), segment(1)};
      },
      {"segments", nullptr, "1", "the two segments, from 1"});
  field.derived([&](auto&) { return segment(0); }, {nullptr, "/coupling/<k>/from_segment",
                                                    "1", "first segment, from 1", "K"});
  field.derived([&](auto&) { return segment(1); }, {nullptr, "/coupling/<k>/to_segment",
                                                    "1", "second segment, from 1", "K"});
  field(coupling.linville,
        {nullptr, "/coupling/<k>/linville", "1", "Linville's factor", "f K"});
  field(coupling.coupling_db);
  field(coupling.load_ohm);
  field(coupling.input_ohm);
  field.derived([&](auto&) { return if_coupled(coupling.coupling_db); },
                {"coupling_db", "/coupling/<k>/coupling_db", "dB",
                 "most power that gets across; NaN unless 0 <= linville <= 1", "f K"});
  field.derived([&](auto&) { return if_coupled(coupling.load_ohm); },
                {"load_ohm", "/coupling/<k>/load_ohm", "ohm",
                 "load on the second segment then", "f K"});
  field.derived([&](auto&) { return if_coupled(coupling.input_ohm); },
                {"input_ohm", "/coupling/<k>/input_ohm", "ohm",
                 "impedance at the first one then", "f K"});
}

void describe(BoxFields& boxes, auto& field) {
  field(boxes.cells, {"cells", "/solver/box_cells", "1",
                      "side of overlapping blocks in cells; NaN for others", "F"});
  field(boxes.overlap,
        {"overlap", "/solver/box_overlap_cells", "1", "their overlap in cells", "F"});
  field(boxes.asked, {"asked", nullptr, "1", "true if --boxes gave it"});
}

void describe(SolverReport& solver, auto& field) {
  field(solver.name, always({"name", "/solver/name", "1", "linear solver", "F"}));
  field(solver.preconditioner,
        always({"preconditioner", "/solver/preconditioner", "1", "preconditioner", "F"}));
  field(solver.operator_name, always({"operator", "/solver/operator", "1",
                                      "how the impedance matrix was kept", "F"}));
  field(solver.iterations, {"iterations", "/solver/iterations", "1",
                            "iterations, 0 for a direct solver", "F"});
  field(solver.relative_residual,
        {"relative_residual", "/solver/relative_residual", "1",
         "true relative residual |V - Z I| / |V|, of many incident waves an upper bound "
         "of it; NaN where a fast sweep modelled",
         "F"});
  field(solver.converged, {"converged", "/solver/converged", "1",
                           "1 where the tolerance was reached", "F"});
  field(solver.boxes);
  field(solver.boxes_asked);
  field(solver.coarse_functions);
  field.derived(
      [&](auto&) {
        std::optional<BoxFields> boxes;
        if (solver.boxes)
          boxes = {solver.boxes->box, solver.boxes->overlap, solver.boxes_asked};
        return boxes;
      },
      {"boxes"});
  field.derived(
      [&](auto&) {
        return solver.boxes ? std::optional(solver.coarse_functions) : std::nullopt;
      },
      {"coarse_functions", "/solver/coarse_functions", "1",
       "functions of the coarse level beside the blocks; 0 for none", "F"});
  field(solver.operator_error,
        {"operator_error", "/solver/operator_error", "1",
         "estimated relative error of the impedance because of the operator Z', "
         "|I^T (Z - Z') I| / |V^T I|; NaN for a dense matrix",
         "F"});
  field(solver.operator_error_spread,
        {"operator_error_spread", "/solver/operator_error_spread", "1",
         "standard error of operator_error, which is estimated from rows of Z; NaN for a "
         "dense matrix",
         "F"});
  field(solver.why, {"why", "/solver/why", "1", "how the solver was chosen", "F"});
  field(solver.model_error,
        {"model_error", "/solver/model_error", "1",
         "estimated relative error of the currents where a fast sweep modelled them; NaN "
         "where solved",
         "F"});
  field(solver.residual_history,
        {"residual_history", "/solver/residual_history/<f>", "1",
         "relative residual at each iteration, of the last right-hand side", "I"});
  field(solver.impedance_history_ohm,
        {"impedance_history_ohm", "/solver/impedance_history_ohm/<f>", "ohm",
         "input impedance of a single port at each iteration; NaN where unknown", "I"});
}

inline std::vector<ConnectionFields> connection_fields(const FrequencyResult& result) {
  std::vector<ConnectionFields> all;
  for (const PortResult& port : result.network_ports) all.push_back({port});
  return all;
}

void describe(FrequencyResult& result, auto& field) {
  const std::size_t ports = result.ports.size();
  field(result.frequency_hz, {"frequency_hz", "/frequency_hz", "Hz", "frequency", "F"});
  field(result.run, {"run", "/run_index", "1", "execute group of the deck, from 0", "F"});
  field(result.ports, always({"ports"}));
  field(result.input_power_w,
        {"input_power_w", "/power/input_w", "W", "power into all ports", "F"});
  field(
      result.impedance_derivative_ohm,
      {"impedance_derivatives_ohm", "/port/impedance_derivative_ohm", "ohm",
       "derivative of the input impedance, for each unit of the symbol", "F P V", ports});
  field(result.gain_derivatives, {"gain_derivatives"});
  field(result.wave, {"wave"});
  field(result.network_ports);
  field.derived([&](auto&) { return connection_fields(result); },
                {"network_connections"});
  field(result.radiated_power_w,
        {"radiated_power_w", "/power/radiated_w", "W",
         "power through the far sphere; NaN where not computed", "F"});
  field(result.loss_power_w, {"loss_power_w", "/power/loss_w", "W",
                              "power lost in loads and conductors", "F"});
  field(result.network_loss_w,
        {"network_loss_w", "/power/network_loss_w", "W", "power lost in networks", "F"});
  field.derived([&](auto&) { return efficiency(result); },
                {"efficiency", "/power/efficiency", "1",
                 "radiated over input power; NaN where not computed", "F"});
  field.derived([&](auto&) { return power_balance(result); },
                {"power_balance", "/power/balance", "1",
                 "radiated power and losses over input power: 1 if exact", "F"});
  field.derived(
      [&](auto& of) -> std::optional<double> {
        const std::optional<double> balance = power_balance(result);
        if (!balance || !of.problem.runs.at(result.run).ground.is_real()) return {};
        return result.input_power_w * (1 - *balance);
      },
      {"ground_power_w", nullptr, "W",
       "power that is neither radiated nor lost in wires: it goes into the ground"});
  field(result.port_impedance_ohm,
        {"port_impedance_ohm", "/port/impedance_matrix_ohm", "ohm",
         "open-circuit impedance matrix between the ports", "F P Q", ports});
  field(result.coefficients_a);
  field(result.segment_current_a,
        {"segment_current_a", "/current/segment_current_a", "A",
         "current at the segment centre, peak, start to end", "F S"});
  field(result.segment_charge_c_per_m,
        {"segment_charge_c_per_m", "/current/segment_charge_c_per_m", "C/m",
         "charge per length at the segment centre, peak", "F S"});
  field(result.patterns, {"patterns"});
  field(result.near_fields, full({"near_fields"}));
  field(result.couplings, {"couplings"});
  field(result.solver, {"solver"});
}

}  // namespace thinwire
