#pragma once

#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/element/close_pairs.h"
#include "kernels/fill/fill_input.h"
#include "kernels/grid/grid_operator.h"
#include "kernels/grid/half_sparse.h"
#include "kernels/spmv/run_matrix.h"

namespace thinwire {

class DeviceFill;

/// Pairs of elements, of each source of the medium, whose axes come as near as r_c and
/// both radii: those whose matrices the grid does not have.
std::vector<ElementPairs> near_element_pairs(std::span<const Element> elements,
                                             Medium medium, double cut_m);

/// What Z has beside the smooth part: jX + R.
struct NearMatrix {
  /// Over all near pairs of elements, the imaginary part of the fill's own matrix minus
  /// the smooth sum over the grid's Gauss points, ohm. G - G_s is real, so the real parts
  /// cancel,
  HalfSparse x;
  /// but where tubes overlap at a bend, which the fill takes for coaxial rings
  /// (near_pair.h), or are too thick for the grid's second order in their radii. That
  /// difference; few entries, or none.
  HalfSparse r;
};

/// fill: of the same elements as the grid, with those near pairs tabulated or not. Throws
/// what the monitor throws.
NearMatrix near_matrix(const FillInput& fill, const GridOperator& grid,
                       const std::vector<ElementPairs>& pairs,
                       const Monitor& monitor = {});

/// The places of the entries alone: values are empty.
NearMatrix near_pattern(const FillInput& fill, const GridOperator& grid,
                        const std::vector<ElementPairs>& pairs);

/// near_matrix on the current GPU, to 1e-7 of the largest entries: values into matrices
/// that were made from the pattern. fill: of the input, its wave number set. r: null
/// where its pattern is empty; all real parts of its entries count. Waits. Throws
/// Error{memory}.
void fill_near_matrix(const DeviceFill& fill, const FillInput& input,
                      const GridOperator& grid, const NearMatrix& pattern,
                      DeviceRunMatrix<double, Complex>& x,
                      DeviceRunMatrix<double, Complex>* r);

/// As a matrix of runs, with the values where there are any.
RunMatrix<double> run_matrix_of(const HalfSparse& half);

}  // namespace thinwire
