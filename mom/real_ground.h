#pragma once

#include <memory>
#include <span>

#include "kernels/ground/ground_pair.h"
#include "mom/ground.h"
#include "mom/options.h"
#include "mom/problem.h"

namespace thinwire {

/// A real ground at one wave number with its table, for the elements of one mesh.
class RealGround {
 public:
  /// Makes the table for all distances between the elements and their images.
  RealGround(std::span<const Element> elements, const Ground& ground, double k_rad_per_m);

  const GroundAt& at() const { return at_; }

 private:
  std::unique_ptr<const GroundTable> table_;
  GroundAt at_;
};

/// Throws Error{usage} where a run of the problem is over real ground and the options or
/// the run ask for what is not built there: operators without the whole matrix, CUDA,
/// near fields.
void check_real_ground(const Problem& problem, const Options& options);

}  // namespace thinwire
