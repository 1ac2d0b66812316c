#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/fields/near_field.h"
#include "kernels/ground/buried_field.h"
#include "kernels/ground/coefficient_ground.h"
#include "kernels/ground/ground_field.h"
#include "mom/discretization/discretization.h"
#include "mom/media/side_currents.h"
#include "mom/problem/near_field_request.h"
#include "mom/problem/solution.h"
#include "mom/systems/backend.h"

namespace thinwire {

/// The currents of one solution, and the field close to them: in a real ground (GN 2) as
/// above it, wherever the wires are. What involves the ground's inside is computed on the
/// host, by Sommerfeld integrals for each pair of points (buried_field.h).
class NearFields {
 public:
  /// backend: takes the sums; must outlive this.
  NearFields(const Discretization& discretization, std::span<const Complex> coefficients,
             double frequency_hz, GreensKernel kernel, Ground ground,
             const Backend& backend = cpu_backend());

  /// The field on the request's grid. Throws Error{interrupted}, and so does the next.
  NearFieldResult field(const NearFieldRequest& request,
                        const Monitor& monitor = {}) const;
  /// The field at these points, V/m or A/m, x y z of each: [3 points].
  std::vector<Complex> field(NearFieldRequest::Field which,
                             std::span<const Vec3> points_m,
                             const Monitor& monitor = {}) const;

 private:
  /// Adds the field of sources_ and their images: [3 points].
  void air_field(FieldKind kind, std::span<const Vec3> points_m,
                 std::span<Complex> field) const;
  /// Over real ground, points and wires on either side, without what buried_field_ adds.
  void two_sided_field(FieldKind kind, std::span<const Vec3> points_m,
                       std::span<Complex> field) const;

  double k_rad_per_m_;
  GreensKernel kernel_;
  const Backend& backend_;
  NearFieldSources sources_;  ///< over a real ground those above it
  /// Reflection of a real ground beside the image; keeps its table from request to
  /// request.
  std::unique_ptr<GroundField> ground_field_;
  std::unique_ptr<BuriedField> buried_field_;
  SideCurrents below_;
  Complex eps_;
  /// The currents over a ground by reflection coefficients.
  std::optional<CurrentSources> over_surface_;
  ReflectingSurface surface_;
};

}  // namespace thinwire
