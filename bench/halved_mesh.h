#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "mom/plan/run_meshes.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// The graded mesh of a problem of one run and one frequency, with every element in
/// halves, solved. The piecewise sinusoids on the whole elements are sums of those on
/// their halves, exactly: with P, the former as columns in terms of the latter,
/// P^T Z P is the matrix of the whole elements with every integral taken in pieces half
/// as long.
class HalvedMesh {
 public:
  /// Over real ground on the CPU, with Options::finer_tables. Keeps the whole matrix.
  HalvedMesh(const Problem& single, Options options);

  const Discretization& whole() const { return coarse_.of(0); }
  const Discretization& halves() const { return fine_.of(0); }
  double k_rad_per_m() const { return k_; }
  /// Returns the matrix of the halves, ohm, [n][n], loads included.
  const std::vector<Complex>& matrix() const { return solution_.impedance_matrix_ohm; }
  const FrequencyResult& result() const { return solution_.frequencies.front(); }
  double seconds() const { return solution_.timings_s.total; }

  /// P c: currents of the whole elements carried over to their halves.
  std::vector<Complex> in_halves(const std::vector<Complex>& coefficients) const;
  /// P^T v.
  std::vector<Complex> on_whole(const std::vector<Complex>& v) const;
  /// P^T Z P, [whole().unknowns()] squared.
  std::vector<Complex> matrix_on_whole() const;

 private:
  double k_;
  RunMeshes coarse_, fine_;
  Solution solution_;
  /// P: of each function of whole elements, those of halves.
  std::vector<std::vector<std::pair<std::size_t, double>>> columns_;
};

/// Solves the single run on the graded mesh with the matrix_on_whole() of its halves.
FrequencyResult solve_with_finer_integrals(const Problem& single, const Options& options,
                                           const HalvedMesh& halved);

}  // namespace thinwire
