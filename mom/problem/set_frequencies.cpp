#include "mom/problem/set_frequencies.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace thinwire {
namespace {

bool same(const std::vector<Source>& a, const std::vector<Source>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Source& x, const Source& y) {
                      return x.same_place(y) && x.voltage_v == y.voltage_v &&
                             x.current_a == y.current_a;
                    });
}

bool same(const std::vector<Network>& a, const std::vector<Network>& b) {
  const auto all_of = [](const Network& n) {
    return std::tie(n.kind, n.segment[0], n.segment[1], n.gap[0], n.gap[1],
                    n.impedance_ohm, n.length_m, n.crossed, n.y11_s, n.y12_s, n.y22_s);
  };
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [&](const Network& x, const Network& y) { return all_of(x) == all_of(y); });
}

bool same(const std::optional<IncidentWaves>& a, const std::optional<IncidentWaves>& b) {
  if (!a || !b) return !a && !b;
  const auto all_of = [](const IncidentWaves& w) {
    const IncidentWave& f = w.first;
    return std::tie(f.kind, f.theta_deg, f.phi_deg, f.eta_deg, f.axial_ratio,
                    w.theta_count, w.phi_count, w.theta_step_deg, w.phi_step_deg);
  };
  return all_of(*a) == all_of(*b);
}

/// Whether two runs differ in nothing but frequencies and what is asked of them.
bool same_antenna(const Run& a, const Run& b) {
  return a.ground == b.ground && a.loads == b.loads && same(a.sources, b.sources) &&
         same(a.waves, b.waves) && same(a.networks, b.networks) &&
         a.coupling_segments == b.coupling_segments && a.matrix_file == b.matrix_file;
}

}  // namespace

void set_frequencies(Problem& problem, const std::vector<double>& frequency_hz) {
  std::vector<Run> runs;
  for (Run& run : problem.runs) {
    const auto known = std::find_if(runs.begin(), runs.end(), [&run](const Run& other) {
      return same_antenna(run, other);
    });
    run.frequency_hz = frequency_hz;
    if (known == runs.end()) {
      runs.push_back(std::move(run));
      continue;
    }
    for (NearFieldRequest& request : run.near_fields) {
      request.patterns_before += known->patterns.size();
      known->near_fields.push_back(request);
    }
    known->patterns.insert(known->patterns.end(), run.patterns.begin(),
                           run.patterns.end());
  }
  problem.runs = std::move(runs);
}

}  // namespace thinwire
