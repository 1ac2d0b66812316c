#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "cg/krylov/preconditioner_reuse.h"
#include "cg/krylov/previous_solutions.h"
#include "cg/preconditioner.h"
#include "kernels/fill/fill_input.h"
#include "mom/media/ground_cache.h"
#include "mom/operators/fft_operator.h"
#include "mom/operators/operator.h"
#include "mom/preconditioners/schwarz.h"
#include "mom/systems/system.h"

namespace thinwire {

/// SystemInput::operator_choice: FftOperator, or ToeplitzOperator of the antenna's
/// lattice. exact: what Z is, without the loads. levels: of overlapping blocks. Throws
/// what its constructor does.
std::unique_ptr<Operator> make_operator(const SystemInput& input, const FillInput& exact,
                                        const std::vector<MatrixUpdate>& loads,
                                        SchwarzLevels levels, const Monitor& monitor);

/// Makes the operator of `fft`. earlier: of the same input at another frequency, whose
/// order serves if both have one plan; or null. Throws what plan_fft and FftOperator
/// throw.
std::unique_ptr<FftOperator> make_fft_operator(
    const SystemInput& input, const FillInput& exact,
    const std::vector<MatrixUpdate>& loads, SchwarzLevels levels, const Monitor& monitor,
    FftOperator::NearField near_field = FftOperator::NearField::whole,
    const FftOperator* earlier = nullptr);

/// A System whose operator never makes the whole matrix, wherever it lives: what it holds
/// against the rules of Z is the same, and what it keeps between frequencies. Solves
/// start from combinations of earlier solutions, with the preconditioner of an earlier
/// frequency as long as that is faster than a new one.
class MatrixFreeSystem : public System {
 public:
  explicit MatrixFreeSystem(const SystemInput& input)
      : input_(input),
        ground_(input.discretization.elements(), input.wavenumbers, input.options.kernel,
                {input.table_error()}, input.operator_choice != OperatorChoice::fft) {}

  bool direct_fits() const override { return false; }
  void prepare(Method method, const Monitor& monitor) final;
  std::vector<SolveResult> solve(std::span<const Complex> v, std::span<Complex> current,
                                 const SolverControl& control) final;
  std::optional<OperatorError> operator_error(
      std::span<const Complex> v, std::span<const Complex> current) const override;
  void gather_rows(const TakeRows& take) const override;

 protected:
  /// Keeps the rules of Z, as read_entries takes them, and the loads, and drops a
  /// preconditioner that does not serve. Throws what the monitor throws.
  void take(const FillParameters& parameters, const Monitor& monitor);
  virtual const LinearOperator& z() const = 0;
  /// Returns these rows of Z, without loads, times a vector; here on the CPU.
  virtual std::vector<Complex> exact_rows(std::span<const std::uint32_t> rows,
                                          std::span<const Complex> current) const;

  /// Returns the table of the real ground in exact_, or null without one.
  const GroundTable* ground_table() const { return ground_.table_in(exact_); }

  /// Whether the preconditioner of an earlier fill serves.
  bool reuses_preconditioner() const { return reuses_; }
  void drop_preconditioner();
  /// Null where there is none.
  virtual Preconditioner* preconditioner() = 0;
  /// Makes that of method_.
  virtual void make_preconditioner(const Monitor& monitor) = 0;
  virtual void reset_preconditioner() = 0;
  /// Solves, from the contents of `current`.
  virtual std::vector<SolveResult> iterate(std::span<const Complex> v,
                                           std::span<Complex> current,
                                           const SolverControl& control) = 0;

  SystemInput input_;
  Method method_;
  FillInput exact_;
  std::vector<MatrixUpdate> loads_;

 private:
  void renew_preconditioner(const Monitor& monitor);
  void iterate_anew(std::span<const Complex> v, std::span<Complex> current,
                    SolverControl control, std::vector<SolveResult>& results);

  GroundCache ground_;
  PreconditionerReuse reuse_;
  bool reuses_ = false;
  /// Solutions for the first right-hand sides of each frequency, max_rhs_count in each.
  std::array<PreviousSolutions, 4> previous_;
  std::size_t solved_ = 0;  ///< groups of right-hand sides since the fill
};

/// On the CPU.
class OperatorSystem final : public MatrixFreeSystem {
 public:
  using MatrixFreeSystem::MatrixFreeSystem;

  void fill(const FillParameters& parameters, const SolverPlan& plan,
            const Monitor& monitor) override;
  std::size_t coarse_functions() const override {
    return preconditioner_ ? preconditioner_->coarse_functions() : 0;
  }

 private:
  const LinearOperator& z() const override { return *operator_; }
  Preconditioner* preconditioner() override { return preconditioner_.get(); }
  void make_preconditioner(const Monitor& monitor) override;
  void reset_preconditioner() override { preconditioner_.reset(); }
  std::vector<SolveResult> iterate(std::span<const Complex> v, std::span<Complex> current,
                                   const SolverControl& control) override;

  std::unique_ptr<Operator> operator_;
  std::unique_ptr<Preconditioner> preconditioner_;
};

/// Rows of Z with which operator_error() weighs a solution, ascending. weight: one over
/// the probability with which a row was drawn; 1 for those that are always taken.
struct RowSample {
  std::vector<std::uint32_t> rows;
  std::vector<double> weight;
};

/// Draws rows with probability proportional to |I|: the largest currents' always, others
/// at equal steps of the sum of |I| from a start that depends on the size alone
/// (systematic sampling: Madow 1949). All rows of few unknowns.
RowSample sampled_rows(std::span<const Complex> current);

/// These rows of Z, without loads, times a vector, on the CPU.
std::vector<Complex> exact_rows(const FillInput& exact,
                                std::span<const std::uint32_t> rows,
                                std::span<const Complex> current);

/// The functions that have an element near one of these rows', or near its image, by the
/// rules of Z (quadrature_order.h); and some more. Ascending.
std::vector<std::uint32_t> functions_near(const FillInput& exact,
                                          std::span<const std::uint32_t> rows);

/// Estimates the error of an operator Z' in the solution I for v from some rows of its
/// product, `product`, and the exact ones, to which loads are added:
///
///     |I^T (Z - Z') I| / sum |I_r V_r|
///
/// Z is symmetric, so that I itself is the adjoint solution: to first order this is the
/// relative error of the impedance of a port that v drives, and of the field that an
/// incident wave v scatters back. Where the terms of V^T I cancel, as for feeds in
/// quadrature, I^H takes the place of I^T.
OperatorError operator_error(std::span<const Complex> exact_rows,
                             std::span<const MatrixUpdate> loads, const RowSample& sample,
                             std::span<const Complex> product, std::span<const Complex> v,
                             std::span<const Complex> current);

/// The rows of Z, loads included, from its rules, on all threads: a band for each of them
/// at a time.
void rows_from_entries(const FillInput& exact, std::span<const MatrixUpdate> loads,
                       const TakeRows& take);

}  // namespace thinwire
