#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire::test {

/// Two wires of three segments, two runs: the first feeds tag 1 at two frequencies and
/// asks for one pattern, the second feeds both tags at one frequency and asks for two.
/// The numbers are made up, each different from the others, so that a writer which mixes
/// two of them up is found out.
struct Sample {
  Problem problem;
  Solution solution;
};

inline PatternResult sample_pattern(double seed) {
  PatternResult pattern;
  pattern.request.theta_count = 2;
  pattern.request.phi_count = 3;
  pattern.theta_deg = {0, 90};
  pattern.phi_deg = {0, 120, 240};
  for (int i = 0; i < 6; ++i) {
    pattern.e_theta_v.emplace_back(seed + i, 0.5 * i);
    pattern.e_phi_v.emplace_back(-0.25 * i, seed);
    pattern.gain_dbi.push_back(seed - i);
  }
  pattern.reference_power_w = 0.01 * seed;
  return pattern;
}

inline PortResult sample_port(int tag, std::int64_t segment, std::size_t index,
                              Complex voltage_v, Complex current_a) {
  return {tag,
          segment,
          index,
          Gap::segment,
          voltage_v,
          current_a,
          voltage_v / current_a,
          0.5 * (voltage_v * std::conj(current_a)).real()};
}

inline FrequencyResult sample_frequency(std::size_t run, double frequency_hz,
                                        std::vector<PortResult> ports) {
  FrequencyResult result;
  result.run = run;
  result.frequency_hz = frequency_hz;
  result.ports = std::move(ports);
  for (int i = 0; i < 6; ++i) {
    result.segment_current_a.emplace_back(1e-3 * i, frequency_hz * 1e-12);
    result.segment_charge_c_per_m.emplace_back(frequency_hz * 1e-21, 1e-12 * i);
  }
  for (const PortResult& port : result.ports) result.input_power_w += port.power_w;
  result.loss_power_w = 0.1 * result.input_power_w;
  result.solver.name = "cocg";
  result.solver.preconditioner = "block";
  result.solver.iterations = 7;
  result.solver.relative_residual = 3e-7;
  result.solver.residual_history = {1, 0.01, 3e-7};
  return result;
}

inline Sample make_sample() {
  Sample sample;
  Problem& problem = sample.problem;
  problem.name = "sample.nec";
  problem.deck_text = "CE sample\nGW 1 3 ...\nEN\n";
  problem.comments = {"sample"};
  problem.structure.add_wire(1, 3, {0, 0, -0.25}, {0, 0, 0.25}, 0.001);
  problem.structure.add_wire(7, 3, {0.5, 0, -0.25}, {0.5, 0, 0.25}, 0.002);
  Run first;
  first.frequency_hz = {299.8e6, 310e6};
  first.sources = {{Gap::segment, 1, 1.0, {}}};
  first.patterns.resize(1);
  Run second;
  second.start = Run::Start::environment;
  second.frequency_hz = {310e6};
  second.ground = Ground::perfect;
  second.sources = {{Gap::segment, 1, 1.0, {}}, {Gap::segment, 4, Complex(0, 2), {}}};
  second.patterns.resize(2);
  problem.runs = {first, second};

  Solution& solution = sample.solution;
  solution.segments = 6;
  solution.unknowns = 4;
  solution.warnings = {"sample.nec: no EN card"};
  solution.frequencies = {
      sample_frequency(0, 299.8e6, {sample_port(1, 2, 1, 1.0, {0.01, -0.005})}),
      sample_frequency(0, 310e6, {sample_port(1, 2, 1, 1.0, {0.008, -0.006})}),
      sample_frequency(1, 310e6,
                       {sample_port(1, 2, 1, 1.0, {0.02, 0.001}),
                        sample_port(7, 2, 4, {0, 2}, {0.003, 0.03})})};
  solution.frequencies[0].patterns = {sample_pattern(1)};
  solution.frequencies[1].patterns = {sample_pattern(2)};
  solution.frequencies[2].patterns = {sample_pattern(3), sample_pattern(4)};
  solution.frequencies[2].port_impedance_ohm = {{50, 10}, {20, -5}, {20, -5}, {70, -30}};
  solution.frequencies[1].radiated_power_w = 0.0035;
  solution.timings_s.fill = 0.25;
  solution.timings_s.total = 0.5;
  return sample;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Returns how often `what` occurs.
inline std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1))
    ++found;
  return found;
}

}  // namespace thinwire::test
