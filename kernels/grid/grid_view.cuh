#pragma once

#include "kernels/device/complex.cuh"
#include "kernels/device/tuning.h"
#include "kernels/element/element.h"
#include "kernels/grid/grid_points.h"
#include "kernels/grid/grid_transfer.h"
#include "kernels/grid/point_stencil.h"
#include "kernels/grid/window.h"

namespace thinwire::device {

inline constexpr int max_channels = 4, row_nodes = tuning::grid_row_nodes;

/// Nodes of a tile along the axes in the grid's order; points that a block takes at once.
template <bool flat>
struct Tile {
  static constexpr int side = tuning::grid_tile_side,
                       sides[3] = {flat ? 1 : side, side, flat ? 2 * side : side},
                       threads = sides[0] * sides[1] * sides[2] / row_nodes,
                       points_at_once = flat ? tuning::grid_flat_points_at_once
                                             : tuning::grid_points_at_once;
};

/// Data that all kernels read.
struct GridView {
  int channels, interleaved;  ///< interleaved_channels()
  GridChannel channel[max_channels];
  Vec3 origin_m;
  double k_rad_per_m, inverse_spacing;
  int nodes[3], size[3];
  AxisOrder order;
  // How far nodes are apart in the box and among the data nodes, in the order of axes.
  std::size_t box_stride[3], data_stride[3];
  std::size_t box_nodes;
  const Element* elements;
  const GridPoint* points;
  const std::uint64_t* first_point;  ///< [elements + 1]

  __device__ Vec3 coordinates(Vec3 r) const {
    return order.of(inverse_spacing * (r - origin_m));
  }
  /// TubeMean's, in squared cells.
  __device__ double bend(const Element& e) const {
    return TubeMean(k_rad_per_m, e.radius_m).bend_m2 * inverse_spacing * inverse_spacing;
  }
};

/// Contribution of a point to a tile's nodes, in the precision of the grid's numbers but
/// for its place: amounts, and windows along each axis, 0 where they do not reach; x, y,
/// z stand for the axes in the grid's order, and x is 1 where the grid is flat. For a
/// tube along t, with its bend a, windows come with X = x - a t_x^2 x'', X1 = t_x x', Y =
/// -a t_y^2 y'', Y1 = t_y y', Z = -a t_z^2 z'', Z1 = -2 a t_z z', and the weight of a
/// node is (PointStencil::row)
///     (X y + x Y - 2 a X1 Y1) z + (X1 y + x Y1) Z1 + x y Z.
template <bool flat, bool tube, class Number>
struct TilePoint {
  using Real = decltype(Number::x);
  static constexpr int orders = tube ? 3 : 1, side = Tile<flat>::side,
                       windows = 3 * side;  ///< at the nodes of all axes but a flat one
  /// Windows at neighbouring nodes, read together.
  struct alignas(16) Row {
    Real at[row_nodes];
  };
  alignas(16) Real w[orders][windows];
  Number amount[max_channels];
  Vec3 at, tangent;
  Real bend;
  int first_z;  ///< node of the tile where the window along z begins

  __device__ void set(const GridView& g, const GridPoint& p, const double2* end_current) {
    const Element& e = g.elements[p.element];
    at = g.coordinates(p.position_m);
    tangent = g.order.of(e.tangent);
    bend = static_cast<Real>(g.bend(e));
    const double2 a = end_current[2 * std::size_t{p.element}],
                  b = end_current[2 * std::size_t{p.element} + 1],
                  current = p.value[0] * a + p.value[1] * b,
                  charge = p.derivative[0] * a + p.derivative[1] * b;
    for (int c = 0; c < g.channels; ++c)
      store(&amount[c], g.channel[c] == GridChannel::charge
                            ? charge
                            : component(e.tangent, g.channel[c]) * current);
  }
  __device__ Real along_x(int order, int i) const { return w[order][i]; }
  __device__ Real along_y(int order, int j) const {
    return w[order][(flat ? 0 : side) + j];
  }
  /// Windows along z from node l on, a multiple of row_nodes.
  __device__ Row along_z(int order, int l) const {
    return *reinterpret_cast<const Row*>(&w[order][(flat ? 1 : 2) * side + l]);
  }
  /// One of the windows; corner: the tile's first node along each axis.
  __device__ void set_window(const BasicWindowView<Real>& window, int place,
                             const int* corner) {
    const int axis = flat ? (place < side ? 1 : 2) : place / side,
              node = flat && axis == 2 ? place - side : place % side;
    const double x = axis == 0 ? at.x : axis == 1 ? at.y : at.z;
    const double edge = x - 0.5 * window.width, start = first_node_from(edge);
    const int cell = corner[axis] + node - static_cast<int>(start);
    if (axis == 2 && node == 0) first_z = -cell;
    Real value = 0, first = 0, second = 0;
    if (cell >= 0 && cell < window.width)
      window.template at_cell<tube>(cell, static_cast<Real>(start - edge), value, first,
                                    second);
    w[0][place] = value;
    if constexpr (tube) {
      const Real t = static_cast<Real>(axis == 0   ? tangent.x
                                       : axis == 1 ? tangent.y
                                                   : tangent.z),
                 bent = -bend * t * t * second;
      w[1][place] = (axis == 2 ? -2 * bend : 1) * t * first;
      w[2][place] = axis == 0 ? value + bent : bent;
    }
  }
};

/// Stencil of a point, for a warp: the windows along the three axes in the grid's order,
/// with derivatives for tubes, then for each row along the last the weights of those
/// (PointStencil::row).
template <bool flat, int width, bool tube, class Real>
struct Stencil {
  static constexpr int orders = tube ? 3 : 1, cells = (flat ? 2 : 3) * width,
                       rows = flat ? width : width * width, nodes = rows * width;
  Real w[3][orders][width];
  Real row[orders][rows];
  int node[3];

  /// One of its `cells`; cell 0 of an axis sets the first node too.
  __device__ void set(const BasicWindowView<Real>& window, int task, Vec3 at) {
    const int axis = task / width + (flat ? 1 : 0), cell = task % width;
    const double x = axis == 0 ? at.x : axis == 1 ? at.y : at.z;
    const double edge = x - 0.5 * width, start = first_node_from(edge);
    if (cell == 0) node[axis] = static_cast<int>(start);
    Real value, first, second;
    window.template at_cell<tube>(cell, static_cast<Real>(start - edge), value, first,
                                  second);
    w[axis][0][cell] = value;
    if constexpr (tube) {
      w[axis][1][cell] = first;
      w[axis][2][cell] = second;
    }
  }

  /// Row i width + j, of a tube along t.
  __device__ void set_row(int task, BasicVec3<Real> t, Real bend) {
    const int i = task / width, j = task % width;
    const Real x = flat ? Real{1} : w[0][0][i], y = w[1][0][j];
    if constexpr (tube) {
      const Real dx = flat ? Real{0} : w[0][1][i], dy = w[1][1][j],
                 ddx = flat ? Real{0} : w[0][2][i];
      const Real bent =
          t.x * t.x * ddx * y + t.y * t.y * x * w[1][2][j] + 2 * t.x * t.y * dx * dy;
      row[0][task] = x * y - bend * bent;
      row[1][task] = -2 * bend * t.z * (t.x * dx * y + t.y * x * dy);
      row[2][task] = -bend * t.z * t.z * x * y;
    } else {
      row[0][task] = x * y;
    }
  }

  /// Returns the weight of node l of a row.
  __device__ Real weight(int of_row, int l) const {
    Real sum = row[0][of_row] * w[2][0][l];
    if constexpr (tube) sum += row[1][of_row] * w[2][1][l] + row[2][of_row] * w[2][2][l];
    return sum;
  }
};

}  // namespace thinwire::device
