#include "io/result/hdf5_ports.h"

#include <algorithm>
#include <string>
#include <vector>

#include "io/result/hdf5_axes.h"
#include "kernels/base/constants.h"
#include "mom/problem/reflection.h"

namespace thinwire {
namespace {

/// Which ports there are over all runs: one column each.
struct PortColumns {
  std::vector<std::size_t> segment_index;
  std::vector<std::int64_t> tag, segment;

  explicit PortColumns(
      const Solution& solution,
      std::vector<PortResult> FrequencyResult::*ports = &FrequencyResult::ports) {
    for (const FrequencyResult& result : solution.frequencies)
      for (const PortResult& port : result.*ports)
        if (std::find(segment_index.begin(), segment_index.end(), port.segment_index) ==
            segment_index.end()) {
          segment_index.push_back(port.segment_index);
          tag.push_back(port.tag);
          segment.push_back(port.segment);
        }
  }
  std::size_t size() const { return tag.size(); }
  std::size_t column(const PortResult& port) const {
    return static_cast<std::size_t>(
        std::find(segment_index.begin(), segment_index.end(), port.segment_index) -
        segment_index.begin());
  }
};

void write_fed_ports(Hdf5Writer& out, const Solution& solution, double reference_ohm) {
  const PortColumns columns(solution);
  const std::size_t frequencies = solution.frequencies.size(), ports = columns.size();
  if (ports == 0) return;
  const std::size_t count = frequencies * ports;
  std::vector<Complex> voltage(count, {nan, nan}), current(voltage), impedance(voltage),
      reflected(voltage);
  std::vector<double> power(count, nan);
  for (std::size_t f = 0; f < frequencies; ++f)
    for (const PortResult& port : solution.frequencies[f].ports) {
      const std::size_t at = f * ports + columns.column(port);
      voltage[at] = port.voltage_v;
      current[at] = port.current_a;
      impedance[at] = port.impedance_ohm;
      reflected[at] = reflection(port.impedance_ohm, reference_ohm);
      power[at] = port.power_w;
    }
  out.counting_axis(hdf5_axes::port, ports, 1, "port, from 1");
  out.dataset("/port/tag", columns.tag, {hdf5_axes::port},
              {"1", "tag of the fed segment"});
  out.dataset("/port/segment", columns.segment, {hdf5_axes::port},
              {"1", "number of the fed segment within its tag, from 1"});
  out.attribute("/port", "reference_impedance_ohm", reference_ohm);
  const Axes axes{hdf5_axes::frequency, hdf5_axes::port};
  out.dataset("/port/voltage_v", voltage, axes, {"V", "port voltage, peak"});
  out.dataset("/port/current_a", current, axes, {"A", "port current, peak"});
  out.dataset("/port/impedance_ohm", impedance, axes, {"ohm", "input impedance"});
  out.dataset("/port/reflection", reflected, axes,
              {"1", "reflection coefficient at the reference impedance"});
  out.dataset("/port/power_w", power, axes, {"W", "power into the port"});
}

/// /port/impedance_matrix_ohm [F, P, P], where at least one frequency has it.
void write_port_matrix(Hdf5Writer& out, const Solution& solution) {
  const PortColumns columns(solution);
  const std::size_t ports = columns.size();
  const auto& all = solution.frequencies;
  if (std::all_of(all.begin(), all.end(),
                  [](auto& r) { return r.port_impedance_ohm.empty(); }))
    return;
  std::vector<Complex> values(all.size() * ports * ports, {nan, nan});
  for (std::size_t f = 0; f < all.size(); ++f) {
    const FrequencyResult& result = all[f];
    if (result.port_impedance_ohm.empty()) continue;
    for (std::size_t p = 0; p < result.ports.size(); ++p)
      for (std::size_t q = 0; q < result.ports.size(); ++q)
        values[(f * ports + columns.column(result.ports[p])) * ports +
               columns.column(result.ports[q])] =
            result.port_impedance_ohm[p * result.ports.size() + q];
  }
  // A dimension cannot stand twice in one netCDF variable, hence the second axis.
  out.counting_axis("/fed_port_number", ports, 1, "port that carries the current");
  out.dataset("/port/impedance_matrix_ohm", values,
              {hdf5_axes::frequency, hdf5_axes::port, "/fed_port_number"},
              {"ohm", "open-circuit impedance matrix between the ports"});
}

/// /port/impedance_derivative_ohm [F, P, V], where Problem::parameters are.
void write_port_derivatives(Hdf5Writer& out, const Problem& problem,
                            const Solution& solution) {
  const std::size_t parameters = problem.parameters.size();
  if (parameters == 0) return;
  std::vector<std::string> names;
  std::vector<double> values;
  for (const Parameter& parameter : problem.parameters) {
    names.push_back(parameter.name);
    values.push_back(parameter.value);
  }
  out.axis("/parameter", names, "symbol of the deck that impedances are derived by");
  out.dataset("/port/parameter_value", values, {"/parameter"}, {"1", "its value"});
  const PortColumns columns(solution);
  const std::size_t ports = columns.size();
  if (ports == 0) return;
  const auto& all = solution.frequencies;
  std::vector<Complex> derivatives(all.size() * ports * parameters, {nan, nan});
  for (std::size_t f = 0; f < all.size(); ++f)
    for (std::size_t p = 0; p < all[f].ports.size(); ++p)
      for (std::size_t v = 0; v < parameters; ++v)
        derivatives[(f * ports + columns.column(all[f].ports[p])) * parameters + v] =
            all[f].impedance_derivative_ohm[v * all[f].ports.size() + p];
  out.dataset("/port/impedance_derivative_ohm", derivatives,
              {hdf5_axes::frequency, hdf5_axes::port, "/parameter"},
              {"ohm", "derivative of the input impedance, for each unit of the symbol"});
}

/// Where networks connect, as the ports: [F, C]; NaN where a run has none there.
void write_networks(Hdf5Writer& out, const Solution& solution) {
  const PortColumns columns(solution, &FrequencyResult::network_ports);
  const std::size_t connections = columns.size();
  if (connections == 0) return;
  std::vector<Complex> voltage(solution.frequencies.size() * connections, {nan, nan}),
      current(voltage);
  for (std::size_t f = 0; f < solution.frequencies.size(); ++f)
    for (const PortResult& port : solution.frequencies[f].network_ports) {
      const std::size_t at = f * connections + columns.column(port);
      voltage[at] = port.voltage_v;
      current[at] = port.current_a;
    }
  const std::string number = "/network/connection_number";
  out.counting_axis(number, connections, 1, "segment that networks connect to, from 1");
  out.dataset("/network/tag", columns.tag, {number}, {"1", "its tag"});
  out.dataset("/network/segment", columns.segment, {number},
              {"1", "its number within its tag, from 1"});
  out.dataset("/network/voltage_v", voltage, {hdf5_axes::frequency, number},
              {"V", "voltage there, peak"});
  out.dataset("/network/current_a", current, {hdf5_axes::frequency, number},
              {"A", "current of the antenna there, without the networks', peak"});
}

}  // namespace

void write_ports(Hdf5Writer& out, const Problem& problem, const Solution& solution,
                 double reference_ohm) {
  write_fed_ports(out, solution, reference_ohm);
  write_port_matrix(out, solution);
  write_port_derivatives(out, problem, solution);
  write_networks(out, solution);
}

}  // namespace thinwire
