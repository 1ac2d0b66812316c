#pragma once

#include <span>

#include "kernels/base/vec3.h"
#include "kernels/ground/field_kernels.h"
#include "kernels/ground/source_points.h"

namespace thinwire {

/// Fields of currents in a ground, or of those above at points in it, by Sommerfeld
/// integrals for each pair of points (buried_field_kernels.h): what passes the surface,
/// and what it reflects downward. With ground_field.h (both above), near_field.h and
/// medium_field.h (direct waves) that is all.
///
///   E = -(j eta0 / 4 pi) sum of integral of (k I [t_h Gh - t_z r Q + z^ (t_z Kzz
///         + t_h . r Q)] + (I'/k) grad Kphi) ds,
///   H = (1 / 4 pi) sum of integral of I curl [the same bracket] ds.
///
/// With the exact kernel the current flows on the wire's circumference, of which four
/// points stand where the radius counts. Takes about 10 us for each pair of points.
class BuriedField {
 public:
  /// end_current_a: [2 elements], at the start and the end.
  BuriedField(std::span<const Element> elements, std::span<const Complex> end_current_a,
              double k_rad_per_m, Complex eps, GreensKernel kernel);

  /// Adds to the field at every point (metres), x y z: [3 points], V/m or A/m.
  void add(FieldKind kind, std::span<const Vec3> points_m,
           std::span<Complex> field) const;

 private:
  CurrentSources above_, below_;
  Complex eps_;
  GreensKernel kernel_;
};

}  // namespace thinwire
