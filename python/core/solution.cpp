#include <array>
#include <cmath>
#include <string>
#include <type_traits>

#include "io/result/write_hdf5.h"
#include "io/result/write_json.h"
#include "kernels/base/constants.h"
#include "mom/postprocess/power.h"
#include "mom/problem/stages.h"
#include "python/core/core.h"

namespace thinwire::python {
namespace {

using Self = nb::pointer_and_handle<Solved>;

template <class T>
constexpr T absent() {
  if constexpr (std::is_same_v<T, Complex>)
    return {nan, nan};
  else
    return static_cast<T>(nan);
}

/// One number for each frequency.
template <class T, class Function>
nb::object per_frequency(const Solved& self, Function of_result) {
  std::vector<T> values;
  for (const FrequencyResult& result : self.solution.frequencies)
    values.push_back(of_result(result));
  return array_from(std::move(values));
}

/// A vector of each frequency as a row: a view of the solution where there is one
/// frequency alone, else put together. Missing rows are NaN.
nb::object rows(Self self, std::vector<Complex> FrequencyResult::*member) {
  const auto& all = self.p->solution.frequencies;
  std::size_t width = 0;
  for (const FrequencyResult& result : all)
    width = std::max(width, (result.*member).size());
  if (all.size() == 1) {
    const std::vector<Complex>& only = all.front().*member;
    return view_of(only.data(), {1, width}, self.h);
  }
  std::vector<Complex> values;
  values.reserve(all.size() * width);
  for (std::size_t f = 0; f < all.size(); ++f) {
    const std::vector<Complex>& row = all[f].*member;
    values.insert(values.end(), row.begin(), row.end());
    values.resize((f + 1) * width, absent<Complex>());
  }
  return array_from(std::move(values), {all.size(), width});
}

/// The segments that are fed, over all runs, in the order in which they first appear: the
/// ports.
std::vector<const PortResult*> ports_of(const Solved& self) {
  std::vector<const PortResult*> ports;
  for (const FrequencyResult& result : self.solution.frequencies)
    for (const PortResult& port : result.ports)
      if (std::none_of(ports.begin(), ports.end(), [&port](const PortResult* known) {
            return known->segment_index == port.segment_index;
          }))
        ports.push_back(&port);
  return ports;
}

std::size_t index_in(const std::vector<const PortResult*>& ports,
                     const PortResult& port) {
  std::size_t index = 0;
  while (ports[index]->segment_index != port.segment_index) ++index;
  return index;
}

/// A number of each port, [F, P]; NaN where a run does not feed it.
template <class T>
nb::object per_port(const Solved& self, T PortResult::*member) {
  const std::vector<const PortResult*> ports = ports_of(self);
  const auto& all = self.solution.frequencies;
  std::vector<T> values(all.size() * ports.size(), absent<T>());
  for (std::size_t f = 0; f < all.size(); ++f)
    for (const PortResult& port : all[f].ports)
      values[f * ports.size() + index_in(ports, port)] = port.*member;
  return array_from(std::move(values), {all.size(), ports.size()});
}

std::vector<std::string> parameters(const Solved& self) {
  std::vector<std::string> names;
  for (const Parameter& parameter : self.problem().parameters)
    names.push_back(parameter.name);
  return names;
}

/// Returns the derivatives of the impedances by Problem::parameters, [F, P, V]; NaN where
/// a run does not feed the port.
nb::object impedance_derivatives(const Solved& self) {
  const std::vector<const PortResult*> ports = ports_of(self);
  const auto& all = self.solution.frequencies;
  const std::size_t count = self.problem().parameters.size();
  std::vector<Complex> values(all.size() * ports.size() * count, absent<Complex>());
  for (std::size_t f = 0; f < all.size(); ++f)
    for (std::size_t p = 0; p < all[f].ports.size(); ++p)
      for (std::size_t v = 0; v < count; ++v)
        values[(f * ports.size() + index_in(ports, all[f].ports[p])) * count + v] =
            all[f].impedance_derivative_ohm[v * all[f].ports.size() + p];
  return array_from(std::move(values), {all.size(), ports.size(), count});
}

/// [F, P, P], empty where it was not asked for.
nb::object port_matrix(const Solved& self) {
  const std::vector<const PortResult*> ports = ports_of(self);
  const std::size_t count = ports.size();
  const auto& all = self.solution.frequencies;
  if (!self.options.port_matrix)
    return array_from(std::vector<Complex>(), {0, count, count});
  std::vector<Complex> values(all.size() * count * count, absent<Complex>());
  for (std::size_t f = 0; f < all.size(); ++f) {
    const FrequencyResult& result = all[f];
    const std::size_t own = result.ports.size();
    if (result.port_impedance_ohm.empty()) continue;
    for (std::size_t p = 0; p < own; ++p)
      for (std::size_t q = 0; q < own; ++q)
        values[(f * count + index_in(ports, result.ports[p])) * count +
               index_in(ports, result.ports[q])] = result.port_impedance_ohm[p * own + q];
  }
  return array_from(std::move(values), {all.size(), count, count});
}

/// Where the ports are.
nb::object port_places(const Solved& self, bool tag) {
  std::vector<std::int64_t> values;
  for (const PortResult* port : ports_of(self))
    values.push_back(tag ? port->tag : port->segment);
  return array_from(std::move(values));
}

nb::object matrix(Self self) {
  const std::vector<Complex>& z = self.p->solution.impedance_matrix_ohm;
  const auto size =
      static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(z.size()))));
  return view_of(z.data(), {size, size}, self.h);
}

nb::dict timings(const Solved& self) {
  nb::dict stages;
  for (const Stage& stage : stages_of(self.solution.timings_s))
    stages[nb::str(stage.name.data(), stage.name.size())] = stage.seconds;
  return stages;
}

nb::list solver_reports(const Solved& self) {
  nb::list reports;
  for (const FrequencyResult& result : self.solution.frequencies) {
    const SolverReport& solver = result.solver;
    nb::dict report;
    report["name"] = solver.name;
    report["preconditioner"] = solver.preconditioner;
    report["operator"] = solver.operator_name;
    report["why"] = solver.why;
    report["iterations"] = solver.iterations;
    report["relative_residual"] = solver.relative_residual;
    report["converged"] = solver.converged;
    reports.append(report);
  }
  return reports;
}

}  // namespace

void bind_solution(nb::module_& m) {
  using Result = const FrequencyResult&;
  const auto number = [](auto of_result) {
    return [of_result](const Solved& self) {
      return per_frequency<double>(self, of_result);
    };
  };
  const auto wave = [number](double IncidentWave::*member) {
    return number([member](Result r) { return r.wave ? (*r.wave).*member : nan; });
  };
  const auto by_port = [](auto PortResult::*member) {
    return [member](const Solved& self) { return per_port(self, member); };
  };
  nb::class_<Solved>(m, "Solution")
      .def_prop_ro("problem",
                   [](const Solved& self) {
                     return std::const_pointer_cast<ReadProblem>(self.input);
                   })
      .def_prop_ro("unknowns", [](const Solved& self) { return self.solution.unknowns; })
      .def_prop_ro("device", [](const Solved& self) { return self.solution.device; })
      .def_prop_ro("z0", [](const Solved& self) { return self.options.reference_ohm; })
      .def_prop_ro("warnings", [](const Solved& self) { return self.solution.warnings; })
      .def_prop_ro("timings_s", &timings)
      .def_prop_ro("solver", &solver_reports)
      .def_prop_ro("frequency_hz", number([](Result r) { return r.frequency_hz; }))
      .def_prop_ro("run_index",
                   [](const Solved& self) {
                     return per_frequency<std::int64_t>(
                         self, [](Result r) { return static_cast<std::int64_t>(r.run); });
                   })
      .def_prop_ro("port_tag", [](const Solved& self) { return port_places(self, true); })
      .def_prop_ro("port_segment",
                   [](const Solved& self) { return port_places(self, false); })
      .def_prop_ro("voltage_v", by_port(&PortResult::voltage_v))
      .def_prop_ro("current_a", by_port(&PortResult::current_a))
      .def_prop_ro("impedance_ohm", by_port(&PortResult::impedance_ohm))
      .def_prop_ro("power_w", by_port(&PortResult::power_w))
      .def_prop_ro("parameters", &parameters)
      .def_prop_ro("impedance_derivative_ohm", &impedance_derivatives)
      .def_prop_ro("port_matrix_ohm", &port_matrix)
      .def_prop_ro(
          "segment_current_a",
          [](Self self) { return rows(self, &FrequencyResult::segment_current_a); })
      .def_prop_ro(
          "segment_charge_c_per_m",
          [](Self self) { return rows(self, &FrequencyResult::segment_charge_c_per_m); })
      .def_prop_ro("coefficients_a",
                   [](Self self) { return rows(self, &FrequencyResult::coefficients_a); })
      .def_prop_ro("matrix_ohm", &matrix)
      .def_prop_ro("input_power_w", number([](Result r) { return r.input_power_w; }))
      .def_prop_ro("radiated_power_w",
                   number([](Result r) { return r.radiated_power_w.value_or(nan); }))
      .def_prop_ro("loss_power_w", number([](Result r) { return r.loss_power_w; }))
      .def_prop_ro("network_loss_w", number([](Result r) { return r.network_loss_w; }))
      .def_prop_ro("efficiency",
                   number([](Result r) { return efficiency(r).value_or(nan); }))
      .def_prop_ro("has_waves",
                   [](const Solved& self) {
                     const auto& all = self.solution.frequencies;
                     return !all.empty() && all.front().wave.has_value();
                   })
      .def_prop_ro("wave_theta_deg", wave(&IncidentWave::theta_deg))
      .def_prop_ro("wave_phi_deg", wave(&IncidentWave::phi_deg))
      .def("json",
           [](const Solved& self) {
             return solution_json(self.problem(), self.solution,
                                  self.options.reference_ohm);
           })
      .def("save", [](const Solved& self, const std::string& path) {
        write_hdf5(path, self.problem(), self.options, self.solution,
                   "thinwire (Python)");
      });
}

}  // namespace thinwire::python
