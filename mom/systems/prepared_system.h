#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mom/problem/solution.h"
#include "mom/systems/current_solver.h"
#include "mom/systems/system.h"

namespace thinwire {

/// The part of a System that is common to all devices: fills and prepares it by the plan,
/// reports progress, times and the solver's work, and falls back to the direct solver
/// with a warning where `auto` chose an iteration that fails.
class PreparedSystem final : public CurrentSolver {
 public:
  struct Context {
    const Options& options;
    Timings& timings_s;
    std::function<void(std::string)> warn;
  };

  PreparedSystem(std::unique_ptr<System> system, Context context)
      : system_(std::move(system)),
        context_(std::move(context)),
        tolerance_(context_.options.tolerance) {}

  void expect(std::span<const double> k_rad_per_m) { system_->expect(k_rad_per_m); }

  /// Fills the matrix and makes the solver ready.
  void prepare(const FillParameters& parameters, const SolverPlan& plan,
               const Monitor& monitor);

  std::vector<std::vector<Complex>> solve(
      const std::vector<std::vector<Complex>>& v) override;
  bool takes_any_rhs() const override { return true; }
  void set_tolerance(double tolerance) override { tolerance_ = tolerance; }
  std::vector<double> residuals() const override { return residuals_; }
  void watch(const Monitor& monitor) override { solving_ = monitor; }
  void feeds(Complex voltage_v) override { voltage_v_ = voltage_v; }
  const SolverReport& report() const override { return report_; }
  bool keeps_small_loops() const override { return system_->keeps_small_loops(); }
  /// Resets the report: the next excitations belong to another result, whose solution
  /// `monitor` watches.
  void start(const Monitor& monitor);

  /// Returns System::clone() of the prepared system; null if there is none.
  std::unique_ptr<System> clone() const { return system_->clone(); }
  void gather_rows(const TakeRows& take) const { system_->gather_rows(take); }
  bool scatters_rows() const { return system_->scatters_rows(); }
  void scatter_rows(const TakeRows& take) const { system_->scatter_rows(take); }
  std::vector<Complex> dense() const { return system_->dense(); }

 private:
  void make_ready();
  void pass_notes_on();
  void add_to_report(std::vector<SolveResult>&& results);
  void add_impedances(std::span<const Complex> reactions);
  void check_operator(std::span<const Complex> v, std::span<const Complex> current);
  bool go_on_with_direct(const std::vector<SolveResult>& ended);
  SolverControl control() const;

  std::unique_ptr<System> system_;
  Context context_;
  SolverPlan plan_;
  SolverReport report_;
  Monitor monitor_, solving_;
  double tolerance_;
  Complex voltage_v_ = 0;          ///< for the next solve(); 0: unknown
  std::vector<double> residuals_;  ///< of the last solve()
  /// Whether the reason for a nearly singular matrix was given already.
  bool singular_explained_ = false;
  double frequency_hz_ = 0;
  bool operator_warned_ = false;
};

}  // namespace thinwire
