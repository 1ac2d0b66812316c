#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mom/loads/loads.h"
#include "mom/problem/frequency_outcome.h"
#include "mom/schedule/recorded_currents.h"
#include "mom/schedule/solve_context.h"
#include "mom/systems/prepared_system.h"

namespace thinwire {

/// Solves runs at single frequencies, one after the other, keeping the matrix while only
/// the sources change. What it changes is its own, so that each thread may have one.
class FrequencySolver {
 public:
  /// context must outlive this.
  explicit FrequencySolver(const SolveContext& context) : context_(context) {}

  /// All results of a run at one of its frequencies. Throws Error (geometry, memory,
  /// device, numeric, interrupted).
  /// kept: gets all currents that it took.
  FrequencyOutcome solve(std::size_t run, double frequency_hz, const Monitor& monitor,
                         RecordedCurrents* kept = nullptr);

  /// These frequencies of the last run come next: some are filled faster together.
  void expect(std::span<const double> frequency_hz);

  /// Another one that shares what the last run's frequencies have in common, for another
  /// thread; null where one frequency is best solved by all threads.
  std::unique_ptr<FrequencySolver> clone() const;

  /// The matrix of the last one, as System::gather_rows() and System::scatter_rows() give
  /// it.
  void gather_rows(const TakeRows& take) const { system_->gather_rows(take); }
  bool scatters_rows() const { return system_->scatters_rows(); }
  void scatter_rows(const TakeRows& take) const { system_->scatter_rows(take); }
  std::vector<Complex> dense() const { return system_->dense(); }

 private:
  /// The parameters that the matrix was filled for.
  struct Filled {
    double frequency_hz = 0;
    Ground ground = Ground::none;
    std::vector<Load> loads;
    bool operator==(const Filled&) const = default;
  };

  void take_system(std::size_t run);
  void set_system(std::unique_ptr<System> system, std::size_t run);
  void prepare(std::size_t run, double frequency_hz, const Monitor& monitor);
  std::shared_ptr<const StoredMatrix> stored_matrix(const Run& run,
                                                    double frequency_hz) const;

  const SolveContext& context_;
  FrequencyOutcome outcome_;  ///< of the run in work

  // The system in force, and what it was made for.
  std::unique_ptr<PreparedSystem> system_;
  std::size_t system_run_ = 0;
  WavenumberRange range_;
  // Its matrix.
  std::unique_ptr<LoadModel> load_model_;
  std::optional<Filled> filled_;
};

}  // namespace thinwire
