#pragma once

#include <functional>
#include <span>
#include <vector>

#include "kernels/fields/near_field.h"
#include "mom/discretisation.h"
#include "mom/solution.h"

namespace thinwire {

/// The points of a request, metres, with its first coordinate running fastest and its
/// third slowest.
std::vector<Vec3> near_field_points(const NearFieldRequest& request);

/// The currents of one solution, and the field close to them.
class NearFields {
 public:
  /// on_gpu: sums on the current GPU.
  NearFields(const Discretisation& where, std::span<const Complex> coefficients,
             double frequency_hz, GreensKernel kernel, Ground ground,
             bool on_gpu = false);

  /// The field on the request's grid. on_progress gets the fraction done now and then and
  /// may throw to stop the work.
  NearFieldResult field(const NearFieldRequest& request,
                        const std::function<void(double)>& on_progress) const;

 private:
  double k_rad_per_m_;
  bool on_gpu_;
  NearFieldSources sources_;
};

}  // namespace thinwire
