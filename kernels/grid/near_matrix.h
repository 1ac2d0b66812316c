#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/element/close_pairs.h"
#include "kernels/fill/fill_input.h"
#include "kernels/grid/grid_operator.h"
#include "kernels/grid/half_sparse.h"
#include "kernels/grid/near_places.h"
#include "kernels/grid/near_rule.h"
#include "kernels/spmv/run_matrix.h"

namespace thinwire {

class DeviceFill;

/// The rule for a grid's near field.
NearRule near_rule(const GridOperator& grid);

/// Pairs of elements, of each source of the medium, whose axes come as near as r_c and
/// both radii: those whose matrices the grid does not have. Throws Error{interrupted}
/// where the monitor requests a stop; reports no progress.
std::vector<ElementPairs> near_element_pairs(std::span<const Element> elements,
                                             Medium medium, double cut_m,
                                             const Monitor& monitor = {});

/// The part of Z beside the smooth part: jX + R.
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

/// The pairs of elements whose axes come as near to each other's image as the near radius
/// of the grid's SmoothReflection.
ElementPairs near_image_pairs(std::span<const Element> elements, const GridOperator& grid,
                              const Monitor& monitor = {});
/// Corrects what a real ground reflects, likewise; complex: over these pairs the fill's
/// own matrix minus the sum over the grid's points. fill: with the ground.
NearMatrix near_reflections(const FillInput& fill, const GridOperator& grid,
                            const ElementPairs& pairs, const Monitor& monitor = {});

/// The near matrix as matrices of runs on the current GPU.
struct DeviceNearMatrix {
  std::unique_ptr<DeviceRunMatrix<double, Complex>> x, r;  ///< null where empty
  std::uint64_t entries = 0;  ///< of X, on and below the diagonal
  /// The places of X and R for a fill at another frequency; null if nobody keeps them.
  std::unique_ptr<DeviceNearPlaces> places, places_of_r;
};

/// Entries that are filled at a time: their pairs of elements, hardly more than twice as
/// many, stand on the GPU with their matrices, 37 bytes each.
inline constexpr std::uint64_t near_entries_at_once = std::uint64_t{1} << 26;

/// near_matrix on the current GPU, places and all, to 1e-7 of the largest entries. fill:
/// of the input, its wave number set. The same bits from every call, with any number of
/// entries at a time. rows: those that are filled, on and below the diagonal; several
/// GPUs each fill and keep some of the rows, and add up their products. earlier: of the
/// same elements, near radius and rows at another frequency, with its places; its memory
/// is used again. on_gpu: of this grid, whose points serve; null: none. Throws
/// Error{memory} and what the monitor throws.
DeviceNearMatrix device_near_matrix(const DeviceFill& fill, const FillInput& input,
                                    const GridOperator& grid, const Monitor& monitor = {},
                                    std::uint64_t entries_at_once = near_entries_at_once,
                                    NearShare rows = {}, DeviceNearMatrix earlier = {},
                                    const DeviceGridOperator* on_gpu = nullptr);

/// From the CPU's.
DeviceNearMatrix device_near_matrix(const NearMatrix& host);

}  // namespace thinwire
