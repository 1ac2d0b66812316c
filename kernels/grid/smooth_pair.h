#pragma once

#include "kernels/element/element.h"
#include "kernels/grid/grid_points.h"
#include "kernels/grid/split_kernel.h"

namespace thinwire {

/// sum over the Gauss points of p and q of ((t_p . t_q) u_i u_j - u_i' u_j' / k^2) Re
/// G_s, m: what a near pair's matrix is to be rid of, as the grid has it already.
struct SmoothPair {
  double sum[2][2];
};

/// kernel: SplitKernelView or BoundedWave. p, points_p, count_p: an element and its
/// points; mirrored: its image in z = 0 instead. tubes: with the second order in radii.
template <class Kernel>
THINWIRE_HD inline SmoothPair smooth_pair(const Kernel& kernel, Element p,
                                          const GridPoint* points_p, int count_p,
                                          bool mirrored, const Element& q,
                                          const GridPoint* points_q, int count_q,
                                          bool tubes) {
  if (mirrored) p.tangent.z = -p.tangent.z;
  const double cosine = dot(p.tangent, q.tangent),
               bend_p = TubeMean(kernel.k, p.radius_m).bend_m2,
               bend_q = TubeMean(kernel.k, q.radius_m).bend_m2;
  SmoothPair out{};
  for (int a = 0; a < count_p; ++a) {
    const GridPoint& at = points_p[a];
    Vec3 position = at.position_m;
    if (mirrored) position.z = -position.z;
    double value[2] = {}, derivative[2] = {};
    for (int b = 0; b < count_q; ++b) {
      const Vec3 r = position - points_q[b].position_m;
      const double g = tubes ? bent(kernel.template at<4>(dot(r, r)), r, p.tangent,
                                    q.tangent, bend_p, bend_q)
                             : kernel.template at<0>(dot(r, r)).d[0];
      for (int j = 0; j < 2; ++j) {
        value[j] += g * points_q[b].value[j];
        derivative[j] += g * points_q[b].derivative[j];
      }
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        out.sum[i][j] +=
            cosine * at.value[i] * value[j] - at.derivative[i] * derivative[j];
  }
  return out;
}

}  // namespace thinwire
