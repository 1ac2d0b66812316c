#include "tests/fuzz/check_solution.h"

#include <algorithm>
#include <cmath>

namespace thinwire::fuzz {

namespace {

constexpr std::size_t max_segments = 60, max_runs = 3, max_frequencies = 2;
constexpr std::int64_t max_angles = 10;

bool is_finite(Complex z) {
  return std::isfinite(z.real()) && std::isfinite(z.imag());
}

template <typename Numbers>
bool all_finite(const Numbers& numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [](Complex z) { return is_finite(z); });
}

std::string breach(const Run& run, const FrequencyResult& result) {
  if (result.ports.size() != run.sources.size()) return "not a port for each source";
  for (const PortResult& port : result.network_ports)
    if (!is_finite(port.voltage_v) || !is_finite(port.current_a))
      return "a connection that is not finite";
  for (const PortResult& port : result.ports) {
    if (!is_finite(port.current_a)) return "a port current that is not finite";
    // A port without current has no finite impedance.
    if (std::abs(port.current_a) > 0 && !is_finite(port.impedance_ohm))
      return "an impedance that is not finite";
  }
  if (!all_finite(result.segment_current_a)) return "a current that is not finite";
  if (!all_finite(result.segment_charge_c_per_m)) return "a charge that is not finite";
  for (const PatternResult& pattern : result.patterns) {
    if (!all_finite(pattern.e_theta_v) || !all_finite(pattern.e_phi_v))
      return "a far field that is not finite";
    if (!all_finite(pattern.gain_dbi)) return "a gain that is not finite";
  }
  for (const NearFieldResult& near : result.near_fields)
    if (!all_finite(near.field)) return "a near field that is not finite";
  return {};
}

}  // namespace

bool shorten(Problem& problem) {
  if (problem.structure.segments().size() > max_segments) return false;
  problem.runs.resize(std::min(problem.runs.size(), max_runs));
  for (Run& run : problem.runs) {
    run.networks.resize(std::min<std::size_t>(run.networks.size(), 8));
    if (run.waves) {
      run.waves->theta_count = std::min<std::int64_t>(run.waves->theta_count, 2);
      run.waves->phi_count = std::min<std::int64_t>(run.waves->phi_count, 2);
    }
    run.frequency_hz.resize(std::min(run.frequency_hz.size(), max_frequencies));
    run.patterns.resize(std::min<std::size_t>(run.patterns.size(), 2));
    run.near_fields.resize(std::min<std::size_t>(run.near_fields.size(), 2));
    for (PatternRequest& pattern : run.patterns) {
      pattern.theta_count = std::min(pattern.theta_count, max_angles);
      pattern.phi_count = std::min(pattern.phi_count, max_angles);
    }
    for (NearFieldRequest& near : run.near_fields) {
      near.patterns_before = std::min(near.patterns_before, run.patterns.size());
      for (std::int64_t& count : near.count) count = std::min<std::int64_t>(count, 3);
    }
  }
  return true;
}

std::string breach(const Problem& problem, const Solution& solution) {
  std::size_t asked = 0;
  for (const Run& run : problem.runs)
    // A run that only keeps its matrix (WG) has no solution.
    if (!run.sources.empty() || run.waves)
      asked += run.frequency_hz.size() * (run.waves ? run.waves->count() : 1);
  if (solution.frequencies.size() != asked) return "a frequency is missing";
  for (const FrequencyResult& result : solution.frequencies) {
    const Run& run = problem.runs.at(result.run);
    if (std::string text = breach(run, result); !text.empty()) return text;
  }
  return {};
}

}  // namespace thinwire::fuzz
