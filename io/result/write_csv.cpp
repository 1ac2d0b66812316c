#include "io/result/write_csv.h"

#include <fmt/format.h>

#include <thinwire_version.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "io/result/output_file.h"
#include "kernels/base/constants.h"
#include "mom/postprocess/polarization.h"
#include "mom/postprocess/power.h"
#include "mom/problem/reflection.h"

namespace thinwire {
namespace {

/// The strongest peak over all patterns of one frequency.
std::optional<PatternPeak> best_peak(const FrequencyResult& result) {
  std::optional<PatternPeak> best;
  for (const PatternResult& pattern : result.patterns) {
    const PatternPeak peak = pattern_peak(pattern);
    if (!best || peak.gain_dbi > best->gain_dbi) best = peak;
  }
  return best;
}

std::string pattern_columns(const std::optional<PatternPeak>& peak) {
  if (!peak) return ",,,";
  return fmt::format(
      "{:.4f},{:g},{:g},{}", peak->gain_dbi, peak->theta_deg, peak->phi_deg,
      peak->front_to_back_db ? fmt::format("{:.4f}", *peak->front_to_back_db) : "");
}

std::string power_columns(const FrequencyResult& result) {
  const auto cell = [](std::optional<double> value) {
    return value ? fmt::format("{:.9g}", *value) : "";
  };
  return fmt::format("{:.9g},{},{:.9g},{},{}", result.input_power_w,
                     cell(result.radiated_power_w), result.loss_power_w,
                     cell(efficiency(result)), cell(power_balance(result)));
}

/// Returns the derivatives of the strongest of the differentiated patterns; nullptr if
/// there is none.
const GainDerivatives* best_derivatives(const FrequencyResult& result) {
  const auto best =
      std::max_element(result.gain_derivatives.begin(), result.gain_derivatives.end(),
                       [](const GainDerivatives& a, const GainDerivatives& b) {
                         return a.gain_dbi < b.gain_dbi;
                       });
  return best == result.gain_derivatives.end() ? nullptr : &*best;
}

/// Names of the columns of Problem::parameters, each after a comma.
std::string derivative_names(const Problem& problem) {
  std::string names;
  for (const Parameter& parameter : problem.parameters)
    for (const char* number : {"zreal", "zimag", "gain_max", "fb_ratio"})
      names += fmt::format(",d{}/d{}", number, parameter.name);
  return names;
}

std::string derivative_columns(const Problem& problem, const FrequencyResult& result,
                               std::size_t port) {
  const GainDerivatives* gain = best_derivatives(result);
  std::string columns;
  for (std::size_t v = 0; v < problem.parameters.size(); ++v) {
    const Complex z = result.impedance_derivative_ohm[v * result.ports.size() + port];
    columns += fmt::format(",{:.9g},{:.9g}", z.real(), z.imag());
    columns += gain ? fmt::format(",{:.9g},{:.9g}", gain->gain_derivative_db[v],
                                  gain->front_to_back_derivative_db[v])
                    : ",,";
  }
  return columns;
}

}  // namespace

std::string solution_csv(const Problem& problem, const Solution& solution,
                         double reference_ohm) {
  std::string out;
  const auto line = std::back_inserter(out);
  fmt::format_to(line, "# {} {} from {}\n", text_signature, THINWIRE_VERSION,
                 problem.name);
  fmt::format_to(
      line,
      "# z in ohm, zphase in degrees; vswr and s11 for {} ohm: s11 in dB, "
      "s11_real and s11_imag linear; gain_max in dBi, fb_ratio in dB; run from "
      "0; power in watt, efficiency radiated over input; gap start or end at a node\n",
      reference_ohm);
  for (const FrequencyResult& result : solution.frequencies)
    if (!result.solver.converged)
      fmt::format_to(line, "# {}\n", missed_tolerance(result));
  if (const std::string modelled = modelled_summary(solution); !modelled.empty())
    fmt::format_to(line, "# {}\n", modelled);
  fmt::format_to(line,
                 "mhz,zreal,zimag,zmag,zphase,vswr,s11,s11_real,s11_imag,gain_max,"
                 "gain_max_theta,gain_max_phi,fb_ratio,run,tag,segment,power_w,"
                 "input_power_w,radiated_power_w,loss_power_w,efficiency,"
                 "power_balance,gap{}\n",
                 derivative_names(problem));
  for (const FrequencyResult& result : solution.frequencies) {
    const std::string pattern = pattern_columns(best_peak(result)),
                      power = power_columns(result);
    for (std::size_t p = 0; p < result.ports.size(); ++p) {
      const PortResult& port = result.ports[p];
      const Complex z = port.impedance_ohm, s = reflection(z, reference_ohm);
      fmt::format_to(line,
                     "{:.9g},{:.9g},{:.9g},{:.9g},{:.6f},{:.6g},{:.4f},{:.9g},"
                     "{:.9g},{},{},{},{},{:.9g},{},{}{}\n",
                     result.frequency_hz / 1e6, z.real(), z.imag(), std::abs(z),
                     std::arg(z) * 180.0 / pi, vswr(s), decibel(std::norm(s)), s.real(),
                     s.imag(), pattern, result.run, port.tag, port.segment, port.power_w,
                     power, gap_name(port.gap), derivative_columns(problem, result, p));
    }
  }
  return out;
}

}  // namespace thinwire
