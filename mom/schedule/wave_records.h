#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mom/excitation/excitation.h"
#include "mom/loads/loads.h"
#include "mom/problem/solution.h"
#include "mom/schedule/solve_context.h"

namespace thinwire {

/// Throws Error{numeric} where a number of a solution is not finite.
void check_finite(std::span<const Complex> numbers, double frequency_hz);

/// The results that a run requests for each incident wave at one frequency, as one vector
/// that is linear in the currents: the currents of its ports; currents and charges at the
/// centres of the segments, or coefficients, where they are kept or loads need them;
/// E_theta and E_phi of its patterns; x y z at the points of its near fields. Records of
/// sums of currents are the same sums of these vectors.
class WaveRecords {
 public:
  /// All references must outlive this.
  WaveRecords(const SolveContext& context, std::size_t run, double frequency_hz,
              const Ports& ports, const LoadModel& loads);

  /// Length of the vector.
  std::size_t size() const { return size_; }
  /// Number of ports, whose currents come first.
  std::size_t ports() const { return ports_.count(); }

  /// Computes the vectors of several solutions. coefficients: [count][unknowns], records:
  /// [count][size()]. Throws Error{interrupted}.
  void compute(std::span<const Complex> coefficients, std::span<Complex> records,
               const Monitor& monitor) const;
  /// Completes an incident wave's result but for its ports. Throws Error{numeric} where
  /// the record is not finite.
  void add_to(FrequencyResult& result, std::span<const Complex> record) const;

 private:
  const SolveContext& context_;
  std::size_t run_index_;
  const Run& run_;
  double frequency_hz_;
  const Ports& ports_;
  const LoadModel& loads_;
  SegmentCentres centres_;
  std::size_t unknowns_, segments_;
  bool
      coefficients_;  ///< whether a record has them, in the place of currents and charges
  std::size_t size_;
};

}  // namespace thinwire
