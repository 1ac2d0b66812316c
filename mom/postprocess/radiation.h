#pragma once

#include <optional>
#include <span>

#include "kernels/base/large_vector.h"
#include "kernels/base/monitor.h"
#include "kernels/fields/far_field.h"
#include "mom/discretization/discretization.h"
#include "mom/problem/solution.h"
#include "mom/systems/backend.h"

namespace thinwire {

/// Whether a pattern over the ground has a lower half: waves in a real ground without
/// loss (transmitted.h). In any other nothing is left far away.
bool radiates_down(const Ground& ground);

/// The far field of a pattern's grid, V as PatternResult has it, before what lies below
/// the ground is left out. It is linear in the currents.
struct GridField {
  std::vector<Complex> e_theta_v, e_phi_v;  ///< [theta][phi]
};

/// Completes a pattern: angles, gains and the average gain. Gains are relative to
/// input_power_w, or, where the request asks for directive gain, to input_power_w -
/// loss_power_w.
PatternResult pattern_of(const PatternRequest& request, const Ground& ground,
                         GridField&& field, double input_power_w, double loss_power_w);

/// The radiating currents of one solution, and what follows from them far away.
class Radiation {
 public:
  /// backend: takes the sums; it, where and coefficients must outlive this.
  Radiation(const Discretization& discretization, std::span<const Complex> coefficients,
            double frequency_hz, GreensKernel kernel, Ground ground,
            const Backend& backend = cpu_backend());

  /// Computes the field on the request's grid. Throws Error{interrupted} when the monitor
  /// says so.
  GridField field(const PatternRequest& request, const Monitor& monitor = {}) const;

  /// Returns the pattern made by pattern_of().
  PatternResult pattern(const PatternRequest& request, double input_power_w,
                        double loss_power_w, const Monitor& monitor = {}) const {
    return pattern_of(request, ground_, field(request, monitor), input_power_w,
                      loss_power_w);
  }

  /// Power through the far sphere (the upper half over ground; what a real ground takes
  /// up is not in it), watt: Gauss-Legendre in cos(theta), over real ground in its square
  /// root, by the trapezoid rule in phi, enough points for the structure's
  /// electrical size. Nothing when directions times pieces of current are more than
  /// `max_terms`, or more than Backend::max_power_terms. Throws as pattern().
  std::optional<double> radiated_power_w(double max_terms = 1e300,
                                         const Monitor& monitor = {}) const;

 private:
  void evaluate(std::span<const Direction> directions, std::span<Complex> e_theta_v,
                std::span<Complex> e_phi_v, const Monitor& monitor) const;
  void evaluate_in_parts(const PatternRequest& request,
                         std::span<const Direction> directions,
                         std::span<Complex> e_theta_v, std::span<Complex> e_phi_v,
                         const Monitor& monitor) const;
  void add_reflected(std::span<const Direction> directions, std::span<Complex> e_theta_v,
                     std::span<Complex> e_phi_v) const;
  void add_through_ground(std::span<const Direction> directions,
                          std::span<Complex> e_theta_v, std::span<Complex> e_phi_v) const;

  /// Returns the moments of the elements outside the ground. Computed at first use, since
  /// it takes a while for millions of elements.
  const CurrentMoments& moments() const;
  double fewest_moments() const;
  CurrentMoments moments_in(Medium medium, double longest_rad = 1) const;
  /// At the start and the end of every element: [2 elements].
  LargeVector<Complex> end_currents() const;

  const Discretization& discretization_;
  std::span<const Complex> coefficients_;
  double k_rad_per_m_;
  GreensKernel kernel_;
  Ground ground_;
  bool wires_below_;
  const Backend& backend_;
  double extent_m_ = 0;  ///< radius of a sphere around the structure (and its image)
  double width_m_ = 0;   ///< radius of a vertical cylinder around it
  mutable std::optional<CurrentMoments> moments_;
};

}  // namespace thinwire
