#pragma once

#include <cmath>
#include <utility>

#include "kernels/base/constants.h"
#include "mom/solve.h"

namespace thinwire::test {

/// Frequency at which the wavelength is one metre.
inline constexpr double one_metre_wave_hz = speed_of_light_m_per_s;

inline Source volt_on(std::size_t segment, Complex voltage_v = 1.0) {
  Source source;
  source.segment = segment;
  source.voltage_v = voltage_v;
  return source;
}

/// Adds a run at one frequency in which one volt drives a segment, and returns it.
inline Run& feed(Problem& problem, std::size_t segment,
                 double frequency_hz = one_metre_wave_hz,
                 const Ground& ground = Ground::none) {
  Run& run = problem.runs.emplace_back();
  run.frequency_hz = {frequency_hz};
  run.ground = ground;
  run.sources = {volt_on(segment)};
  return run;
}

/// A structure that is fed likewise.
inline Problem fed(Structure structure, std::size_t segment = 0,
                   const Ground& ground = Ground::none,
                   double frequency_hz = one_metre_wave_hz) {
  Problem problem;
  problem.structure = std::move(structure);
  feed(problem, segment, frequency_hz, ground);
  return problem;
}

/// A dipole along z, centre at the origin, `gap` segments in the middle fed by one volt
/// in all.
inline Problem dipole(double half_length_m, double radius_m, int segments, int gap = 1) {
  Problem problem;
  problem.structure.add_wire(1, segments, {0, 0, -half_length_m}, {0, 0, half_length_m},
                             radius_m);
  Run run;
  run.frequency_hz = {one_metre_wave_hz};
  for (int i = 0; i < gap; ++i)
    run.sources.push_back(volt_on((segments - gap) / 2 + i, 1.0 / gap));
  problem.runs.push_back(run);
  return problem;
}

/// Four half turns of a tube, shorter segments than its radius (8.9 and 20 mm), between
/// radials of half that radius, fed in quadrature at their feet; all radii times `scale`.
inline Problem quadrifilar(double scale = 1) {
  const double across = 0.1198, height = 0.2333, foot = -0.02, radius = 0.01 * scale;
  Problem problem;
  Structure& s = problem.structure;
  s.add_wire(1, 2, {across, 0, foot}, {across, 0, 0}, radius);
  s.add_helix(1, 50, 2 * height, height, across, across, across, across, 2 * radius);
  s.move(1, 3, {0, 0, 90}, {}, 1);
  for (const double z : {foot, height})
    for (const Vec3 end : {Vec3{across, 0, z}, Vec3{-across, 0, z}, Vec3{0, across, z},
                           Vec3{0, -across, z}})
      s.add_wire(10, 2, {0, 0, z}, end, radius);
  Run& run = problem.runs.emplace_back();
  run.frequency_hz = {140e6};
  run.sources = {volt_on(0), volt_on(52, {0, 1}), volt_on(104, -1.0),
                 volt_on(156, {0, -1})};
  return problem;
}

inline Options options_for(MeshChoice mesh, GreensKernel kernel = GreensKernel::exact) {
  Options options;
  options.mesh = mesh;
  options.kernel = kernel;
  return options;
}

/// Solves, and returns the impedance of the first port at the first frequency, ohm.
inline Complex port_impedance(const Problem& problem, const Options& options) {
  return solve(problem, options).frequencies.at(0).ports.at(0).impedance_ohm;
}

/// Impedance of all sources of a frequency in series: total voltage over mean current.
inline Complex series_impedance(const FrequencyResult& result) {
  Complex voltage = 0, current = 0;
  for (const PortResult& port : result.ports) {
    voltage += port.voltage_v;
    current += port.current_a;
  }
  return voltage * static_cast<double>(result.ports.size()) / current;
}

inline double relative_error(Complex got, Complex right) {
  return std::abs(got - right) / std::abs(right);
}

/// A pattern request that makes solve() integrate the radiated power.
inline PatternRequest broadside() {
  PatternRequest request;
  request.theta_start_deg = 90;
  return request;
}

}  // namespace thinwire::test
