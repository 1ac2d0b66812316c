#include "io/result/write_hdf5.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <thinwire_version.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/result/hdf5_axes.h"
#include "io/result/hdf5_couplings.h"
#include "io/result/hdf5_file.h"
#include "io/result/hdf5_near_field.h"
#include "io/result/hdf5_origin.h"
#include "io/result/hdf5_pattern.h"
#include "io/result/hdf5_ports.h"
#include "io/result/options_json.h"
#include "io/result/output_file.h"
#include "io/result/sha256.h"
#include "kernels/base/constants.h"
#include "kernels/base/stopwatch.h"
#include "mom/postprocess/power.h"
#include "mom/problem/stages.h"

namespace thinwire {
namespace {

using Clock = std::chrono::steady_clock;

std::string utc_now() {
  const std::time_t now =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

/// One number for each frequency, by a function of its result.
template <class T, class Function>
std::vector<T> per_frequency(const Solution& solution, Function&& function) {
  std::vector<T> values;
  values.reserve(solution.frequencies.size());
  for (const FrequencyResult& result : solution.frequencies)
    values.push_back(function(result));
  return values;
}

void write_root(Hdf5Writer& out, const Solution& solution,
                const std::string& command_line) {
  out.attribute("/", "format", "thinwire");
  out.attribute("/", "format_version", std::int64_t{hdf5_format_version});
  out.attribute("/", "program_version", THINWIRE_VERSION);
  out.attribute("/", "git_commit", THINWIRE_GIT_COMMIT);
  out.attribute("/", "command_line", command_line);
  out.attribute("/", "created_utc", utc_now());
  out.attribute("/", "device", solution.device);
}

void write_input(Hdf5Writer& out, const Problem& problem, const Options& options) {
  out.text("/input/deck", problem.deck_text, "NEC deck as read");
  if (const auto sha256 = sha256_hex(problem.deck_text))
    out.attribute("/input/deck", "sha256", *sha256);
  out.attribute("/input/deck", "file_name", problem.name);
  out.text("/input/options",
           options_json(options).dump(-1, ' ', false,
                                      nlohmann::json::error_handler_t::replace),
           "solver options as JSON");
}

void write_frequencies(Hdf5Writer& out, const Solution& solution) {
  out.axis(hdf5_axes::frequency,
           per_frequency<double>(solution, [](auto& r) { return r.frequency_hz; }),
           {"Hz", "frequency"});
  out.dataset("/run_index",
              per_frequency<std::int64_t>(
                  solution, [](auto& r) { return static_cast<std::int64_t>(r.run); }),
              {hdf5_axes::frequency}, {"1", "execute group of the deck, from 0"});
}

/// Where the waves come from, where there are any.
void write_waves(Hdf5Writer& out, const Solution& solution) {
  const auto& all = solution.frequencies;
  if (std::none_of(all.begin(), all.end(), [](auto& r) { return r.wave.has_value(); }))
    return;
  const auto write = [&](const char* name, double IncidentWave::*member,
                         Quantity quantity) {
    out.dataset(name,
                per_frequency<double>(
                    solution, [=](auto& r) { return r.wave ? (*r.wave).*member : nan; }),
                {hdf5_axes::frequency}, quantity);
  };
  write("/incident/theta_deg", &IncidentWave::theta_deg,
        {"deg", "angle from +z that the incident wave comes from"});
  write("/incident/phi_deg", &IncidentWave::phi_deg,
        {"deg", "azimuth that the incident wave comes from"});
  write("/incident/eta_deg", &IncidentWave::eta_deg,
        {"deg", "of its field's major axis, from theta towards phi"});
}

void write_mesh(Hdf5Writer& out, const Problem& problem) {
  const auto& segments = problem.structure.segments();
  const std::size_t count = segments.size();
  std::vector<double> start, end, radius;
  std::vector<std::int64_t> tag;
  std::int64_t below = 0;
  start.reserve(3 * count);
  end.reserve(3 * count);
  for (const Segment& s : segments) {
    start.insert(start.end(), {s.start_m.x, s.start_m.y, s.start_m.z});
    end.insert(end.end(), {s.end_m.x, s.end_m.y, s.end_m.z});
    radius.push_back(s.radius_m);
    tag.push_back(s.tag);
    below += s.start_m.z + s.end_m.z < 0 ? 1 : 0;
  }
  out.counting_axis(hdf5_axes::segment, count, 1, "NEC segment number, from 1");
  const Axes points{hdf5_axes::segment, hdf5_axes::xyz}, of_segment{hdf5_axes::segment};
  out.dataset("/mesh/start_m", start, points, {"m", "start of the segment, x y z"});
  out.dataset("/mesh/end_m", end, points, {"m", "end of the segment, x y z"});
  out.dataset("/mesh/radius_m", radius, of_segment, {"m", "wire radius"});
  out.dataset("/mesh/tag", tag, of_segment, {"1", "tag"});
  if (std::any_of(problem.runs.begin(), problem.runs.end(),
                  [](const Run& run) { return run.ground.takes_wires(); }))
    out.attribute("/mesh", "segments_in_ground", below);
}

/// One row of `member` for each frequency; rows that were not computed are NaN.
void write_segment_rows(Hdf5Writer& out, const Solution& solution, std::size_t segments,
                        const char* name, std::vector<Complex> FrequencyResult::*member,
                        Quantity quantity) {
  std::vector<Complex> values;
  values.reserve(solution.frequencies.size() * segments);
  for (const FrequencyResult& result : solution.frequencies) {
    values.insert(values.end(), (result.*member).begin(), (result.*member).end());
    if ((result.*member).empty()) values.resize(values.size() + segments, {nan, nan});
  }
  out.dataset(name, values, {hdf5_axes::frequency, hdf5_axes::segment}, quantity);
}

void write_solver(Hdf5Writer& out, const Solution& solution) {
  const Axes axes{hdf5_axes::frequency};
  const auto texts = [&](std::string SolverReport::*member) {
    return per_frequency<std::string>(solution,
                                      [=](auto& r) { return r.solver.*member; });
  };
  out.dataset("/solver/name", texts(&SolverReport::name), axes, "linear solver");
  out.dataset("/solver/preconditioner", texts(&SolverReport::preconditioner), axes,
              "preconditioner");
  const auto of_boxes = [&](double BoxSize::*member) {
    return per_frequency<double>(solution, [=](auto& r) {
      return r.solver.boxes ? (*r.solver.boxes).*member : nan;
    });
  };
  out.dataset("/solver/box_cells", of_boxes(&BoxSize::box), axes,
              {"1", "side of overlapping blocks in cells; NaN for others"});
  out.dataset("/solver/box_overlap_cells", of_boxes(&BoxSize::overlap), axes,
              {"1", "their overlap in cells"});
  out.dataset(
      "/solver/coarse_functions",
      per_frequency<std::int64_t>(
          solution,
          [](auto& r) { return static_cast<std::int64_t>(r.solver.coarse_functions); }),
      axes, {"1", "functions of the coarse level beside them, 0 for none"});
  out.dataset("/solver/operator", texts(&SolverReport::operator_name), axes,
              "how the impedance matrix was kept");
  out.dataset(
      "/solver/operator_error",
      per_frequency<double>(
          solution, [](auto& r) { return r.solver.operator_error.value_or(nan); }),
      axes,
      {"1",
       "|(Z - Z') I| / |V| of the operator Z', from rows of Z; NaN for a "
       "dense matrix"});
  out.dataset("/solver/why", texts(&SolverReport::why), axes,
              "how the solver was chosen");
  out.dataset(
      "/solver/iterations",
      per_frequency<std::int64_t>(solution, [](auto& r) { return r.solver.iterations; }),
      axes, {"1", "iterations, 0 for a direct solver"});
  out.dataset(
      "/solver/relative_residual",
      per_frequency<double>(solution, [](auto& r) { return r.solver.relative_residual; }),
      axes,
      {"1",
       "true relative residual |V - Z I| / |V|, of many incident waves an upper bound of "
       "it; NaN where a fast sweep modelled"});
  out.dataset("/solver/model_error",
              per_frequency<double>(
                  solution, [](auto& r) { return r.solver.model_error.value_or(nan); }),
              axes,
              {"1",
               "estimated relative error of the currents where a fast sweep modelled "
               "them; NaN where they were solved"});
  out.dataset("/solver/converged",
              per_frequency<std::int64_t>(
                  solution, [](auto& r) { return r.solver.converged ? 1 : 0; }),
              axes, {"1", "1 where the tolerance was reached"});
  for (std::size_t f = 0; f < solution.frequencies.size(); ++f) {
    const std::vector<double>& history = solution.frequencies[f].solver.residual_history;
    if (history.empty()) continue;
    const std::string iteration = fmt::format("/solver/iteration_{}", f);
    out.counting_axis(iteration, history.size(), 0, "iteration");
    out.dataset(fmt::format("/solver/residual_history/{}", f), history, {iteration},
                {"1", "relative residual at each iteration"});
  }
}

void write_power(Hdf5Writer& out, const Solution& solution) {
  const auto write = [&](const char* name, Quantity quantity, auto&& of_result) {
    out.dataset(name, per_frequency<double>(solution, of_result), {hdf5_axes::frequency},
                quantity);
  };
  write("/power/input_w", {"W", "power into all ports"},
        [](auto& r) { return r.input_power_w; });
  write("/power/radiated_w",
        {"W", "power through the far sphere; NaN where not computed"},
        [](auto& r) { return r.radiated_power_w.value_or(nan); });
  write("/power/loss_w", {"W", "power lost in loads and conductors"},
        [](auto& r) { return r.loss_power_w; });
  write("/power/network_loss_w", {"W", "power lost in networks"},
        [](auto& r) { return r.network_loss_w; });
  write("/power/efficiency", {"1", "radiated over input power; NaN where not computed"},
        [](auto& r) { return efficiency(r).value_or(nan); });
  write("/power/balance", {"1", "radiated power and losses over input power: 1 if exact"},
        [](auto& r) { return power_balance(r).value_or(nan); });
}

/// The write itself is timed up to here; flushing comes after.
void write_timings(Hdf5Writer& out, Timings t, Clock::time_point start) {
  const double write = seconds_since(start);
  t.write += write;
  t.total += write;
  for (const Stage& stage : stages_of(t))
    out.scalar(fmt::format("/timing/{}", stage.name), stage.seconds,
               {"s", fmt::format("wall-clock time: {}", stage.name)});
}

/// All but the matrix.
void write_results(Hdf5Writer& out, const Problem& problem, const Options& options,
                   const Solution& solution, const std::string& command_line) {
  const std::size_t segments = problem.structure.segments().size();
  write_root(out, solution, command_line);
  write_input(out, problem, options);
  write_warnings(out, solution.warnings);
  out.axis(hdf5_axes::xyz, std::vector<std::string>{"x", "y", "z"}, "component");
  write_frequencies(out, solution);
  write_ports(out, problem, solution, options.reference_ohm);
  write_waves(out, solution);
  write_mesh(out, problem);
  write_segment_rows(out, solution, segments, "/current/segment_current_a",
                     &FrequencyResult::segment_current_a,
                     {"A", "current at the segment centre, peak, start to end"});
  write_segment_rows(out, solution, segments, "/current/segment_charge_c_per_m",
                     &FrequencyResult::segment_charge_c_per_m,
                     {"C/m", "charge per length at the segment centre, peak"});
  write_solver(out, solution);
  write_power(out, solution);
  write_patterns(out, solution);
  write_near_fields(out, solution);
  write_couplings(out, solution);
  out.attribute("/", "unknowns", static_cast<std::int64_t>(solution.unknowns));
}

}  // namespace

void write_hdf5(const std::filesystem::path& path, const Problem& problem,
                const Options& options, const Solution& solution,
                const std::string& command_line, const std::atomic<bool>* stop,
                SavedMatrix* saved) {
  const Clock::time_point start = Clock::now();
  const std::vector<Complex>& z = solution.impedance_matrix_ohm;
  const bool in_file = saved != nullptr && saved->writer() != nullptr;
  std::optional<Hdf5Writer> in_memory;
  Hdf5Writer& out = in_file ? *saved->writer() : in_memory.emplace(path);
  // The matrix belongs to its own run's mesh, which need not be the largest.
  if (!in_file && !z.empty())
    begin_matrix(out, static_cast<std::size_t>(
                          std::lround(std::sqrt(static_cast<double>(z.size())))));
  write_results(out, problem, options, solution, command_line);
  if (in_file || !z.empty())
    out.attribute("/matrix/impedance_ohm", "frequency_hz",
                  solution.frequencies.back().frequency_hz);
  write_timings(out, solution.timings_s, start);
  if (in_file)
    saved->finish(stop);
  else
    write_result_file(path, out, z, stop);
}

}  // namespace thinwire
