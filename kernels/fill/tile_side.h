#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"
#include "kernels/element/shape_point.h"
#include "kernels/matrix/packed_tiles.h"

namespace thinwire {

/// Gauss points of one order on a list of elements, point-major so that loops over
/// elements (lanes) vectorise: value b of lane l is at [b * lanes + l].
struct LanePoints {
  std::vector<double> value[2];       ///< weight times u_j, m
  std::vector<double> derivative[2];  ///< weight times u_j' / k, m
};

/// Part of the mesh that 64 rows (or columns) of the matrix use: the elements of their
/// basis functions, each once (a lane), and how the functions are made of them.
struct TileSide {
  static constexpr std::size_t lane_group =
      8;  ///< lanes are padded to a multiple of this
  static constexpr int orders[] = {2, 3, 4, 6};

  std::size_t lanes = 0;  ///< padded
  std::size_t used_lanes = 0;
  std::vector<std::uint32_t> element_index;             ///< [used_lanes], into the mesh
  std::vector<Element> elements;                        ///< [lanes]
  std::vector<double> centre_x, centre_y, centre_z;     ///< [lanes], m
  std::vector<double> tangent_x, tangent_y, tangent_z;  ///< [lanes]
  std::vector<double> start_x, start_y, start_z;        ///< [lanes], m
  std::vector<double> radius_m, length_m, half_m;       ///< [lanes]; half the length
  LanePoints points[4];                                 ///< one for each of `orders`

  /// The functions' terms, [2][64]: index end * lanes + lane, and sign (0 where absent).
  std::vector<std::int32_t> term_index[2];
  std::vector<double> term_sign[2];

  /// A term seen from its lane: which of the 64 rows it adds to, and with what sign.
  struct RowTerm {
    std::int32_t row;
    double sign;
  };
  std::vector<RowTerm> row_terms;       ///< grouped by lane and end
  std::vector<std::int32_t> row_first;  ///< [2 lanes + 1]: group 2 lane + end

  const LanePoints& points_of(int order) const {
    return points[order == 6 ? 3 : order - 2];
  }
  /// Returns the shape values of a lane's element at Gauss point b of that order.
  ShapeValues shape(int order, int b, std::size_t lane) const {
    const LanePoints& p = points_of(order);
    const std::size_t at = static_cast<std::size_t>(b) * lanes + lane;
    return {{p.value[0][at], p.value[1][at]}, {p.derivative[0][at], p.derivative[1][at]}};
  }
};

/// Makes the side of at most 64 functions, numbers into the basis.
TileSide make_tile_side(std::span<const Element> elements,
                        std::span<const BasisFunction> basis,
                        std::span<const std::uint32_t> functions, double k_rad_per_m);

/// Block `index` (rows 64 index .. 64 index + 63) of the basis.
TileSide make_tile_side(std::span<const Element> elements,
                        std::span<const BasisFunction> basis, std::size_t index,
                        double k_rad_per_m);

/// The lanes alone, without functions: of elements first .. first + count - 1, at most
/// 128.
TileSide make_element_side(std::span<const Element> elements, std::uint32_t first,
                           std::uint32_t count, double k_rad_per_m);

}  // namespace thinwire
