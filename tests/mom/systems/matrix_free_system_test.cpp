#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "mom/systems/operator_system.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::matrix_free_system_test {
namespace {

/// A diagonal matrix that changes slowly with k, or beyond recognition.
class Diagonal final : public LinearOperator {
 public:
  Diagonal(std::size_t n, double k, double change) {
    for (std::size_t i = 0; i < n; ++i)
      entries_.push_back(std::polar(1.0, change * k * static_cast<double>(i * i)));
  }
  std::size_t size() const override { return entries_.size(); }
  void apply(std::span<const Complex> x, std::span<Complex> y) const override {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = entries_[i] * x[i];
  }
  Complex at(std::size_t i) const { return entries_[i]; }

 private:
  std::vector<Complex> entries_;
};

/// About its inverse.
class Inverse final : public Preconditioner {
 public:
  explicit Inverse(Diagonal z) : z_(std::move(z)) {}
  std::size_t size() const override { return z_.size(); }
  void apply(std::span<const Complex> r, std::span<Complex> z) const override {
    for (std::size_t i = 0; i < r.size(); ++i)
      z[i] = (1 + 0.05 * std::cos(static_cast<double>(i))) / z_.at(i) * r[i];
  }

 private:
  Diagonal z_;
};

class DiagonalSystem final : public MatrixFreeSystem {
 public:
  DiagonalSystem(const SystemInput& input, double change)
      : MatrixFreeSystem(input), change_(change) {}
  void fill(const FillParameters& parameters, const SolverPlan&,
            const Monitor&) override {
    take(parameters, {});
    z_ = std::make_unique<Diagonal>(input_.discretization.unknowns(), exact_.k_rad_per_m,
                                    change_);
  }
  int made = 0;

 private:
  const LinearOperator& z() const override { return *z_; }
  Preconditioner* preconditioner() override { return inverse_.get(); }
  void reset_preconditioner() override { inverse_.reset(); }
  void make_preconditioner(const Monitor&) override {
    ++made;
    inverse_ = std::make_unique<Inverse>(*z_);
  }
  std::vector<SolveResult> iterate(std::span<const Complex> v, std::span<Complex> current,
                                   const SolverControl& control) override {
    return solve_rhs(Recurrence::gmres, *z_, inverse_.get(), v, current, control);
  }

  double change_;
  std::unique_ptr<Diagonal> z_;
  std::unique_ptr<Inverse> inverse_;
};

/// A sweep of three wave numbers, 0.1 % apart.
class Sweep {
 public:
  explicit Sweep(double change)
      : system_({mesh_, options_, {1, 1.002, 3}, {}, OperatorChoice::fft}, change) {}

  /// Solves at 1 + 0.001 step.
  SolveResult solve(int step, bool only_frequency_differs) {
    const double k = 1 + 0.001 * step;
    system_.fill({k, Ground::none, loads_, nullptr, only_frequency_differs}, {}, {});
    system_.prepare({}, {});
    std::vector<Complex> v(mesh_.unknowns()), current(v.size(), 7.0);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = 1.0 + static_cast<double>(i % 5);
    SolverControl control;
    control.tolerance = 1e-8;
    return system_.solve(v, current, control).front();
  }
  int made() const { return system_.made; }

 private:
  static Structure wire() {
    Structure structure;
    structure.add_wire(1, 60, {0, 0, 0}, {0, 0, 1}, 1e-3);
    return structure;
  }

  Options options_;
  Discretization mesh_ = {wire(), MeshOptions{}};
  LoadModel loads_ = {mesh_, {}, test::one_metre_wave_hz, Ground::none};
  DiagonalSystem system_;
};

void expect_solved(const SolveResult& result) {
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LE(result.relative_residual, 1e-8);
  EXPECT_EQ(result.residual_history.size(),
            static_cast<std::size_t>(result.iterations) + 1);
}

TEST(MatrixFreeSystem, MakesAPreconditionerAnewWhereTheEarlierOneFails) {
  Sweep sweep(1e3);
  const SolveResult first = sweep.solve(0, false), second = sweep.solve(1, true);
  expect_solved(first);
  expect_solved(second);
  EXPECT_EQ(sweep.made(), 2);
  // Twice as many and four with the earlier one, and those of the new one.
  EXPECT_LE(second.iterations, 3 * first.iterations + 5);
  EXPECT_GE(second.iterations, 2 * first.iterations);
  const SolveResult third = sweep.solve(2, true);  // beyond half of that distance
  expect_solved(third);
  EXPECT_EQ(sweep.made(), 3);
  EXPECT_LE(third.iterations, first.iterations + 1);
}

TEST(MatrixFreeSystem, KeepsAPreconditionerWhileOnlyTheFrequencyDiffers) {
  Sweep sweep(1e-3);
  const SolveResult first = sweep.solve(0, false), second = sweep.solve(1, true);
  expect_solved(second);
  EXPECT_EQ(sweep.made(), 1);
  EXPECT_LT(second.iterations, first.iterations);
  const SolveResult other_loads = sweep.solve(1, false);
  EXPECT_EQ(sweep.made(), 2);
  EXPECT_EQ(other_loads.iterations, first.iterations);
}

}  // namespace
}  // namespace thinwire::matrix_free_system_test
