#include "mom/systems/wave_solver.h"
#include "cg/comm.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace thinwire {
namespace {

/// Passes over the waves in which the basis may grow; rounding ends it after two.
constexpr int max_rounds = 3;
/// Residuals of basis vectors add up: |c_1| + ... is up to 37 times |v| with 250 of them.
constexpr double room_for_sums = 64;
/// Below this no solver is asked to go.
constexpr double min_tolerance = 1e-13;

std::vector<std::vector<Complex>> separate(std::span<const Complex> together,
                                           std::size_t n) {
  std::vector<std::vector<Complex>> vectors;
  for (std::size_t first = 0; first < together.size(); first += n)
    vectors.emplace_back(together.begin() + static_cast<std::ptrdiff_t>(first),
                         together.begin() + static_cast<std::ptrdiff_t>(first + n));
  return vectors;
}

}  // namespace

WaveSolver::WaveSolver(const IncidentField& field, CurrentSolver& solver,
                       const Options& options, std::size_t unknowns, std::size_t waves,
                       std::size_t max_rank)
    : field_(field),
      solver_(solver),
      options_(options),
      unknowns_(unknowns),
      max_rank_(max_rank),
      spans_(waves >= min_waves_for_span && solver.takes_any_rhs()),
      span_(spans_ ? unknowns : 0) {}

void WaveSolver::form_basis(std::span<const IncidentField::Components> waves) {
  rhs_.resize(waves.size() * unknowns_);
  field_.excitations(waves, rhs_);
  if (!spans_) return;
  expand();
  for (int round = 0;
       round < max_rounds && std::ranges::max(currents_.sums.missed) > field_.rounding();
       ++round)
    extend();
}

const WaveCurrents& WaveSolver::solve(std::span<const IncidentField::Components> waves) {
  form_basis(waves);
  currents_.is_sum.assign(waves.size(), 0);
  currents_.alone_a.assign(waves.size(), {});
  std::vector<std::size_t> alone;
  if (spans_) {
    const RhsSums& sums = currents_.sums;
    currents_.residuals = span_.residual_bounds(sums);
    broadcast(currents_.residuals);
    for (std::size_t i = 0; i < waves.size(); ++i) {
      currents_.is_sum[i] = sums.missed[i] <= field_.rounding() &&
                            currents_.residuals[i] <= options_.tolerance;
      if (!currents_.is_sum[i]) alone.push_back(i);
    }
  } else {
    alone.resize(waves.size());
    std::iota(alone.begin(), alone.end(), std::size_t{0});
  }
  solve_alone(alone);
  return currents_;
}

/// Ranks round in different ways; they are to take the same decisions.
void WaveSolver::broadcast(std::span<double> values) const {
  if (options_.ranks != nullptr) options_.ranks->broadcast(values, 0);
}

void WaveSolver::expand() {
  span_.expand(rhs_, currents_.sums);
  broadcast(currents_.sums.missed);
}

/// Extends the basis by what it misses of the waves, and expands them anew.
void WaveSolver::extend() {
  const auto find = [&] {
    RhsSpanGrowth growth;
    if (options_.ranks == nullptr || options_.ranks->rank() == 0)
      growth = span_.growth(rhs_, currents_.sums, field_.rounding());
    if (options_.ranks == nullptr) return growth;
    double count = static_cast<double>(growth.rows.size());
    broadcast({&count, 1});
    std::vector<double> rows(growth.rows.begin(), growth.rows.end());
    rows.resize(static_cast<std::size_t>(count));
    broadcast(rows);
    growth.rows.assign(rows.begin(), rows.end());
    growth.vectors.resize(rows.size() * unknowns_);
    options_.ranks->broadcast(growth.vectors, 0);
    return growth;
  };
  RhsSpanGrowth growth = find();
  if (span_.rank() > 0 && span_.rank() + growth.rows.size() > max_rank_) {
    span_.clear();
    expand();
    growth = find();
  }
  if (growth.rows.empty()) return;
  solver_.set_tolerance(std::min(
      options_.tolerance, std::max(options_.tolerance / room_for_sums, min_tolerance)));
  std::vector<Complex> solutions;
  for (const std::vector<Complex>& x : solver_.solve(separate(growth.vectors, unknowns_)))
    solutions.insert(solutions.end(), x.begin(), x.end());
  solver_.set_tolerance(options_.tolerance);
  span_.add(growth, solutions, solver_.residuals());
  expand();
}

void WaveSolver::solve_alone(std::span<const std::size_t> waves) {
  if (waves.empty()) return;
  std::vector<std::vector<Complex>> rhs;
  for (const std::size_t i : waves) {
    const auto from = std::span(rhs_).subspan(i * unknowns_, unknowns_);
    rhs.emplace_back(from.begin(), from.end());
  }
  std::vector<std::vector<Complex>> x = solver_.solve(rhs);
  const std::vector<double> residuals = solver_.residuals();
  for (std::size_t i = 0; i < waves.size(); ++i) {
    currents_.alone_a[waves[i]] = std::move(x[i]);
    if (!currents_.residuals.empty()) currents_.residuals[waves[i]] = residuals[i];
  }
}

}  // namespace thinwire
