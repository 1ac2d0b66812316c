#include "cli/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/bytes_text.h"
#include "kernels/base/constants.h"
#include "kernels/base/counted.h"
#include "mom/plan/plan.h"
#include "mom/postprocess/polarization.h"
#include "mom/problem/reflection.h"

namespace thinwire::cli {
namespace {

/// "5.39" or "-", right-aligned.
std::string cell(std::optional<double> value, int width) {
  return value ? fmt::format("{:>{}.2f}", *value, width)
               : fmt::format("{:>{}}", "-", width);
}

/// "85.02", or "-" where a port without current has no impedance; right-aligned.
std::string ohms(double value) {
  return std::isfinite(value) ? fmt::format(" {:>11.5g}", value)
                              : fmt::format(" {:>11}", "-");
}

std::optional<double> gain_max(const FrequencyResult& result) {
  std::optional<double> best;
  for (const PatternResult& pattern : result.patterns) {
    const double peak = pattern_peak(pattern).gain_dbi;
    if (!best || peak > *best) best = peak;
  }
  return best;
}

std::optional<double> average_gain(const FrequencyResult& result) {
  for (const PatternResult& pattern : result.patterns)
    if (pattern.request.average != 0 && pattern.average_gain) return pattern.average_gain;
  return std::nullopt;
}

/// A row for each incident wave: the segment that carries the strongest current.
std::string wave_table(const Problem& problem, const Solution& solution) {
  std::string out = fmt::format("{:>12} {:>10} {:>10} {:>14} {:>12}\n", "MHz",
                                "theta deg", "phi deg", "max current A", "tag/segment");
  for (const FrequencyResult& result : solution.frequencies) {
    if (!result.wave || result.segment_current_a.empty()) continue;
    const auto& current = result.segment_current_a;
    const auto strongest = std::max_element(
        current.begin(), current.end(),
        [](Complex a, Complex b) { return std::norm(a) < std::norm(b); });
    const auto segment = static_cast<std::size_t>(strongest - current.begin());
    out += fmt::format("{:>12.6g} {:>10.5g} {:>10.5g} {:>14.4e} {:>12}{}\n",
                       result.frequency_hz / 1e6, result.wave->theta_deg,
                       result.wave->phi_deg, std::abs(*strongest),
                       fmt::format("{}/{}", problem.structure.segments()[segment].tag,
                                   problem.structure.within_tag(segment)),
                       result.solver.converged ? "" : "  not converged");
  }
  return out;
}

/// A row for each pattern and parameter.
std::string gain_table(const Problem& problem, const Solution& solution) {
  std::string out;
  for (const FrequencyResult& result : solution.frequencies)
    for (const GainDerivatives& gain : result.gain_derivatives)
      for (std::size_t v = 0; v < problem.parameters.size(); ++v)
        out +=
            fmt::format("{:>12.6g} {:>12} {:>12} {:>12.6g} {:>13.6g} {:>13.6g}\n",
                        result.frequency_hz / 1e6,
                        fmt::format("{:.6g}/{:.6g}", gain.theta_deg, gain.phi_deg),
                        problem.parameters[v].name, problem.parameters[v].value,
                        gain.gain_derivative_db[v], gain.front_to_back_derivative_db[v]);
  if (out.empty()) return out;
  return fmt::format("\n{:>12} {:>12} {:>12} {:>12} {:>13} {:>13}\n", "MHz", "theta/phi",
                     "symbol", "value", "dgain dB/unit", "dF/B dB/unit") +
         out;
}

/// A row for each port and parameter.
std::string gradient_table(const Problem& problem, const Solution& solution) {
  if (problem.parameters.empty()) return "";
  std::string out =
      fmt::format("\n{:>12} {:>12} {:>12} {:>12} {:>13} {:>13}\n", "MHz", "tag/segment",
                  "symbol", "value", "dR ohm/unit", "dX ohm/unit");
  for (const FrequencyResult& result : solution.frequencies)
    for (std::size_t p = 0; p < result.ports.size(); ++p)
      for (std::size_t v = 0; v < problem.parameters.size(); ++v) {
        const Complex derivative =
            result.impedance_derivative_ohm[v * result.ports.size() + p];
        out += fmt::format("{:>12.6g} {:>12} {:>12} {:>12.6g} {:>13.6g} {:>13.6g}\n",
                           result.frequency_hz / 1e6, port_name(result.ports[p]),
                           problem.parameters[v].name, problem.parameters[v].value,
                           derivative.real(), derivative.imag());
      }
  return out + gain_table(problem, solution);
}

}  // namespace

std::string vswr_heading(double reference_ohm) {
  return fmt::format("VSWR {:.4g}", reference_ohm);
}

std::string vswr_text(Complex impedance_ohm, double reference_ohm) {
  const double ratio = vswr(reflection(impedance_ohm, reference_ohm));
  if (!std::isfinite(std::abs(impedance_ohm))) return "-";
  return ratio < 1000 ? fmt::format("{:.2f}", ratio) : ">1000";
}

std::string result_table(const Problem& problem, const Solution& solution,
                         double reference_ohm) {
  const auto& all = solution.frequencies;
  std::string waves;
  if (std::any_of(all.begin(), all.end(), [](auto& r) { return r.wave.has_value(); }))
    waves = wave_table(problem, solution);
  if (!waves.empty() &&
      std::all_of(all.begin(), all.end(), [](auto& r) { return r.ports.empty(); }))
    return waves;
  const bool patterns =
      std::any_of(all.begin(), all.end(), [](auto& r) { return !r.patterns.empty(); });
  const bool averages =
      std::any_of(all.begin(), all.end(), [](auto& r) { return average_gain(r); });
  const bool operators = std::any_of(all.begin(), all.end(), [](auto& r) {
    return r.solver.operator_error.has_value();
  });
  const bool runs = !all.empty() && all.back().run > 0;

  std::string out = fmt::format("{}{:>12} {:>12} {:>11} {:>11} {:>11} {:>9}",
                                runs ? "  run " : "", "MHz", "tag/segment", "R ohm",
                                "X ohm", "|Z| ohm", vswr_heading(reference_ohm));
  if (patterns) out += fmt::format(" {:>12}", "gain max dBi");
  if (averages) out += fmt::format(" {:>12}", "average gain");
  if (operators) out += fmt::format(" {:>14}", "operator error");
  out += '\n';
  for (const FrequencyResult& result : all)
    for (const PortResult& port : result.ports) {
      const Complex z = port.impedance_ohm;
      if (runs) out += fmt::format("{:>5} ", result.run);
      out += fmt::format("{:>12.6g} {:>12}", result.frequency_hz / 1e6, port_name(port));
      out += ohms(z.real()) + ohms(z.imag()) + ohms(std::abs(z));
      out += fmt::format(" {:>{}}", vswr_text(z, reference_ohm),
                         vswr_heading(reference_ohm).size() + 1);
      if (patterns) out += ' ' + cell(gain_max(result), 12);
      if (averages) {
        const auto average = average_gain(result);
        out +=
            average ? fmt::format(" {:>12.4f}", *average) : fmt::format(" {:>12}", "-");
      }
      if (operators)
        out += result.solver.operator_error
                   ? fmt::format(" {:>14.1e}", *result.solver.operator_error)
                   : fmt::format(" {:>14}", "-");
      if (!result.solver.converged) out += "  not converged";
      out += '\n';
    }
  const std::string modelled = modelled_summary(solution);
  return out + waves + modelled + (modelled.empty() ? "" : "\n") +
         gradient_table(problem, solution);
}

std::string seconds_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.2g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string buried_text(const BuriedWires& buried) {
  return fmt::format(
      "{}, up to {:.2g} wavelengths there at {:g} MHz (|k2| = {:.3g} rad/m, "
      "wavelength {:.3g} m)",
      counted(buried.elements, "element"), buried.longest_wavelengths,
      buried.frequency_hz * 1e-6, buried.k_rad_per_m, 2 * pi / buried.k_rad_per_m);
}

std::string plan_table(const Plan& plan) {
  std::string out;
  const auto row = [&](const char* name, const std::string& value) {
    out += fmt::format("{:<16}{}\n", name, value);
  };
  row("segments", fmt::format("{}", plan.segments));
  row("mesh elements", fmt::format("{}", plan.mesh_elements));
  if (plan.buried.elements > 0) row("in the ground", buried_text(plan.buried));
  row("unknowns", fmt::format("{}", plan.unknowns));
  if (plan.solver.ranks > 1)
    row("ranks", fmt::format("{}, memory is that of each", plan.solver.ranks));
  row("matrix", bytes_text(static_cast<double>(plan.matrix_bytes)));
  if (plan.saved_bytes > 0)
    row("matrix in file", bytes_text(static_cast<double>(plan.saved_bytes)));
  row("memory, host", bytes_text(static_cast<double>(plan.host_bytes)));
  if (plan.device_bytes > 0)
    row(plan.gpus.size() > 1 ? "memory per GPU" : "memory, GPU",
        bytes_text(static_cast<double>(plan.device_bytes)));
  if (plan.ground_table_bytes() > 0)
    row("ground table",
        fmt::format("{}, {} at the highest frequency",
                    bytes_text(static_cast<double>(plan.ground_table_bytes())),
                    seconds_text(plan.ground_table_seconds())));
  row("device", plan.device);
  row("operator", std::string(name_of(plan.solver.operator_choice)));
  if (plan.lattice_antennas > 0) {
    const auto& places = plan.lattice_places;
    row("lattice", fmt::format("{} x {} x {} places, {}, {}", places[0], places[1],
                               places[2], counted(plan.lattice_antennas, "antenna"),
                               counted(plan.lattice_displacements(), "displacement")));
  }
  if (plan.grid) {
    const auto& n = plan.grid->grid.size;
    row("grid",
        fmt::format("{} x {} x {} nodes, spacing {:.3g} m, class {:g}", n[0], n[1], n[2],
                    plan.grid->spacing_m, plan.grid->grid_class.tolerance));
    row("near field",
        fmt::format("radius {:.3g} m, about {:.0f} entries a row",
                    plan.grid->near_radius_m, plan.grid->near_entries_per_row));
    row("a product", seconds_text(plan.grid->seconds_per_product));
  }
  const SolverPlan& solver = plan.solver;
  row("solver", fmt::format("{}{}", name_of(solver.solver),
                            solver.why.empty() ? "" : " (" + solver.why + ")"));
  row("preconditioner", std::string(name_of(solver.preconditioner)));
  if (plan.solver.block_count > 0)
    row("blocks",
        fmt::format("{} of {:.3g} cells, overlap {:.3g}{}; {} different, {}",
                    plan.solver.block_count, plan.solver.boxes.box,
                    plan.solver.boxes.overlap, plan.boxes_asked ? " as asked" : "",
                    plan.solver.block_inverses,
                    bytes_text(static_cast<double>(plan.solver.block_bytes))));
  if (plan.solver.block_count > 0)
    row("coarse level", plan.solver.coarse_functions > 0
                            ? counted(plan.solver.coarse_functions, "function")
                            : std::string("none"));
  if (plan.predicted_iterations() > 0)
    row("iterations", fmt::format("{:.0f} (predicted)", plan.predicted_iterations()));
  row("predicted time", seconds_text(plan.predicted_seconds));
  return out;
}

}  // namespace thinwire::cli
