#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/base/vec3.h"
#include "kernels/ground/buried_field_table.h"
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
/// With the exact kernel the current flows on the wire's circumference, for which points
/// of the axis stand by a series, and four points around it near by (source_points.h). A
/// pair of points takes 0.05 to 0.3 us by tables (buried_field_table.h), which are made
/// where there are enough of them, or 3 to 5 us.
class BuriedField {
 public:
  /// end_current_a: [2 elements], at the start and the end.
  BuriedField(std::span<const Element> elements, std::span<const Complex> end_current_a,
              double k_rad_per_m, Complex eps, GreensKernel kernel);

  /// Adds to the field at every point (metres), x y z: [3 points], V/m or A/m. Throws
  /// Error{interrupted}.
  void add(FieldKind kind, std::span<const Vec3> points_m, std::span<Complex> field,
           const Monitor& monitor = {}) const;
  /// Adds the fields of one ampere at each end of each element, whatever the currents:
  /// [2 elements][3 points]. Throws Error{interrupted}.
  void add_of_ends(FieldKind kind, std::span<const Vec3> points_m,
                   std::span<Complex> fields, const Monitor& monitor = {}) const;

 private:
  template <class Sums>
  void add_sums(FieldKind kind, std::span<const Vec3> points_m, std::span<Complex> fields,
                const Monitor& monitor) const;
  const CurrentSources& sources_of(BuriedWay way) const;
  /// Returns a table for the points on one side, by that way through the surface; null
  /// where integrals take less time.
  std::unique_ptr<const BuriedFieldTable> table_of(FieldKind kind, BuriedWay way,
                                                   std::span<const Vec3> points_m,
                                                   const Monitor& monitor) const;

  CurrentSources above_, below_;
  CurrentSources mirrored_;  ///< those below as the world mirrored in z = 0 has them
  std::vector<std::size_t> number_above_, number_below_;  ///< of these elements
  Complex eps_;
  GreensKernel kernel_;
};

}  // namespace thinwire
