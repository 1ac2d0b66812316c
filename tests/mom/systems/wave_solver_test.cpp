#include "mom/systems/wave_solver.h"

#include <cmath>

#include <gtest/gtest.h>

#include "cg/many_rhs.h"
#include "cg/vector_ops.h"
#include "mom/schedule/solved_fields.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::wave_solver_test {
namespace {

constexpr double k_rad_per_m = 2 * pi;

/// Three dipoles of two directions.
Structure dipoles() {
  Structure structure;
  structure.add_wire(1, 15, {0, 0, 0.5}, {0, 0, 1}, 0.001);
  structure.add_wire(2, 15, {0.3, 0, 0.5}, {0.3, 0.1, 1}, 0.001);
  structure.add_wire(3, 15, {0, 0.4, 0.5}, {0.1, 0.8, 0.7}, 0.001);
  return structure;
}

IncidentWaves grid(std::int64_t theta_count, std::int64_t phi_count) {
  IncidentWaves waves;
  waves.theta_count = theta_count;
  waves.phi_count = phi_count;
  waves.first.theta_deg = 3;
  waves.theta_step_deg = 170.0 / static_cast<double>(theta_count);
  waves.phi_step_deg = 360.0 / static_cast<double>(phi_count);
  return waves;
}

/// Solves D I = V for a diagonal D, to a relative error of its choice, and counts.
class CountingSolver final : public CurrentSolver {
 public:
  explicit CountingSolver(double error = 0) : error_(error) {}

  static Complex diagonal(std::size_t i) {
    return {3.0 + static_cast<double>(i % 5), -1};
  }

  std::vector<std::vector<Complex>> solve(
      const std::vector<std::vector<Complex>>& v) override {
    std::vector<std::vector<Complex>> x = v;
    residuals_.clear();
    for (std::vector<Complex>& solution : x) {
      for (std::size_t i = 0; i < solution.size(); ++i)
        solution[i] *= (1 + error_) / diagonal(i);
      residuals_.push_back(std::abs(error_));
    }
    solved += v.size();
    return x;
  }
  bool takes_any_rhs() const override { return true; }
  void set_tolerance(double tolerance) override {
    min_tolerance = std::min(min_tolerance, tolerance);
  }
  std::vector<double> residuals() const override { return residuals_; }
  const SolverReport& report() const override { return report_; }
  bool keeps_small_loops() const override { return false; }

  std::size_t solved = 0;
  double min_tolerance = 1;

 private:
  double error_;
  std::vector<double> residuals_;
  SolverReport report_;
};

struct Waves {
  Structure structure = dipoles();
  Discretization where{structure, {}};
  IncidentField field{where, k_rad_per_m, GreensKernel::exact, Ground::none};

  using Components = IncidentField::Components;
  std::vector<Components> some(const IncidentWaves& all, std::size_t first,
                               std::size_t step) const {
    std::vector<Components> waves;
    for (std::size_t i = first; i < all.count(); i += step)
      waves.push_back(IncidentField::components_of(all.at(i)));
    return waves;
  }

  void expect_solved(std::span<const Components> waves, const WaveCurrents& got,
                     const RhsSpan& span, double error = 0) const {
    std::vector<Complex> sums(waves.size() * where.unknowns());
    add_sums(span.basis_solutions(), got.sums.coefficients, sums, waves.size());
    for (std::size_t i = 0; i < waves.size(); ++i) {
      const auto& [from, e_theta, e_phi] = waves[i];
      const std::vector<Complex> v = field.excitation(from, e_theta, e_phi);
      const auto x = got.is_sum[i]
                         ? std::span(sums).subspan(i * where.unknowns(), where.unknowns())
                         : std::span<const Complex>(got.alone_a[i]);
      std::vector<Complex> residual;
      for (std::size_t m = 0; m < v.size(); ++m)
        residual.push_back(v[m] - CountingSolver::diagonal(m) * x[m]);
      const double relative = norm2(residual) / norm2(v);
      EXPECT_LT(relative, error + 1e-12) << i;
      EXPECT_LT(relative, got.residuals.at(i) + 1e-14) << i;
    }
  }
};

TEST(WaveSolver, SolvesForABasisOnly) {
  const Waves waves;
  const IncidentWaves all = grid(40, 30);
  CountingSolver solver;
  const Options options;
  WaveSolver by_span(waves.field, solver, options, waves.where.unknowns(), all.count(),
                     waves.where.unknowns());
  for (std::size_t part = 0; part < 6; ++part) {
    const auto some = waves.some(all, part, 6);
    const WaveCurrents got = by_span.solve(some);
    waves.expect_solved(some, got, by_span.span());
    EXPECT_EQ(std::ranges::count(got.is_sum, 1),
              static_cast<std::ptrdiff_t>(some.size()));
  }
  EXPECT_EQ(solver.solved, by_span.span().rank());
  EXPECT_LT(by_span.span().rank(), waves.where.unknowns());
  EXPECT_LT(solver.min_tolerance, options.tolerance);
}

TEST(WaveSolver, BeginsAnewWhereTheBasisIsFull) {
  const Waves waves;
  const IncidentWaves all = grid(20, 18);
  CountingSolver solver;
  const Options options;
  WaveSolver by_span(waves.field, solver, options, waves.where.unknowns(), all.count(),
                     20);
  for (std::size_t part = 0; part < 24; ++part) {
    const auto some = waves.some(all, part, 24);  // 15 of them
    const WaveCurrents got = by_span.solve(some);
    waves.expect_solved(some, got, by_span.span());
    EXPECT_LE(by_span.span().rank(), 20u);
  }
  EXPECT_GT(by_span.span().restarts(), 0);
}

TEST(WaveSolver, SolvesAloneWhatSumsMiss) {
  // Errors of half the tolerance add up to more than it.
  const Waves waves;
  const IncidentWaves all = grid(20, 10);
  const Options options;
  CountingSolver solver(0.5 * options.tolerance);
  WaveSolver by_span(waves.field, solver, options, waves.where.unknowns(), all.count(),
                     waves.where.unknowns());
  const auto some = waves.some(all, 0, 1);
  const WaveCurrents got = by_span.solve(some);
  waves.expect_solved(some, got, by_span.span(), 0.51 * options.tolerance);
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (got.is_sum[i]) continue;
    EXPECT_EQ(got.residuals[i], 0.5 * options.tolerance);
  }
  EXPECT_GT(std::ranges::count(got.is_sum, 0), 0);
}

TEST(WaveSolver, SolvesFewWavesAlone) {
  const Waves waves;
  const IncidentWaves all = grid(5, 4);
  CountingSolver solver;
  const Options options;
  WaveSolver alone(waves.field, solver, options, waves.where.unknowns(), all.count(), 20);
  const WaveCurrents got = alone.solve(waves.some(all, 0, 1));
  EXPECT_EQ(solver.solved, all.count());
  EXPECT_EQ(std::ranges::count(got.is_sum, 0), static_cast<std::ptrdiff_t>(all.count()));
}

void expect_residuals_to_hold(const IncidentWaves& waves, SolverChoice solver) {
  Problem problem;
  problem.structure = dipoles();
  thinwire::Run run;
  run.frequency_hz = {test::one_metre_wave_hz};
  run.waves = waves;
  problem.runs = {run};
  Options options;
  options.solver = solver;
  options.keep_coefficients = options.save_matrix = true;
  const Solution solution = solve(problem, options);
  const SolvedFields fields(problem, options);
  const std::size_t n = solution.unknowns;
  for (const FrequencyResult& result : solution.frequencies) {
    std::vector<Complex> residual = fields.excitation(result);
    const double size = norm2(residual);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        residual[i] -=
            solution.impedance_matrix_ohm[i * n + j] * result.coefficients_a[j];
    EXPECT_LT(norm2(residual), result.solver.relative_residual * size + 1e-13 * size);
    EXPECT_LE(result.solver.relative_residual, options.tolerance);
    EXPECT_TRUE(result.solver.converged);
  }
}

TEST(WaveSolver, ResidualsHoldAgainstTheMatrix) {
  for (const SolverChoice solver :
       {SolverChoice::direct, SolverChoice::cocg, SolverChoice::gmres}) {
    expect_residuals_to_hold(grid(20, 10), solver);
    expect_residuals_to_hold(grid(2, 110), solver);  // interpolated
  }
}

}  // namespace
}  // namespace thinwire::wave_solver_test
