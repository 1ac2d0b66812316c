#pragma once

#include <cmath>

#include "kernels/fill/far_pair_terms.h"
#include "kernels/ground/ground_table.h"

namespace thinwire {

/// Two elements that are far from each other's image over a real ground, as a lane of
/// vectors on a CPU and a thread on a GPU have them: all that the ground reflects, the
/// image with its tubes and the rest between the axes (ground_table.h).
struct FarReflection {
  FarPair image;   ///< of p's image and q
  double x, y, z;  ///< start of p less that of q; z: the sum of both
  Vec3 tp, tq;     ///< tangents

  THINWIRE_HD static THINWIRE_INLINE FarReflection of(const Element& p, const Element& q,
                                                      double k, bool exact) {
    const Element image = {{p.start_m.x, p.start_m.y, -p.start_m.z},
                           {p.tangent.x, p.tangent.y, -p.tangent.z},
                           p.length_m,
                           p.radius_m};
    return {FarPair::of(image, q, k, exact),
            p.start_m.x - q.start_m.x,
            p.start_m.y - q.start_m.y,
            p.start_m.z + q.start_m.z,
            p.tangent,
            q.tangent};
  }

  /// Relative position of two points at these distances from the starts.
  struct Place {
    double rho, zeta;  ///< times k
    double mixed;      ///< t_z t'_h . r - t_h . r t'_z (half_space.h)
  };
  THINWIRE_HD THINWIRE_INLINE Place place(double s, double t) const {
    const double dx = x + s * tp.x - t * tq.x, dy = y + s * tp.y - t * tq.y;
    const double rho2 = dx * dx + dy * dy;
    const double over_rho = rho2 > 0 ? inverse_sqrt(rho2) : 0;
    const double across =
        (tp.z * tq.x - tq.z * tp.x) * dx + (tp.z * tq.y - tq.z * tp.y) * dy;
    return {image.k * (rho2 * over_rho), image.k * (z + s * tp.z + t * tq.z),
            across * over_rho};
  }

  /// The kernels for currents and for charges at a place: g, that of the image; over_g,
  /// [8], as the table has it; c0, the image's strength.
  struct Kernels {
    HdComplex vector, scalar;
  };
  template <class Eight>
  THINWIRE_HD THINWIRE_INLINE Kernels kernels(const Place& place, HdComplex g,
                                              const Eight& over_g, HdComplex c0) const {
    const double horizontal = tp.x * tq.x + tp.y * tq.y, vertical = tp.z * tq.z;
    const double kr2 = place.rho * place.rho + place.zeta * place.zeta;
    const double inverse = inverse_sqrt(kr2);
    double sine, cosine;
    sincos_simd(kr2 * inverse, sine, cosine);
    const HdComplex on_axes = (image.k * inverse) * HdComplex{cosine, -sine};
    const HdComplex rest = horizontal * HdComplex{over_g[0], over_g[1]} +
                           vertical * HdComplex{over_g[4], over_g[5]} +
                           place.mixed * HdComplex{over_g[6], over_g[7]};
    const HdComplex of_image = c0 * g;
    return {on_axes * rest + (vertical - horizontal) * of_image,
            on_axes * HdComplex{over_g[2], over_g[3]} - of_image};
  }
};

}  // namespace thinwire
