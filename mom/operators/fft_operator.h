#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cg/precondition/entry_reader.h"
#include "kernels/base/monitor.h"
#include "kernels/fill/fill_input.h"
#include "kernels/fill/near_ground_pairs.h"
#include "kernels/grid/curve_order.h"
#include "kernels/grid/end_terms.h"
#include "kernels/grid/grid_operator.h"
#include "kernels/grid/near_matrix.h"
#include "kernels/matrix/matrix_update.h"
#include "mom/operators/fft_plan.h"
#include "mom/operators/operator.h"

namespace thinwire {

/// The impedance matrix of any structure as Z = jX + R + sum_c w_c P_c^T F P_c + loads:
/// currents and charges at Gauss points are spread to a uniform grid, convolved there
/// with a smooth Green's function by FFT and interpolated back; X, sparse, real and
/// symmetric, holds what pairs of elements within the near radius have beside that
/// (docs/theory/operators-fft.md), as does a complex matrix for what a real ground
/// reflects. Inside, functions are numbered along a Morton curve.
class FftOperator final : public Operator {
 public:
  /// Makes a preconditioner from this operator, z, and entries of Z.
  using MakePreconditioner = std::function<std::unique_ptr<Preconditioner>(
      PreconditionerChoice choice, const LinearOperator& z, const EntryReader& read,
      const Monitor& monitor)>;

  /// left_out: for DeviceFftOperator to make; apply() is not to be called.
  enum class NearField { whole, left_out };
  /// Elements and functions along the curve, the same at all frequencies of one plan.
  struct Order {
    CurveOrder curve;
    EndTerms terms;
  };

  /// exact: what Z is, its spans and its ground, above which all elements lie, must
  /// outlive this; tables of near pairs in it are not used, they are made. loads: as
  /// LoadModel::updates(). given: that of an operator with the same elements and near
  /// radius; null: made. Throws Error{usage} for the reduced kernel, Error{memory}, and
  /// what the monitor throws.
  FftOperator(const FillInput& exact, const FftPlan& plan,
              std::vector<MatrixUpdate> loads, const Monitor& monitor = {},
              MakePreconditioner make_preconditioner = {},
              NearField near_field = NearField::whole,
              std::shared_ptr<const Order> given = nullptr);

  std::size_t size() const override { return order().function.size(); }
  /// Multiplies. Bitwise repeatable with any number of threads.
  void apply(std::span<const Complex> x, std::span<Complex> y) const override;

  std::string_view name() const override { return "fft"; }
  /// By what the constructor was given, from the exact entries.
  std::unique_ptr<Preconditioner> make_preconditioner(
      PreconditionerChoice choice, const Monitor& monitor) const override;

  const FftPlan& plan() const { return plan_; }
  const CurveOrder& order() const { return order_->curve; }
  const EndTerms& terms() const { return order_->terms; }
  const std::shared_ptr<const Order>& shared_order() const { return order_; }
  /// Returns the input of an exact fill of Z, for the elements and functions in that
  /// order, with the near pairs that X was made from.
  FillInput exact_in_order() const;
  /// Any rows and columns of Z, loads included, by the rules of the fill. This must
  /// outlive it.
  EntryReader entries() const;
  /// The place of each function in the order.
  std::vector<std::uint32_t> places() const;
  const std::vector<MatrixUpdate>& loads() const { return loads_; }
  const GridOperator& grid() const { return *grid_; }
  const NearMatrix& near() const { return near_; }
  /// The corrections of what a real ground reflects.
  const NearMatrix& near_reflected() const { return reflected_; }
  std::size_t bytes() const;

 private:
  FillInput exact_;
  MakePreconditioner make_preconditioner_;
  FftPlan plan_;
  std::shared_ptr<const Order> order_;
  std::vector<MatrixUpdate> loads_;  ///< of the caller's numbers
  std::unique_ptr<GridOperator> grid_;
  std::unique_ptr<NearPairTable> near_pairs_;
  std::unique_ptr<NearGroundPairs> near_ground_;
  NearMatrix near_, reflected_;
};

}  // namespace thinwire
