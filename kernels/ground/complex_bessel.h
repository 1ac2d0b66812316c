#pragma once

#include "kernels/base/complex.h"

namespace thinwire {

/// A cylinder function of orders 0 and 1 at one argument.
struct CylinderPair {
  HdComplex order_0, order_1;
};

/// H0 and H1 of the first kind, z not zero: relative error 1e-13 where 0 <= Im z <=
/// 0.9 |z|, and where Im z >= -2 beyond |z| = 8. By K0 and K1 of -jz: their series
/// (|z| < 4), or their integral by Gauss-Hermite quadrature.
CylinderPair hankel_1(HdComplex z);

/// H0 and H1 of the second kind: the conjugate of hankel_1(conj z).
CylinderPair hankel_2(HdComplex z);

/// J0 and J1, |Im z| <= 2, Re z >= 0: absolute error 1e-13. By their series (|z| < 8), or
/// as the mean of both Hankel functions.
CylinderPair bessel_j(HdComplex z);

/// Which cylinder function a part of the path has (spectral_path.h): J, H1 / 2, H2 / 2.
enum class CylinderFactor { bessel, half_hankel_1, half_hankel_2 };
CylinderPair cylinder(CylinderFactor factor, HdComplex z);

}  // namespace thinwire
