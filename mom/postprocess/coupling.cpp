#include "mom/postprocess/coupling.h"

#include <algorithm>
#include <cmath>

namespace thinwire {
namespace {

bool excites_alone(const Run& run, std::size_t segment) {
  return !run.waves && run.sources.size() == 1 && run.sources[0].segment == segment &&
         run.sources[0].gap == Gap::segment && !run.sources[0].current_a;
}

CouplingResult pair_coupling(Complex y11, Complex y12, Complex y22) {
  CouplingResult result;
  const Complex square = y12 * y12;
  const double l = std::abs(square) / (2 * y11.real() * y22.real() - square.real());
  result.linville = l;
  if (!(l >= 0 && l <= 1)) return result;
  // Equals (1 - sqrt(1 - L^2)) / L, without cancellation.
  const double gain = l / (1 + std::sqrt(1 - l * l));
  result.coupling_db = 10 * std::log10(gain);
  const Complex rho = gain * std::conj(square) / std::abs(square);
  const Complex load_s = ((1.0 - rho) / (1.0 + rho) + 1.0) * y22.real() - y22;
  result.load_ohm = 1.0 / load_s;
  result.input_ohm = 1.0 / (y11 - square / (y22 + load_s));
  return result;
}

}  // namespace

std::vector<std::size_t> coupling_runs(const Problem& problem, std::size_t run) {
  const std::vector<std::size_t>& segments = problem.runs[run].coupling_segments;
  if (segments.size() < 2 || run + 1 < segments.size()) return {};
  std::vector<std::size_t> runs;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    runs.push_back(run + 1 - segments.size() + i);
    const Run& of_segment = problem.runs[runs.back()];
    if (of_segment.coupling_segments != segments ||
        !excites_alone(of_segment, segments[i]))
      return {};
  }
  return runs;
}

std::vector<CouplingResult> couplings(const Problem& problem,
                                      std::span<const FrequencyResult> before,
                                      const FrequencyResult& last) {
  const std::vector<std::size_t> runs = coupling_runs(problem, last.run);
  const std::vector<std::size_t>& segments = problem.runs[last.run].coupling_segments;
  const std::size_t n = runs.size();
  std::vector<Complex> y(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = std::find_if(before.begin(), before.end(), [&](const auto& result) {
      return result.run == runs[i] && result.frequency_hz == last.frequency_hz;
    });
    if (at == before.end() && i + 1 < n) return {};
    const FrequencyResult& result = i + 1 < n ? *at : last;
    for (std::size_t j = 0; j < n; ++j)
      y[i * n + j] =
          (i == j ? result.ports[0].current_a : result.segment_current_a[segments[j]]) /
          result.ports[0].voltage_v;
  }
  std::vector<CouplingResult> results;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      results.push_back(
          pair_coupling(y[i * n + i], 0.5 * (y[i * n + j] + y[j * n + i]), y[j * n + j]));
      results.back().segment_index[0] = segments[i];
      results.back().segment_index[1] = segments[j];
    }
  return results;
}

}  // namespace thinwire
