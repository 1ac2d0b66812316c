#pragma once

#include <cmath>

#include "kernels/base/host_device.h"
#include "kernels/base/vec3.h"
#include "kernels/grid/window.h"

namespace thinwire {

/// The first node inside a window whose left edge is at `edge`, in cells. A hair lower
/// than the rounding of round coordinates, so that every processor takes the same one:
/// the window is not quite zero on its edges.
THINWIRE_HD inline double first_node_from(double edge) {
  return std::ceil(edge - 1e-9);
}

/// The grid nodes that a point acts on and is acted on by, with their weights: the
/// product of three windows (the first is one node of weight 1 where the grid is flat),
/// and for a tube 1 - bend (t . grad)^2 of it (TubeMean).
template <bool tube>
struct PointStencil {
  int node[3], width[3];  ///< the first node along each axis, and how many
  double value[3][WindowView::max_width];
  double first[3][tube ? WindowView::max_width : 1];
  double second[3][tube ? WindowView::max_width : 1];
  Vec3 tangent;
  double bend;  ///< TubeMean's, in squared cells

  /// at: in cells from node 0, 0, 0 of the grid; at and t in the grid's order of axes.
  PointStencil(const WindowView& window, bool flat, Vec3 at, Vec3 t, double bend_cells2)
      : node{}, width{1, window.width, window.width}, tangent(t), bend(bend_cells2) {
    const double x[3] = {at.x, at.y, at.z};
    value[0][0] = 1;
    first[0][0] = second[0][0] = 0;
    if (!flat) width[0] = window.width;
    for (int a = flat ? 1 : 0; a < 3; ++a) {
      const double edge = x[a] - 0.5 * window.width, start = first_node_from(edge);
      node[a] = static_cast<int>(start);
      window.at<tube>(start - edge, value[a], first[a], second[a]);
    }
  }

  /// The weights of node (i, j, l) as a function of l: c[0] w(l) + c[1] w'(l) + c[2]
  /// w''(l).
  struct Row {
    double c[3];
  };
  Row row(int i, int j) const {
    const double x = value[0][i], y = value[1][j];
    if constexpr (!tube) {
      return {{x * y, 0, 0}};
    } else {
      const double dx = first[0][i], dy = first[1][j];
      const Vec3 t = tangent;
      const double bent = t.x * t.x * second[0][i] * y + t.y * t.y * x * second[1][j] +
                          2 * t.x * t.y * dx * dy;
      return {{x * y - bend * bent, -2 * bend * t.z * (t.x * dx * y + t.y * x * dy),
               -bend * t.z * t.z * x * y}};
    }
  }
  double weight(const Row& r, int l) const {
    if constexpr (!tube)
      return r.c[0] * value[2][l];
    else
      return r.c[0] * value[2][l] + r.c[1] * first[2][l] + r.c[2] * second[2][l];
  }
};

}  // namespace thinwire
