#include <algorithm>

#include "geometry/wires_below.h"
#include "kernels/base/constants.h"
#include "mom/media/medium.h"
#include "mom/plan/choose_device.h"
#include "mom/problem/near_field_request.h"
#include "mom/problem/solution.h"

namespace thinwire {

Workload workload(const Problem& problem, const Options& options) {
  constexpr std::size_t direction_bytes = 40;  // two complex fields and a gain
  constexpr std::size_t point_bytes = 72;      // a complex field and a place
  constexpr std::size_t segment_bytes = 32;    // current and charge, both complex
  constexpr std::size_t wave_bytes = sizeof(FrequencyResult) + sizeof(PortResult);
  const bool wires_below = has_wires_below(problem.structure);
  Workload work;
  work.stored = problem.stored != nullptr;
  for (const Run& run : problem.runs) {
    // Every wave is a result of its own, with its fields.
    const std::size_t waves = run.waves ? run.waves->count() : 1;
    const std::size_t frequencies = run.frequency_hz.size(),
                      solved = options.sweep == SweepChoice::fast
                                   ? std::min(frequencies, solved_of_fast_sweep)
                                   : frequencies;
    work.frequencies += solved;
    if (run.waves) {
      work.right_hand_sides = std::max(work.right_hand_sides, waves);
      work.fields.waves += waves * solved;
      work.result_bytes +=
          waves * frequencies *
          (wave_bytes + segment_bytes * problem.structure.segments().size());
    }
    for (const double hz : run.frequency_hz)
      work.largest_k_rad_per_m =
          std::max(work.largest_k_rad_per_m, 2 * pi * hz / speed_of_light_m_per_s);
    work.written |= !run.matrix_file.empty();
    work.ground |= run.ground != Ground::none;
    work.real_ground |= run.ground.is_real();
    const bool coefficients = run.ground.kind == Ground::Kind::coefficients;
    work.coefficients |= coefficients;
    const bool host_fill = coefficients || (run.ground.takes_wires() && wires_below);
    work.host_fill |= host_fill;
    if (!problem.stored && solved > 0) {
      const auto [low, high] = std::ranges::minmax(run.frequency_hz);
      work.sweeps.push_back({{2 * pi * low / speed_of_light_m_per_s,
                              2 * pi * high / speed_of_light_m_per_s, solved},
                             medium_of(run.ground),
                             run.ground.kind == Ground::Kind::sommerfeld,
                             host_fill});
    }
    for (const double hz : run.frequency_hz) {
      const double k = 2 * pi * hz / speed_of_light_m_per_s;
      if (run.ground.kind == Ground::Kind::sommerfeld && k > work.table_k_rad_per_m) {
        work.table_ground = run.ground;
        work.table_k_rad_per_m = k;
      }
      if (!host_fill && !problem.stored && !(k > work.loop_k_rad_per_m)) {
        work.loop_medium = image_medium_of(run.ground);
        work.loop_k_rad_per_m = k;
      }
    }
    if (options.port_matrix || !run.networks.empty())
      work.ports = std::max(work.ports, run.sources.size() + 2 * run.networks.size());
    work.right_hand_sides = std::max(work.right_hand_sides, work.ports);
    if (!run.patterns.empty()) work.fields.patterns += waves * frequencies;
    if (!run.near_fields.empty()) work.fields.near_fields += waves * frequencies;
    for (const PatternRequest& request : run.patterns) {
      const bool plain = request.mode == PatternRequest::Mode::plain;
      (plain ? work.fields.directions : work.fields.directions_in_parts) +=
          (request.last_frequency_only ? 1 : frequencies) * waves *
          static_cast<std::size_t>(request.theta_count) *
          static_cast<std::size_t>(request.phi_count);
    }
    for (const NearFieldRequest& request : run.near_fields) {
      std::size_t points = (request.last_frequency_only ? 1 : frequencies) * waves;
      for (const std::int64_t count : request.count)
        points *= static_cast<std::size_t>(count);
      work.fields.points += points;
      if (run.ground.takes_wires())
        work.buried_points += wires_below
                                  ? points
                                  : static_cast<std::size_t>(static_cast<double>(points) *
                                                             share_below(request));
    }
  }
  work.result_bytes +=
      direction_bytes * (work.fields.directions + work.fields.directions_in_parts) +
      point_bytes * work.fields.points;
  return work;
}

}  // namespace thinwire
