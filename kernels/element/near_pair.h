#pragma once

#include "kernels/element/element.h"
#include "kernels/element/near_bent.h"
#include "kernels/element/near_parallel.h"

namespace thinwire {

/// Whether two elements are to be taken in the other order: the first is to have the
/// larger radius, then the greater length, then the centre that comes later in x, y, z
/// (differences that may be rounding do not count).
THINWIRE_HD inline bool pair_order_swapped(const Element& p, const Element& q) {
  if (p.radius_m != q.radius_m) return p.radius_m < q.radius_m;
  if (p.length_m != q.length_m) return p.length_m < q.length_m;
  const Vec3 d = (p.start_m + 0.5 * p.length_m * p.tangent) -
                 (q.start_m + 0.5 * q.length_m * q.tangent);
  const double rounding = 1e-9 * (p.length_m + q.length_m);
  if (std::fabs(d.x) > rounding) return d.x < 0;
  if (std::fabs(d.y) > rounding) return d.y < 0;
  return d.z < 0;
}

/// Below this sine the axes part by less than 1e-10 of the length: rounding.
THINWIRE_HD inline bool elements_parallel(const Element& p, const Element& q) {
  return norm(cross(p.tangent, q.tangent)) < 1e-10;
}

/// near_pair for two elements in that order.
THINWIRE_HD inline ElementMatrix near_pair_ordered(const Element& p, const Element& q,
                                                   double k, GreensKernel kernel) {
  return elements_parallel(p, q) ? near_parallel(p, q, k, kernel)
                                 : near_bent(p, q, k, kernel);
}

/// Mutual impedances of the shape functions of two elements that are close, touch or
/// coincide, for piecewise-sinusoidal Galerkin testing in mixed-potential form:
///   z[i][j] = (j k eta0 / 4 pi) (t_p . t_q) II u_i u_j G ds ds'
///           + (eta0 / (4 pi j k)) II u_i' u_j' G ds ds'     (ohm; ' is d/ds)
/// Right for every pair that is not identical in a way without meaning (two different
/// wires on the same place are the caller's business), also for far ones, but dear there.
///
/// What G is (radii a and b, axis distance R):
///   reduced  e^{-jkR'}/R', R'^2 = R^2 + (a^2 + b^2) / 2;
///   exact    parallel or skew tubes that do not overlap (axes nowhere nearer than
///            a + b): the mean of e^{-jkR}/R over both circumferences;
///   exact    coaxial pairs: the same mean, of two coaxial rings;
///   exact    tubes that meet at a bend or otherwise overlap: the mean of two coaxial
///            rings whose axial distance is the axis distance R. It goes over into the
///            coaxial case as the bend opens. What is left out is the true shape of the
///            mitre: that moves the self-capacitance of the bend as a change of the wire
///            length by a fraction of its radius would.
///
/// Needs 0 < k length < pi, positive radii and unit tangents. Errors against adaptive
/// quadrature, relative to the largest entry: 1e-9 coaxial, 1e-6 otherwise.
THINWIRE_HD inline ElementMatrix near_pair(const Element& p, const Element& q,
                                           double k_rad_per_m, GreensKernel kernel) {
  // One order of the two elements, so that exchanging them transposes to the last digit.
  if (pair_order_swapped(p, q))
    return transposed(near_pair_ordered(q, p, k_rad_per_m, kernel));
  return near_pair_ordered(p, q, k_rad_per_m, kernel);
}

}  // namespace thinwire
