#pragma once

#include "kernels/base/constants.h"
#include "kernels/ground/field_kernels.h"
#include "kernels/ground/source_points.h"

namespace thinwire {

struct ComplexVector {
  Complex x, y, z;

  ComplexVector& operator+=(const ComplexVector& v) {
    x += v.x;
    y += v.y;
    z += v.z;
    return *this;
  }
};

/// Returns the brackets of ground_field.h for one source point, by wave number. cosine,
/// sine: of the horizontal direction from it to the observer.
inline ComplexVector electric_terms(const SourcePoint& s, double cosine, double sine,
                                    const FieldKernels& g) {
  const auto& [h, zz, q, charge_out, charge_up] = g;
  const double along_r = s.tangent.x * cosine + s.tangent.y * sine;
  const Complex out = s.derivative * charge_out - s.moment * s.tangent.z * q;
  return {s.moment * s.tangent.x * h + out * cosine,
          s.moment * s.tangent.y * h + out * sine,
          s.moment * (s.tangent.z * zz + along_r * q) + s.derivative * charge_up};
}

inline ComplexVector magnetic_terms(const SourcePoint& s, double cosine, double sine,
                                    const FieldKernels& g) {
  const auto& [h_out, h_up, v_out, q_out, q_over_rho] = g;
  const double along_r = s.tangent.x * cosine + s.tangent.y * sine;
  const double along_phi = s.tangent.y * cosine - s.tangent.x * sine;
  // grad Gh x t_h, and the curl of the vertical components.
  const Complex around = -s.tangent.z * v_out - along_r * q_out;
  const Complex out = along_phi * q_over_rho;
  return {s.moment * (-s.tangent.y * h_up + out * cosine - around * sine),
          s.moment * (s.tangent.x * h_up + out * sine + around * cosine),
          s.moment * (along_phi * h_out)};
}

inline ComplexVector field_terms(FieldKind kind, const SourcePoint& s, double cosine,
                                 double sine, const FieldKernels& g) {
  return kind == FieldKind::electric ? electric_terms(s, cosine, sine, g)
                                     : magnetic_terms(s, cosine, sine, g);
}

/// Factor of the sum of terms that gives V/m or A/m: the kernels are times 1/k, or 1/k^2
/// where they stand without k in the sum.
inline Complex field_factor(FieldKind kind, double k_rad_per_m) {
  const double k2 = k_rad_per_m * k_rad_per_m / (4 * pi);
  return kind == FieldKind::electric ? Complex(0, -k2 * eta0_ohm) : Complex(k2);
}

}  // namespace thinwire
