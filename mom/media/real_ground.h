#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kernels/fill/buried_pairs.h"
#include "kernels/fill/fill_input.h"
#include "kernels/fill/near_ground_pairs.h"
#include "kernels/fill/wavenumber_nodes.h"
#include "kernels/ground/ground_pair.h"
#include "kernels/ground/reflecting_surface.h"
#include "mom/problem/ground.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Whether one lies below z = 0.
bool any_below(std::span<const Element> elements);
/// Whether the ground takes wires and one lies in it.
bool any_buried(const Ground& ground, std::span<const Element> elements);

/// A real ground at one wave number for the fill of one mesh.
class RealGround {
 public:
  /// Makes the tables, for the distances between the elements and their images, and what
  /// is reflected between elements that are near each other's, or in the ground. Throws
  /// Error{interrupted} where the monitor requests a stop; reports no progress.
  RealGround(std::span<const Element> elements, const Ground& ground, double k_rad_per_m,
             GreensKernel kernel, const Monitor& monitor = {},
             const TableMaking& making = {});
  /// With a table of what is above that holds these elements' places. near_pairs: false
  /// for fills of few entries, which compute near reflections when they need them.
  RealGround(std::span<const Element> elements, std::shared_ptr<const GroundTable> table,
             double k_rad_per_m, GreensKernel kernel, const Monitor& monitor = {},
             const TableMaking& making = {}, bool near_pairs = true);

  const GroundAt& at() const { return at_; }
  const GroundTable& table() const { return *table_; }
  const NearGroundPairs& near() const { return *near_; }
  /// Sets this ground in the input of a fill. It must outlive that input.
  void put_in(FillInput& fill) const;

 private:
  /// Wires in the ground.
  struct Buried {
    Buried(std::span<const Element> elements, Complex eps, double k_rad_per_m,
           GreensKernel kernel, const Monitor& monitor, const TableMaking& making);

    GroundTable below;
    TransmissionTable across;
    BuriedGroundAt at;
    BuriedPairs pairs;
  };

  std::shared_ptr<const GroundTable> table_;
  GroundAt at_;
  std::optional<NearGroundPairs> near_;
  std::unique_ptr<const Buried> buried_;  ///< null: none
};

/// The distances between the elements on one side of the surface and their images times
/// the wave numbers of a range.
ReflectionPlaces reflection_places(std::span<const Element> elements, WavenumberRange k,
                                   GroundSide side = GroundSide::above);

/// A ground as plane waves meet it, its radial screen included.
ReflectingSurface reflecting_surface(const Ground& ground, double k_rad_per_m);

/// Why what a run's ground reflects does not depend on heights and horizontal distances
/// alone, as operators without the whole matrix need; empty where it does.
std::string why_ground_is_uneven(const Problem& problem);

/// Throws Error{usage} where a run of the problem is over real ground and the options ask
/// for what is not built there: operators without the whole matrix over some; where CPU
/// cores fill it, other precisions than double.
void check_real_ground(const Problem& problem, const Options& options);

}  // namespace thinwire
