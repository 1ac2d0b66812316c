#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cg/rhs_span.h"
#include "mom/problem/solution.h"
#include "mom/schedule/solve_context.h"

namespace thinwire {

/// Fields that a run asks for at one frequency, as one vector that is linear in the
/// currents: E_theta and E_phi of its patterns, then x y z at the points of its near
/// fields. Fields of sums of currents are the same sums of these vectors.
class RunFields {
 public:
  /// context must outlive this.
  RunFields(const SolveContext& context, std::size_t run, double frequency_hz);

  /// Length of the vector; 0 where the run asks for no fields.
  std::size_t size() const { return size_; }
  /// Computes the vector for one solution. Throws Error{interrupted}.
  std::vector<Complex> of(std::span<const Complex> coefficients,
                          const Monitor& monitor) const;
  /// Adds patterns and near fields to an incident wave's result.
  void add_to(FrequencyResult& result, std::span<const Complex> fields) const;

 private:
  const SolveContext& context_;
  std::size_t run_index_;
  const Run& run_;
  double frequency_hz_;
  std::size_t size_ = 0;
};

/// Fields of waves whose currents are sums of a span's basis solutions and of the
/// currents for one volt at each port: the same sums of the fields of these.
class FieldSums {
 public:
  /// fields must outlive this. Throws as RunFields::of(), and so does start().
  FieldSums(const RunFields& fields, std::span<const std::vector<Complex>> for_one_volt,
            const Monitor& monitor);

  /// Computes the fields of the basis, as far as they are not known, and their sums for
  /// waves to come. sums: of the waves; empty where none are sums.
  void start(const RhsSpan& span, const RhsSums& sums, const Monitor& monitor);

  /// Returns the fields of one of these waves, as RunFields has them.
  std::vector<Complex> of(std::size_t wave,
                          std::span<const Complex> port_voltage_v) const;

 private:
  const RunFields& fields_;
  std::vector<Complex> of_ports_, of_basis_;  ///< [ports][size], [rank][size]
  std::vector<Complex> sums_;                 ///< [waves][size]
  int restarts_ = 0;                          ///< of the span, when of_basis_ was made
};

}  // namespace thinwire
