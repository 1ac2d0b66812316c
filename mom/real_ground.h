#pragma once

#include <span>

#include "kernels/fill/near_ground_pairs.h"
#include "kernels/ground/ground_pair.h"
#include "kernels/ground/reflecting_surface.h"
#include "mom/ground.h"
#include "mom/options.h"
#include "mom/problem.h"

namespace thinwire {

/// A real ground at one wave number as the fill of one mesh wants it.
class RealGround {
 public:
  /// Makes the table, for the distances between the elements and their images, and what
  /// is reflected between elements that are near each other's. Throws Error{interrupted}
  /// where the monitor asks for a stop; it is told nothing.
  RealGround(std::span<const Element> elements, const Ground& ground, double k_rad_per_m,
             GreensKernel kernel, const Monitor& monitor = {});

  const GroundAt& at() const { return at_; }
  const GroundTable& table() const { return table_; }
  const NearGroundPairs& near() const { return near_; }

 private:
  GroundTable table_;
  GroundAt at_;
  NearGroundPairs near_;
};

/// A ground as plane waves meet it, its radial screen included.
ReflectingSurface reflecting_surface(const Ground& ground, double k_rad_per_m);

/// Throws Error{usage} where a run of the problem is over real ground and the options ask
/// for what is not built there: operators without the whole matrix, other precisions than
/// double.
void check_real_ground(const Problem& problem, const Options& options);

}  // namespace thinwire
