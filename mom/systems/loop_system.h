#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cg/impedance_matrix.h"
#include "mom/discretization/loops.h"
#include "mom/systems/loop_currents.h"
#include "mom/systems/system.h"

namespace thinwire {

/// Returns the surroundings of a structure that is_small_for_loops and has no wires in
/// the ground, whose matrix was not read from a file; nothing for others.
std::optional<LoopSurroundings> small_surroundings(std::span<const Element> elements,
                                                   const FillParameters& parameters);

/// Z I = V of a structure far smaller than the wavelength, with closed loops, in unknowns
/// in which rounding does no harm (Wilton and Glisson 1981, Vecchi 1999, "Loop-star
/// decomposition"), for any solver.
///
/// Charges act 1 / (k size)^2 more strongly than currents, so that in Z the latter are
/// lost by and by; around a closed path, where there is no charge, they are all that
/// counts. So I = L a + T b: a, currents around the loops; b, coefficients of all basis
/// functions but the first of each loop. A loop has one current all along, without
/// charge:
///
///     [ L^T V L  L^T V T ] [a]   [L^T v]
///     [ T^T V L  T^T Z T ] [b] = [T^T v],    V: currents' part of Z, and loads,
///
/// scaled to a diagonal of ones. Against the piecewise sinusoids of Z that leaves out
/// (k length)^2 / 12 of an element's length. V of loops is computed from G without its
/// constant term -jk, which gives nothing around them: so their radiation resistance is
/// exact at any frequency.
class LoopSystem {
 public:
  /// z: with loads.
  LoopSystem(const Discretization& discretization, std::vector<Loop> loops,
             const LoopSurroundings& surroundings, GreensKernel kernel,
             const ImpedanceMatrix& z);

  /// The scaled matrix. A loop's unknown stands in the place of its first function's.
  const ImpedanceMatrix& matrix() const { return matrix_; }

  /// Returns the right-hand sides of the scaled system. v: [rhs_count][n].
  std::vector<Complex> rhs(std::span<const Complex> v) const;
  /// Turns solutions of the scaled system, [rhs_count][n], into currents I.
  void make_currents(std::span<Complex> x) const;

 private:
  std::vector<Loop> loops_;
  std::vector<double> scale_;  ///< [n]
  ImpedanceMatrix matrix_;
};

}  // namespace thinwire
