#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cg/krylov/solver.h"
#include "kernels/base/monitor.h"
#include "kernels/fill/wavenumber_nodes.h"
#include "kernels/ground/ground_table.h"
#include "kernels/matrix/row_bands.h"
#include "mom/discretization/discretization.h"
#include "mom/loads/loads.h"
#include "mom/media/medium.h"
#include "mom/operators/fft_plan.h"
#include "mom/plan/choose_solver.h"
#include "mom/problem/options.h"

namespace thinwire {

/// Returns the control, `flexible` where the preconditioner is in complex single.
inline SolverControl control_for(const Method& method, SolverControl control) {
  control.flexible = method.preconditioner == PreconditionerChoice::overlap;
  return control;
}

/// Input of a System for all frequencies to come.
struct SystemInput {
  const Discretization& discretization;
  const Options& options;
  WavenumberRange wavenumbers;  ///< rad/m
  Medium medium;  ///< of all fills to come, the one with the most image sources
  OperatorChoice operator_choice = OperatorChoice::dense;  ///< never automatic
  const Comm* ranks = nullptr;  ///< that share the dense matrix; null: none do
  /// The planned grid of OperatorChoice::fft, at one of the frequencies; null: none.
  const FftPlan* grid = nullptr;

  /// Returns the error bound of a real ground's tables.
  double table_error() const {
    return options.finer_tables ? 0.1 * default_table_error : default_table_error;
  }
};

/// Parameters of a fill that change between frequencies.
struct FillParameters {
  double k_rad_per_m = 0;
  Ground ground = Ground::none;
  const LoadModel& loads;
  const StoredMatrix* stored = nullptr;  ///< instead of a fill, on the CPU
  /// Whether the last fill was of the same ground and loads at another frequency, so that
  /// its solutions and its preconditioner may serve.
  bool only_frequency_differs = false;
};

/// Estimated relative error of a solution because of a matrix-free operator
/// (operator_error() in operator_system.h), and the standard error of that estimate.
struct OperatorError {
  double estimate = 0, spread = 0;
};

/// Matrix or operator of one structure, with its solver, on one device. The part that is
/// the same on all devices (report, fall-back, progress) is in PreparedSystem, the only
/// class that solve() uses.
///
/// All members may throw Error{memory}, which states the need, the free memory and ways
/// out, Error{device} and Error{interrupted}. After an exception the System can be filled
/// again.
class System {
 public:
  virtual ~System() = default;

  /// Computes the matrix, loads included, and drops the result of prepare(). plan: the
  /// solver that will be prepared, for its memory.
  virtual void fill(const FillParameters& parameters, const SolverPlan& plan,
                    const Monitor& monitor) = 0;

  /// Announces the wave numbers of the next fills, rad/m: some are faster together.
  virtual void expect(std::span<const double> k_rad_per_m) { (void)k_rad_per_m; }

  /// Computes the factors or the preconditioner. Asks the monitor whether to stop.
  virtual void prepare(Method method, const Monitor& monitor) = 0;

  /// Returns true if the direct solver fits in memory in place of the prepared solver.
  virtual bool direct_fits() const = 0;

  /// Solves Z I = V with the prepared solver. v, current: [rhs_count][n]; `current` is
  /// overwritten and holds the last valid iterates. Returns one result for each
  /// right-hand side.
  virtual std::vector<SolveResult> solve(std::span<const Complex> v,
                                         std::span<Complex> current,
                                         const SolverControl& control) = 0;

  /// Estimates the operator's error in a solution for v, both [n]; none where Z is
  /// stored.
  virtual std::optional<OperatorError> operator_error(
      std::span<const Complex> v, std::span<const Complex> current) const {
    (void)v, (void)current;
    return std::nullopt;
  }

  /// Returns true if the prepared solver is accurate for closed loops that are small
  /// against the wavelength.
  virtual bool keeps_small_loops() const { return false; }

  /// Returns Preconditioner::coarse_functions of what is prepared.
  virtual std::size_t coarse_functions() const { return 0; }

  /// Notes for the user about the solver's state, one line each, empty where there is
  /// nothing to say: the matrix is nearly singular, other factors were used. `why`: the
  /// part that explains the choice of solver.
  struct Note {
    std::string text, why;
    bool nearly_singular = false;
  };
  /// The notes since the last call.
  std::vector<Note> take_notes() { return std::exchange(notes_, {}); }

  /// Returns an unfilled System that shares the immutable tables of this one, for threads
  /// that solve frequencies side by side; null if one frequency is best solved by all
  /// threads.
  virtual std::unique_ptr<System> clone() const { return nullptr; }

  /// Passes all rows of the matrix, ohm, to `take`, a band at a time, which takes memory
  /// for bands only. Where ranks share the matrix, all make this call, and only the
  /// `take` of the first is called, on the calling thread.
  virtual void gather_rows(const TakeRows& take) const = 0;
  /// Returns true if ranks share the matrix and scatter_rows() gives each its part.
  virtual bool scatters_rows() const { return false; }
  /// Distributes the rows block-cyclically, 64 at a time, and passes each rank's bands to
  /// its own `take`. All ranks make this call.
  virtual void scatter_rows(const TakeRows& take) const { (void)take; }
  /// The whole matrix, [n][n]; where ranks share it, the others get nothing.
  std::vector<Complex> dense() const {
    return collect_rows([this](const TakeRows& take) { gather_rows(take); });
  }

 protected:
  std::vector<Note> notes_;
};

}  // namespace thinwire
