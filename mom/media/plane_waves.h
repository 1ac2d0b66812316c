#pragma once

#include <array>
#include <span>
#include <vector>

#include "kernels/element/element.h"
#include "kernels/fields/far_field.h"
#include "kernels/ground/half_space.h"

namespace thinwire {

struct ComplexVec3 {
  Complex x, y, z;
};

inline Complex operator*(const Vec3& t, const ComplexVec3& e) {
  return t.x * e.x + t.y * e.y + t.z * e.z;
}

/// One of the plane waves that a wave from far away is made of on one side of a ground's
/// surface: E e^{jk u . r}, u being complex where it dies away.
struct SideWave {
  ComplexVec3 u;        ///< where it comes from, times its wave number over k
  ComplexVec3 theta_v;  ///< E at the origin where E_theta is 1 far away, and E_phi 0
  ComplexVec3 phi_v;    ///< the other way round
};

/// The wave that comes from `way`, met on one side of the surface z = 0 of a ground of
/// relative permittivity eps, e^{+jwt}: from its own side, that wave and the reflected
/// one; from the other, what passes the surface (Fresnel). Waves from below, cos theta <
/// 0, are those in a ground without loss, eps real. By reciprocity this is also what
/// currents on that side send to `way`.
std::vector<SideWave> waves_met(Complex eps, Direction way, GroundSide side);

/// Currents as plane waves meet them: the sum over Gauss points of I t dl, with the mean
/// over the wire's circumference of e^{jk u . r}.
class WaveMoments {
 public:
  /// end_current_a: [2 elements], at the start and the end. refraction: |wave number|
  /// over k of the fastest wave. On the axis with the reduced kernel.
  WaveMoments(std::span<const Element> elements, std::span<const Complex> end_current_a,
              GreensKernel kernel, double k_rad_per_m, double refraction);

  /// In A m, of waves with this u.
  ComplexVec3 met_by(const ComplexVec3& u) const;

 private:
  struct Moment {
    Vec3 at_m, tangent;
    Complex a_m;
    double ka2;  ///< (k a)^2; 0 for a filament
  };
  double k_rad_per_m_;
  std::vector<Moment> moments_;
};

}  // namespace thinwire
