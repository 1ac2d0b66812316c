#pragma once

#include <span>

#include "kernels/base/vec3.h"
#include "kernels/element/element.h"
#include "kernels/ground/field_table.h"
#include "kernels/ground/source_points.h"

namespace thinwire {

/// The field in the air of what a real ground reflects, beside the image of strength
/// image_strength(eps): elements at z >= 0 that carry a piecewise-sinusoidal current.
///
///   E = -(j eta / 4 pi) sum of integral of (k I [t_h Gh - t_z r Q + z^ (t_z Kzz
///         + t_h . r Q)] + (I'/k) grad Kphi) ds,
///   H = (1 / 4 pi) sum of integral of I curl [the same bracket] ds,
///
/// r being the horizontal unit vector from source to observer (half_space.h). Currents
/// are on the axes; the image has the tubes. Error 1e-6 of the image's part where the
/// observer is a hundredth of an element's length from its image, or farther.
class GroundField {
 public:
  /// end_current_a: [2 elements], at the start and the end.
  GroundField(std::span<const Element> elements, std::span<const Complex> end_current_a,
              double k_rad_per_m, Complex eps);

  /// Adds to the field at every point (z >= 0, metres), x y z: [3 points], V/m or A/m.
  void add(FieldKind kind, std::span<const Vec3> points_m, std::span<Complex> field);
  /// Adds the fields of one ampere at each end of each element, whatever the currents:
  /// [2 elements][3 points].
  void add_of_ends(FieldKind kind, std::span<const Vec3> points_m,
                   std::span<Complex> fields);

 private:
  template <class Sums>
  void add_sums(FieldKind kind, std::span<const Vec3> points_m,
                std::span<Complex> fields);

  CurrentSources sources_;
  FieldTable electric_, magnetic_;
};

}  // namespace thinwire
