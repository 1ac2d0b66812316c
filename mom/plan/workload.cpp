#include "mom/plan/workload.h"

#include <algorithm>

#include "geometry/wires_below.h"
#include "kernels/base/constants.h"
#include "kernels/fields/far_field.h"
#include "mom/discretization/discretization.h"
#include "mom/excitation/incident_field.h"
#include "mom/excitation/wave_rings.h"
#include "mom/media/medium.h"
#include "mom/media/real_ground.h"
#include "mom/problem/near_field_request.h"
#include "mom/problem/solution.h"

namespace thinwire {

namespace {

/// Returns about how many unknowns a graded mesh has.
std::size_t unknowns_of(std::span<const Element> segments) {
  return 2 * segments.size();
}

/// Returns the dimensions that incident waves span: the degrees of freedom of a field
/// along each straight wire, to 3e-13. 20 half-wave dipoles have about 250.
std::size_t rank_of_waves(std::span<const Element> segments, double k_rad_per_m,
                          std::size_t waves) {
  constexpr std::size_t a_half_wave = 12;
  if (waves < min_waves_for_span) return waves;
  return std::min({waves, a_half_wave * piece_count(segments, k_rad_per_m, pi),
                   unknowns_of(segments)});
}

std::size_t numbers_of(const PatternRequest& request) {
  return 2 * static_cast<std::size_t>(request.theta_count * request.phi_count);
}

/// Adds the sums of basis vectors and of samples that are the currents and the fields of
/// a run's waves. fields: complex numbers of fields of each wave.
void count_sums(const Run& run, std::span<const Element> segments, double k_rad_per_m,
                std::size_t fields, std::size_t rank, std::size_t frequencies,
                bool coefficients, Workload& work) {
  const std::size_t waves = run.waves->count(), n = unknowns_of(segments),
                    others = (coefficients ? 0 : 2 * segments.size()) + fields,
                    record = others + (coefficients ? n : 0);
  work.wave_record = std::max(work.wave_record, others);
  work.wave_coefficients |= coefficients;
  const std::size_t samples =
      waves < min_waves_for_span
          ? 0
          : ring_samples(k_rad_per_m * vertical_axis(segments).rho_m,
                         run.waves->phi_count, waves_at_once(waves, std::max(n, record)));
  const std::size_t formed =
      samples == 0 ? waves : samples * static_cast<std::size_t>(run.waves->theta_count);
  work.fields.formed_waves += formed * frequencies;
  const std::size_t expanded = formed * (rank / 2 + record),
                    interpolated = waves * record;
  work.fields.sum_flops +=
      static_cast<double>(frequencies) *
      (8 * static_cast<double>(rank) * static_cast<double>(expanded) +
       4 * static_cast<double>(samples) * static_cast<double>(interpolated));
}

}  // namespace

WavenumberRange solved_wavenumbers(const Run& run, const Options& options) {
  const std::size_t count = run.frequency_hz.size();
  if (count == 0) return {0, 0, 0};
  const auto [low, high] = std::ranges::minmax(run.frequency_hz);
  return {
      wavenumber_rad_per_m(low), wavenumber_rad_per_m(high),
      options.sweep == SweepChoice::fast ? std::min(count, solved_of_fast_sweep) : count};
}

Workload workload(const Problem& problem, const Options& options) {
  constexpr std::size_t direction_bytes = 40;  // two complex fields and a gain
  constexpr std::size_t point_bytes = 72;      // a complex field and a place
  constexpr std::size_t segment_bytes = 32;    // current and charge, both complex
  constexpr std::size_t wave_bytes = sizeof(FrequencyResult) + sizeof(PortResult);
  const bool wires_below = has_wires_below(problem.structure);
  Workload work;
  work.stored = problem.stored != nullptr;
  work.uneven_ground = !why_ground_is_uneven(problem).empty();
  for (const Run& run : problem.runs) {
    // Every wave is a result of its own, with its fields; these and its currents are sums
    // of those of a basis.
    const std::size_t waves = run.waves ? run.waves->count() : 1;
    const WavenumberRange range = solved_wavenumbers(run, options);
    const std::vector<Element> segments =
        run.waves ? segments_of(problem.structure) : std::vector<Element>();
    const std::size_t computed =
        run.waves ? rank_of_waves(segments, range.last, waves) : 1;
    const std::size_t frequencies = run.frequency_hz.size(), solved = range.count;
    work.frequencies += solved;
    if (run.waves) {
      work.right_hand_sides = std::max(work.right_hand_sides, computed);
      work.waves = std::max(work.waves, waves);
      work.fields.wave_rank = std::max(work.fields.wave_rank, computed);
      work.fields.waves += waves * solved;
      work.result_bytes +=
          waves * frequencies *
          (wave_bytes + segment_bytes * problem.structure.segments().size());
    }
    if (range.last > work.largest_k_rad_per_m) {
      work.largest_k_rad_per_m = range.last;
      work.ground_of_largest_k = run.ground;
    }
    work.written |= !run.matrix_file.empty();
    work.ground |= run.ground != Ground::none;
    work.real_ground |= run.ground.is_real();
    const bool by_coefficients = run.ground.kind == Ground::Kind::coefficients;
    work.coefficients |= by_coefficients;
    const bool host_fill = by_coefficients || (run.ground.takes_wires() && wires_below);
    work.host_fill |= host_fill;
    const bool sommerfeld = run.ground.kind == Ground::Kind::sommerfeld;
    if (!problem.stored && solved > 0)
      work.sweeps.push_back({range, medium_of(run.ground), sommerfeld, host_fill});
    if (sommerfeld && range.last > work.table_k_rad_per_m) {
      work.table_ground = run.ground;
      work.table_k_rad_per_m = range.last;
    }
    if ((by_coefficients || !host_fill) && !problem.stored && solved > 0 &&
        !(range.first > work.loop_k_rad_per_m)) {
      work.loop_medium = image_medium_of(run.ground);
      work.loop_k_rad_per_m = range.first;
    }
    if (options.port_matrix || !run.networks.empty())
      work.ports = std::max(work.ports, run.sources.size() + 2 * run.networks.size());
    work.right_hand_sides = std::max(work.right_hand_sides, work.ports);
    if (!run.patterns.empty()) work.fields.patterns += computed * frequencies;
    if (!run.near_fields.empty()) work.fields.near_fields += computed * frequencies;
    std::size_t wave_fields = 0;
    for (const PatternRequest& request : run.patterns) {
      const bool plain = request.mode == PatternRequest::Mode::plain;
      const std::size_t times = request.last_frequency_only ? 1 : frequencies,
                        directions = numbers_of(request) / 2;
      (plain ? work.fields.directions : work.fields.directions_in_parts) +=
          times * computed * directions;
      work.result_bytes += direction_bytes * times * waves * directions;
      wave_fields += numbers_of(request);
    }
    for (const NearFieldRequest& request : run.near_fields) {
      const std::size_t times = request.last_frequency_only ? 1 : frequencies,
                        points = times * computed * point_count(request);
      work.fields.points += points;
      work.result_bytes += point_bytes * times * waves * point_count(request);
      wave_fields += 3 * point_count(request);
      if (run.ground.takes_wires()) {
        const auto through = static_cast<std::size_t>(
            static_cast<double>(points) * (wires_below ? 1 : share_below(request)));
        work.ground_points.through += through;
        work.ground_points.in_air += points - through;
        work.ground_points.in_volumes |= height_count(request) > 1;
      }
    }
    if (run.waves) {
      work.fields.summed += waves * frequencies * wave_fields;
      count_sums(run, segments, range.last, wave_fields, computed, solved,
                 options.keep_coefficients || !run.loads.empty(), work);
    }
  }
  return work;
}

}  // namespace thinwire
