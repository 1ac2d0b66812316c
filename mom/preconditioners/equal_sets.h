#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cg/precondition/overlap.h"
#include "kernels/base/large_vector.h"
#include "kernels/base/monitor.h"
#include "kernels/element/medium.h"
#include "kernels/matrix/matrix_update.h"
#include "mom/discretization/discretization.h"

namespace thinwire {

/// Basis functions by what their entries of Z depend on: the shapes of their elements,
/// what loads them, and where they are. Two functions are alike where one is the other
/// shifted, to 1e-5 of a cell: entries then differ in the sixth digit, and a
/// preconditioner is stored in seven.
class FunctionShapes {
 public:
  /// where: must outlive this. loads: as LoadModel::updates(). cell_m: cell_length_m.
  FunctionShapes(const Discretization& where, std::span<const MatrixUpdate> loads,
                 double cell_m);

  Vec3 place_m(std::uint32_t m) const { return place_m_[m]; }
  /// Returns a key that is equal for functions that are alike and have the same place
  /// relative to from_m.
  std::uint64_t key(std::uint32_t m, Vec3 from_m) const;
  /// Whether b is a, shifted.
  bool shifted(std::uint32_t a, std::uint32_t b, Vec3 shift_m) const;

  /// Returns a key of all functions of a set, whatever their order, relative to the low
  /// corner of its own functions, whose height counts over ground.
  std::uint64_t set_key(std::span<const std::uint32_t> own,
                        std::span<const std::uint32_t> around, bool over_ground) const;
  Vec3 low_corner_m(std::span<const std::uint32_t> functions) const;
  double tolerance_m() const;

 private:
  const Discretization& where_;
  double cell_m_;
  LargeVector<Vec3> place_m_;         ///< [functions]
  LargeVector<std::uint64_t> shape_;  ///< [functions], with loads
};

/// Marks each set that is an earlier one, shifted (OverlappingSet::same_as), and puts its
/// functions into that one's order. over_ground: images are there, so that sets at
/// different heights have different matrices.
void mark_equal_sets(const FunctionShapes& shapes, bool over_ground,
                     std::span<OverlappingSet> sets);

/// Returns for each set the one that has its matrix: same_as, or itself.
std::vector<std::size_t> owners(std::span<const OverlappingSet> sets);

/// FunctionPlaces::blocks with those that are equal marked, as equal antennas are.
std::vector<OverlappingSet> marked_blocks(const Discretization& where, Medium medium,
                                          std::span<const MatrixUpdate> loads);

/// FunctionPlaces::boxes with those that are equal marked, for the matrix with these
/// loads. Throws what the monitor throws, which is asked between the steps.
std::vector<OverlappingSet> overlapping_sets(const Discretization& where, BoxSize size,
                                             Medium medium,
                                             std::span<const MatrixUpdate> loads,
                                             const Monitor& monitor = {});

}  // namespace thinwire
