#pragma once

#include "kernels/element/element.h"
#include "kernels/element/near_bent.h"
#include "kernels/element/near_parallel.h"
#include "kernels/element/pair_shape.h"

namespace thinwire {

/// near_pair of the turned pair, which stands for all pairs of its shape.
template <class Real>
THINWIRE_HD inline BasicElementMatrix<Real> near_pair_turned(
    BasicElement<Real> p, BasicElement<Real> q, PairSymmetry symmetry, double k,
    GreensKernel kernel, double nats = near_pair_nats) {
  symmetry.apply(p, q);
  return depend_on_offset(value_of(p), value_of(q), kernel)
             ? near_parallel(p, q, k, kernel)
             : near_bent(p, q, k, kernel, nats);
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
///   exact    the mean of e^{-jkR}/R over both circumferences; but where tubes run into
///            one another, as at a bend, that over two coaxial rings whose axial distance
///            is R, with a smooth passage between the two (tube_blend.h). For elements on
///            one line both are the same.
///
/// Needs 0 < k length < pi, positive radii and unit tangents. Errors against adaptive
/// quadrature, relative to the largest entry: 1e-9 coaxial, 1e-6 otherwise, but 3e-6 at
/// corners, 1e-5 at those of 30 degrees and 1e-4 at 5 degrees, where tubes nearly touch.
THINWIRE_HD inline ElementMatrix near_pair(const Element& p, const Element& q,
                                           double k_rad_per_m, GreensKernel kernel) {
  // One pair for all of a shape, so that exchanging the two transposes to the last digit.
  const PairSymmetry symmetry = shaped_pair(p, q).symmetry;
  return symmetry.undo(near_pair_turned(p, q, symmetry, k_rad_per_m, kernel));
}

}  // namespace thinwire
