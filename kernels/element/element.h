#pragma once

#include "kernels/base/complex.h"
#include "kernels/base/vec3.h"

namespace thinwire {

/// One mesh element: a straight piece of round wire that carries two piecewise-sinusoidal
/// shape functions, u_0(s) = sin k(L - s) / sin kL (1 at its start) and u_1(s) = sin ks /
/// sin kL (1 at its end), s being the distance from the start. Real: double or Dual.
template <class Real>
struct BasicElement {
  BasicVec3<Real> start_m;
  BasicVec3<Real> tangent;  ///< unit vector
  Real length_m{};
  Real radius_m{};
};
using Element = BasicElement<double>;

/// Without derivatives.
template <class Real>
THINWIRE_HD inline Element value_of(const BasicElement<Real>& e) {
  return {value_of(e.start_m), value_of(e.tangent), value_of(e.length_m),
          value_of(e.radius_m)};
}

/// Whether it lies in the ground, z < 0. Elements do not cross the surface.
THINWIRE_HD inline bool is_below(const Element& e) {
  return e.start_m.z + 0.5 * e.length_m * e.tangent.z < 0;
}

/// Which Green's function the thin-wire approximation uses.
enum class GreensKernel {
  exact,    ///< mean of e^{-jkR}/R over both circumferences
  reduced,  ///< filament at R^2 = |r - r'|^2 + (a_p^2 + a_q^2) / 2, as in NEC-2
};

/// Mutual impedances, ohm, of the shape functions of two elements: z[i][j] is that of u_i
/// on the first with u_j on the second.
template <class Real>
struct BasicElementMatrix {
  BasicComplex<Real> z[2][2];

  /// Returns the matrix of the two elements in the other order.
  friend THINWIRE_HD BasicElementMatrix transposed(const BasicElementMatrix& m) {
    return {{{m.z[0][0], m.z[1][0]}, {m.z[0][1], m.z[1][1]}}};
  }
};
using ElementMatrix = BasicElementMatrix<double>;

}  // namespace thinwire
