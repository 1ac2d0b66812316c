#pragma once

#include <vector>

#include "tests/mom/wire_antennas.h"

namespace thinwire::test {

/// Antennas for batches: a fed dipole whose length and number of segments vary, beside
/// another wire, by number of the case:
///     0 plain            1 with loads, on all segments and on one
///     2 with a line between both wires, and a current source
///     3 over perfect ground      4 two runs, one over perfect ground with a pattern
inline Problem batch_case(int number, int segments, double half_length_m) {
  Problem problem;
  problem.structure.add_wire(1, segments, {0, 0, 0.6 - half_length_m},
                             {0, 0, 0.6 + half_length_m}, 2e-3);
  problem.structure.add_wire(2, 9, {0.2, 0, 0.35}, {0.2, 0.05, 0.81}, 1e-3);
  const auto middle = static_cast<std::size_t>(segments / 2);
  const auto other = static_cast<std::size_t>(segments + 4);
  Run& run = feed(problem, middle);
  if (number == 1)
    run.loads = {{Load::Kind::conductivity, 0, other, {3.7e7, 0, 0}},
                 {Load::Kind::series_rlc, other, other, {5, 1e-9, 0}}};
  if (number == 2) {
    run.networks = {{Network::Kind::line, {middle, other}, 75, 0.3, false, 0, 0, 0}};
    run.sources[0].current_a = Complex(0.01, 0.002);
  }
  if (number == 3) run.ground = Ground::perfect;
  if (number == 4) feed(problem, middle).ground = Ground::perfect;
  if (number == 4) problem.runs[1].patterns = {broadside()};
  return problem;
}

/// All numbers of a solution that a batch may change.
inline std::vector<Complex> numbers_of(const Solution& solution) {
  std::vector<Complex> numbers;
  for (const FrequencyResult& result : solution.frequencies) {
    for (const PortResult& port : result.ports) {
      numbers.push_back(port.current_a);
      numbers.push_back(port.impedance_ohm);
    }
    for (const PortResult& port : result.network_ports) numbers.push_back(port.current_a);
    numbers.insert(numbers.end(), result.segment_current_a.begin(),
                   result.segment_current_a.end());
    for (const PatternResult& pattern : result.patterns)
      numbers.insert(numbers.end(), pattern.e_theta_v.begin(), pattern.e_theta_v.end());
    numbers.push_back(result.input_power_w);
    numbers.push_back(result.loss_power_w);
  }
  return numbers;
}

/// The largest difference over the largest number. NaN shows.
inline double largest_difference(const Solution& solution, const Solution& right) {
  const std::vector<Complex> got = numbers_of(solution), want = numbers_of(right);
  if (got.size() != want.size()) return 1e300;
  double difference = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double relative = std::abs(got[i] - want[i]) / (std::abs(want[i]) + 1e-6);
    if (!(relative <= difference)) difference = relative;
  }
  return difference;
}

}  // namespace thinwire::test
