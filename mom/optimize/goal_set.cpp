#include "mom/optimize/goal_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "kernels/base/counted.h"
#include "kernels/base/error.h"
#include "mom/problem/reflection.h"

namespace thinwire {
namespace {

/// Angular step of the sphere that is searched for the largest gain.
constexpr double sphere_step_deg = 5;
/// A mismatch beyond it counts as that: beyond, nothing can be told from the VSWR.
constexpr double largest_vswr = 1e6;

std::size_t run_with_sources(const Problem& problem) {
  for (std::size_t r = 0; r < problem.runs.size(); ++r) {
    const Run& run = problem.runs[r];
    if (!run.matrix_file.empty() || problem.stored)
      throw Error(ErrorKind::usage,
                  "optimize: a kept matrix (WG, GF) belongs to one structure. Remove WG "
                  "and GF from the deck.");
    if (!run.sources.empty()) return r;
  }
  throw Error(ErrorKind::usage,
              "optimize: the deck has no source (EX 0, 4, 5 or 6), so that there is "
              "nothing to reach. Add an EX card.");
}

PatternRequest one_direction(double theta_deg, double phi_deg) {
  PatternRequest request = {.theta_start_deg = theta_deg, .phi_start_deg = phi_deg};
  return request;
}

PatternRequest whole_sphere(bool over_ground) {
  PatternRequest request;
  request.theta_step_deg = request.phi_step_deg = sphere_step_deg;
  request.theta_count = std::lround((over_ground ? 90 : 180) / sphere_step_deg) + 1;
  request.phi_count = std::lround(360 / sphere_step_deg);
  return request;
}

/// The largest gain of a grid, and what a parabola through its neighbours adds to it
/// along theta and along phi.
double peak_gain_dbi(const PatternResult& pattern) {
  const auto& gain = pattern.gain_dbi;
  const std::size_t phis = pattern.phi_deg.size(), thetas = pattern.theta_deg.size();
  const auto at =
      static_cast<std::size_t>(std::max_element(gain.begin(), gain.end()) - gain.begin());
  const std::size_t t = at / phis, p = at % phis;
  const auto rise = [&](double before, double after) {
    const double curvature = 2 * gain[at] - before - after;
    return curvature > 0 ? (after - before) * (after - before) / (8 * curvature) : 0;
  };
  double peak = gain[at];
  if (t > 0 && t + 1 < thetas) {
    peak += rise(gain[at - phis], gain[at + phis]);
    peak += rise(gain[t * phis + (p + phis - 1) % phis], gain[t * phis + (p + 1) % phis]);
  }
  return peak;
}

/// Returns the derivatives of the gain of a one-direction pattern, dB; empty where there
/// are none, for example where nothing is radiated.
std::vector<double> gain_derivatives(const FrequencyResult& result, std::size_t pattern) {
  for (const GainDerivatives& derivatives : result.gain_derivatives)
    if (derivatives.pattern == pattern) return derivatives.gain_derivative_db;
  return {};
}

/// The gain of a pattern less that of the next.
GoalTerm front_to_back(const FrequencyResult& result, std::size_t front) {
  const std::size_t back = front + 1;
  GoalTerm term{
      result.patterns[front].gain_dbi.front() - result.patterns[back].gain_dbi.front(),
      gain_derivatives(result, front)};
  const std::vector<double> less = gain_derivatives(result, back);
  if (less.size() != term.derivatives.size()) term.derivatives.clear();
  for (std::size_t v = 0; v < term.derivatives.size(); ++v)
    term.derivatives[v] -= less[v];
  return term;
}

}  // namespace

GoalSet::GoalSet(std::vector<Goal> goals, const Problem& base, double reference_ohm)
    : goals_(std::move(goals)),
      reference_ohm_(reference_ohm),
      run_(run_with_sources(base)) {
  const Run& run = base.runs[run_];
  for (Goal& goal : goals_) {
    if (goal.at_source() && goal.source >= run.sources.size())
      throw Error(ErrorKind::usage,
                  fmt::format("--goal '{}': the deck has {}. Name one of them.",
                              goal.text, counted(run.sources.size(), "source")));
    if (goal.direction && std::abs(goal.direction->theta_deg) > 90 &&
        run.ground != Ground::none)
      throw Error(ErrorKind::usage,
                  fmt::format("--goal '{}': theta = {:g} degrees is below the ground. "
                              "Give 90 or less.",
                              goal.text, goal.direction->theta_deg));
    if (goal.direction && std::abs(goal.direction->theta_deg) == 90 &&
        run.ground.is_dielectric())
      throw Error(ErrorKind::usage,
                  fmt::format("--goal '{}': nothing is radiated along a real ground "
                              "(theta = 90 degrees). Give less, 80 for example.",
                              goal.text));
    if (goal.frequency_hz.empty()) goal.frequency_hz = run.frequency_hz;
    frequency_hz_.insert(frequency_hz_.end(), goal.frequency_hz.begin(),
                         goal.frequency_hz.end());
  }
  std::sort(frequency_hz_.begin(), frequency_hz_.end());
  frequency_hz_.erase(std::unique(frequency_hz_.begin(), frequency_hz_.end()),
                      frequency_hz_.end());
  for (const Goal& goal : goals_) {
    std::vector<std::size_t> results;
    for (const double f : goal.frequency_hz)
      results.push_back(static_cast<std::size_t>(
          std::lower_bound(frequency_hz_.begin(), frequency_hz_.end(), f) -
          frequency_hz_.begin()));
    results_.push_back(std::move(results));
    pattern_of_.push_back(patterns_.size());
    if (goal.direction) {
      const auto [theta, phi] = *goal.direction;
      patterns_.push_back(one_direction(theta, phi));
      if (goal.quantity == Goal::Quantity::front_to_back)
        patterns_.push_back(one_direction(theta, phi + 180));
    } else if (goal.quantity == Goal::Quantity::gain) {
      patterns_.push_back(whole_sphere(run.ground != Ground::none));
    }
  }
}

bool GoalSet::have_derivatives() const {
  return std::all_of(goals_.begin(), goals_.end(),
                     [](const Goal& goal) { return goal.at_source() || goal.direction; });
}

Problem GoalSet::asked(Problem variant) const {
  if (variant.runs.size() <= run_)
    throw Error(ErrorKind::deck,
                fmt::format("{}: a run of the deck is gone.", variant.name));
  Run run = std::move(variant.runs[run_]);
  run.frequency_hz = frequency_hz_;
  run.patterns = patterns_;
  run.near_fields.clear();
  run.coupling_segments.clear();
  run.matrix_file.clear();
  variant.runs = {std::move(run)};
  for (Parameter& parameter : variant.parameters) {
    parameter.less = std::make_shared<const Problem>(asked(*parameter.less));
    parameter.more = std::make_shared<const Problem>(asked(*parameter.more));
  }
  return variant;
}

std::vector<std::vector<GoalTerm>> GoalSet::terms(const Solution& solution) const {
  std::vector<std::vector<GoalTerm>> all(goals_.size());
  for (std::size_t g = 0; g < goals_.size(); ++g)
    for (const std::size_t r : results_[g])
      all[g].push_back(term(goals_[g], solution.frequencies[r], pattern_of_[g]));
  return all;
}

GoalTerm GoalSet::term(const Goal& goal, const FrequencyResult& result,
                       std::size_t pattern) const {
  using Quantity = Goal::Quantity;
  switch (goal.quantity) {
    case Quantity::gain:
      if (!goal.direction) return {peak_gain_dbi(result.patterns[pattern]), {}};
      return {result.patterns[pattern].gain_dbi.front(),
              gain_derivatives(result, pattern)};
    case Quantity::front_to_back:
      return front_to_back(result, pattern);
    case Quantity::efficiency:
      return {1 - (result.loss_power_w + result.network_loss_w) / result.input_power_w,
              {}};
    default:
      break;
  }
  const Complex z = result.ports[goal.source].impedance_ohm;
  const Complex gamma = reflection(z, reference_ohm_);
  const double magnitude = std::abs(gamma), ratio = vswr(gamma);
  GoalTerm term;
  const auto set = [&](double value, auto&& derivative_of) {
    term.value = value;
    const std::size_t ports = result.ports.size();
    for (std::size_t at = goal.source; at < result.impedance_derivative_ohm.size();
         at += ports)
      term.derivatives.push_back(derivative_of(result.impedance_derivative_ohm[at]));
  };
  switch (goal.quantity) {
    case Quantity::resistance:
      set(z.real(), [](Complex dz) { return dz.real(); });
      break;
    case Quantity::reactance:
      set(z.imag(), [](Complex dz) { return dz.imag(); });
      break;
    case Quantity::magnitude:
      set(std::abs(z), [&](Complex dz) {
        return z == 0.0 ? 0 : (std::conj(z) * dz).real() / std::abs(z);
      });
      break;
    default:
      set(std::min(ratio, largest_vswr), [&](Complex dz) {
        // At a match it has no derivative, and beyond the largest none that helps.
        if (magnitude == 0 || !(ratio < largest_vswr)) return 0.0;
        const Complex sum = z + reference_ohm_;
        const Complex d_gamma = 2 * reference_ohm_ * dz / (sum * sum);
        return 2 * (std::conj(gamma) * d_gamma).real() / magnitude /
               ((1 - magnitude) * (1 - magnitude));
      });
  }
  return term;
}

double value_of(const Goal& goal, std::span<const GoalTerm> terms) {
  double value = terms.front().value, sum = 0;
  for (const GoalTerm& term : terms) {
    sum += term.value;
    switch (goal.over) {
      case Goal::Over::largest:
        value = std::max(value, term.value);
        break;
      case Goal::Over::smallest:
        value = std::min(value, term.value);
        break;
      case Goal::Over::each:
        if (std::abs(term.value - goal.bound) > std::abs(value - goal.bound))
          value = term.value;
        break;
      case Goal::Over::mean:
        value = sum / static_cast<double>(terms.size());
    }
  }
  return value;
}

}  // namespace thinwire
