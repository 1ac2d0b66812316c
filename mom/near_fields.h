#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/fields/near_field.h"
#include "kernels/ground/coefficient_ground.h"
#include "kernels/ground/ground_field.h"
#include "mom/discretisation.h"
#include "mom/solution.h"
#include "mom/system/backend.h"

namespace thinwire {

/// The points of a request, metres, with its first coordinate running fastest and its
/// third slowest.
std::vector<Vec3> near_field_points(const NearFieldRequest& request);

/// The currents of one solution, and the field close to them.
class NearFields {
 public:
  /// backend: takes the sums; must outlive this.
  NearFields(const Discretisation& where, std::span<const Complex> coefficients,
             double frequency_hz, GreensKernel kernel, Ground ground,
             const Backend& backend = cpu_backend());

  /// The field on the request's grid. Throws Error{interrupted}.
  NearFieldResult field(const NearFieldRequest& request,
                        const Monitor& monitor = {}) const;

 private:
  double k_rad_per_m_;
  const Backend& backend_;
  NearFieldSources sources_;
  /// What a real ground reflects beside the image; keeps its table from request to
  /// request.
  std::unique_ptr<GroundField> ground_field_;
  /// The currents over a ground by reflection coefficients.
  std::optional<CurrentSources> over_surface_;
  ReflectingSurface surface_;
};

}  // namespace thinwire
