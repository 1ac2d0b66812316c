#include "mom/schedule/fast_sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "kernels/base/constants.h"
#include "mom/excitation/excitation.h"
#include "mom/postprocess/power.h"
#include "mom/schedule/adaptive_sweep.h"
#include "mom/schedule/frequency_results.h"
#include "mom/schedule/tasks.h"

namespace thinwire {
namespace {

/// The currents that are kept may take so much.
constexpr double max_bytes = 2e9;
/// For that, frequencies solved.
constexpr double default_solutions = 40;
/// For the progress line: the part of the work that goes into solutions, and how many
/// solutions most sweeps take.
constexpr double solving_share = 0.8, expected_solutions = 16;

/// Diagonal of the box around the structure.
double size_m(const Structure& structure) {
  Vec3 low = structure.segments().front().start_m, high = low;
  for (const Segment& segment : structure.segments())
    for (const Vec3& p : {segment.start_m, segment.end_m}) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
  return std::hypot(high.x - low.x, high.y - low.y, high.z - low.z);
}

SweepControl control_for(const SolveContext& context, std::size_t run) {
  SweepControl control;
  const bool to_rounding = context.plan_for(run).solver == SolverChoice::direct &&
                           context.options().precision == PrecisionChoice::in_double;
  if (!to_rounding) {
    control.tolerance = 3e-5;
    control.fit = 3 * context.options().tolerance;
    control.to_rounding = false;
  }
  // Resonances of a straight wire are so far apart.
  control.widest_gap_hz =
      speed_of_light_m_per_s / (2 * size_m(context.problem().structure));
  return control;
}

class FastSweep {
 public:
  FastSweep(const SolveContext& context, std::size_t run)
      : context_(context),
        run_(run),
        frequency_hz_(distinct(context.run(run).frequency_hz)),
        sweep_(frequency_hz_, control_for(context, run)),
        outcomes_(frequency_hz_.size()),
        balance_(frequency_hz_.size()) {}

  void solve_some(const SolveFrequencies& solve, const Monitor& monitor) {
    double left = 1, solutions = 0;
    for (auto next = sweep_.next(); !next.empty(); next = sweep_.next()) {
      std::vector<double> wanted_hz;
      for (const std::size_t index : next) wanted_hz.push_back(frequency_hz_[index]);
      const auto count = static_cast<double>(next.size());
      solutions += count;
      const double rest = std::max(expected_solutions - solutions, count),
                   after = left * rest / (rest + count);
      std::vector<SolvedFrequency> solved =
          solve(wanted_hz, monitor.part(1 - left, 1 - after));
      left = after;
      for (std::size_t i = 0; i < next.size(); ++i) take(next[i], std::move(solved[i]));
    }
  }

  void model_others(const Monitor& monitor) {
    // A GPU sums the fields of one frequency at a time.
    const bool side_by_side = &context_.backend() == &cpu_backend();
    TaskProgress progress(monitor, "model", frequency_hz_.size());
    run_tasks(frequency_hz_.size(), side_by_side ? omp_get_max_threads() : 1,
              [&](std::size_t index) {
                if (!sweep_.solved(index)) model(index, monitor.silent());
                progress.add();
              });
  }

  /// In the order of the run, which may name a frequency twice.
  std::vector<FrequencyOutcome> outcomes() const {
    std::vector<FrequencyOutcome> all;
    for (const double frequency_hz : context_.run(run_).frequency_hz)
      all.push_back(outcomes_[static_cast<std::size_t>(
          std::lower_bound(frequency_hz_.begin(), frequency_hz_.end(), frequency_hz) -
          frequency_hz_.begin())]);
    return all;
  }

 private:
  static std::vector<double> distinct(std::vector<double> frequency_hz) {
    std::sort(frequency_hz.begin(), frequency_hz.end());
    frequency_hz.erase(std::unique(frequency_hz.begin(), frequency_hz.end()),
                       frequency_hz.end());
    return frequency_hz;
  }

  void take(std::size_t index, SolvedFrequency&& solved) {
    const Run& run = context_.run(run_);
    const Ports ports(context_.discretization(run_), run.sources, run.networks,
                      wavenumber_rad_per_m(frequency_hz_[index]));
    SweepSample sample;
    for (const std::vector<Complex>& side : solved.currents.rhs) {
      std::vector<Complex> current_a(ports.count());
      for (std::size_t p = 0; p < ports.count(); ++p)
        current_a[p] = ports.current(p, side);
      sample.port_current_a.push_back(std::move(current_a));
    }
    sample.rhs = std::move(solved.currents.rhs);
    sweep_.add(index, std::move(sample));
    if (!run.waves && !run.ground.is_dielectric())
      balance_[index] = power_balance(solved.outcome.results.front());
    outcomes_[index] = std::move(solved.outcome);
    like_ = std::move(solved.currents);
    all_converged_ = all_converged_ && like_.report.converged;
  }

  void model(std::size_t index, const Monitor& monitor) {
    const double frequency_hz = frequency_hz_[index];
    RecordedCurrents currents = like_;
    currents.rhs = sweep_.modelled(index);
    currents.report.iterations = 0;
    currents.report.relative_residual = std::numeric_limits<double>::quiet_NaN();
    currents.report.residual_history.clear();
    currents.report.impedance_history_ohm.clear();
    currents.report.operator_error.reset();
    currents.report.operator_error_spread.reset();
    currents.report.model_error = sweep_.error(index);
    currents.report.converged = all_converged_;
    ReplayingSolver solver(std::move(currents));
    const Run& run = context_.run(run_);
    const LoadModel loads(context_.discretization(run_), run.loads, frequency_hz,
                          run.ground);
    add_results(context_, {run_, frequency_hz, loads, solver, balance_at(index)}, monitor,
                outcomes_[index]);
  }

  /// Between the frequencies solved on either side.
  std::optional<double> balance_at(std::size_t index) const {
    std::size_t below = index, above = index;
    while (!sweep_.solved(below)) --below;
    while (!sweep_.solved(above)) ++above;
    if (!balance_[below] || !balance_[above]) return std::nullopt;
    return std::lerp(*balance_[below], *balance_[above],
                     (frequency_hz_[index] - frequency_hz_[below]) /
                         (frequency_hz_[above] - frequency_hz_[below]));
  }

  const SolveContext& context_;
  std::size_t run_;
  std::vector<double> frequency_hz_;  ///< ascending
  AdaptiveSweep sweep_;
  std::vector<FrequencyOutcome> outcomes_;
  std::vector<std::optional<double>> balance_;  ///< where solved and computed
  bool all_converged_ = true;                   ///< of those solved
  RecordedCurrents like_;                       ///< of a frequency solved, without rhs
};

}  // namespace

std::string no_fast_sweep(const SolveContext& context, std::size_t run_index) {
  const Run& run = context.run(run_index);
  const auto all = [](const std::string& why) {
    return "every frequency was solved, not only some: " + why;
  };
  if (!run.matrix_file.empty()) return all("WG keeps the matrix");
  // Their right-hand sides, conj(E) towards a maximum that may jump, are not smooth.
  if (!context.varied().empty() && !run.patterns.empty())
    return all("--gradient differentiates gains");
  const Ports ports(context.discretization(run_index), run.sources, run.networks, 1);
  const std::size_t rhs_count = ports.count() + (run.waves ? run.waves->count() : 0);
  const double bytes =
      static_cast<double>(rhs_count * ports.unknowns() * sizeof(Complex)) *
      default_solutions;
  if (bytes > max_bytes)
    return all(fmt::format("the currents of {} ports and waves take {:.2g} GB", rhs_count,
                           bytes * 1e-9));
  return "";
}

std::vector<FrequencyOutcome> fast_sweep(const SolveContext& context, std::size_t run,
                                         const SolveFrequencies& solve,
                                         const Monitor& monitor) {
  FastSweep sweep(context, run);
  sweep.solve_some(solve, monitor.part(0, solving_share));
  sweep.model_others(monitor.part(solving_share, 1));
  return sweep.outcomes();
}

}  // namespace thinwire
