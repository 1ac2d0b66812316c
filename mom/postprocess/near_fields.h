#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/large_vector.h"
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

/// The currents of one solution or several, and the fields close to them: in a real
/// ground (GN 2) as above it, wherever the wires are. What involves the ground's inside
/// is computed on the host, by Sommerfeld integrals for each pair of points
/// (buried_field.h); all solutions share the integrals and tables of a ground.
class NearFields {
 public:
  /// coefficients: [solutions][unknowns]. backend: takes the sums. All references must
  /// outlive this.
  NearFields(const Discretization& discretization, std::span<const Complex> coefficients,
             double frequency_hz, GreensKernel kernel, Ground ground,
             const Backend& backend = cpu_backend());

  /// Computes the field of one solution on the request's grid. Throws
  /// Error{interrupted}, and so does the next.
  NearFieldResult field(const NearFieldRequest& request,
                        const Monitor& monitor = {}) const;
  /// Computes the fields at these points, V/m or A/m, x y z of each:
  /// [solutions][3 points].
  std::vector<Complex> field(NearFieldRequest::Field which,
                             std::span<const Vec3> points_m,
                             const Monitor& monitor = {}) const;

 private:
  /// Currents of one solution.
  struct Currents {
    NearFieldSources sources;  ///< over a real ground those above it
    SideCurrents below;
    /// Over a ground by reflection coefficients.
    std::optional<CurrentSources> over_surface;
  };
  Currents currents_of(std::size_t solution) const;
  LargeVector<Complex> end_currents(std::size_t solution) const;
  std::size_t solutions() const;

  /// Adds the field of one solution without what ground_field_ and buried_field_ add:
  /// [3 points].
  void add_direct(FieldKind kind, const Currents& currents,
                  std::span<const Vec3> points_m, std::span<Complex> field,
                  const Monitor& monitor) const;
  void add_in_air(FieldKind kind, const Currents& currents,
                  std::span<const Vec3> points_m, std::span<Complex> field) const;
  /// Adds the fields of ground_field_ and buried_field_: [solutions][3 points].
  void add_by_ground(FieldKind kind, std::span<const Vec3> points_m,
                     std::span<Complex> fields, const Monitor& monitor) const;

  const Discretization& discretization_;
  std::span<const Complex> coefficients_;
  double k_rad_per_m_;
  GreensKernel kernel_;
  Ground ground_;
  const Backend& backend_;
  Complex eps_;
  Currents first_;  ///< of the first solution
  /// Reflection of a real ground beside the image; keeps its table from request to
  /// request.
  std::unique_ptr<GroundField> ground_field_;
  std::unique_ptr<BuriedField> buried_field_;
  ReflectingSurface surface_;
};

}  // namespace thinwire
