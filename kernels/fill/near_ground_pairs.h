#pragma once

#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/element.h"
#include "kernels/fill/ground_pair_classes.h"
#include "kernels/ground/ground_pair.h"

namespace thinwire {

/// Returns the number of Gauss points for the reflection of a real ground between two
/// elements, image included, or 0: they are near (NearGroundPairs).
THINWIRE_HD inline int reflection_order(const Element& p, const Element& q,
                                        const GroundWaves& waves, bool exact) {
  Element image = p;
  image.start_m.z = -p.start_m.z;
  image.tangent.z = -p.tangent.z;
  const double distance = norm(centre_of(image) - centre_of(q)),
               length = std::fmax(p.length_m, q.length_m),
               radius = exact ? std::fmax(p.radius_m, q.radius_m) : 0;
  if (far_order(distance, length, radius, waves.above) == 0) return 0;
  return ground_order(distance, length, waves);
}

/// Whether its image asks for tube_series (quadrature_order.h).
THINWIRE_HD inline bool reflection_wants_series(const Element& p, const Element& q,
                                                double k, bool exact) {
  if (!exact) return false;
  Element image = p;
  image.start_m.z = -p.start_m.z;
  image.tangent.z = -p.tangent.z;
  return wants_series(norm(centre_of(image) - centre_of(q)),
                      std::fmax(p.length_m, q.length_m),
                      std::fmax(p.radius_m, q.radius_m), k);
}

/// The element matrices of all that a real ground reflects, image included, between two
/// elements (z >= 0) that are near each other's image: C0 times that of the image, tubes
/// and all, and the rest of ground_pair.
ElementMatrix near_reflection(const Element& p, const Element& q, const GroundAt& ground,
                              GreensKernel kernel);

/// Reflections of all such pairs of a mesh at one wave number; elements below the surface
/// have none.
class NearGroundPairs {
 public:
  /// Throws Error{interrupted} where the monitor requests a stop; reports no progress.
  NearGroundPairs(std::span<const Element> elements, const GroundAt& ground,
                  GreensKernel kernel, const Monitor& monitor = {});

  /// Returns the matrix of a pair for which reflection_order is 0.
  ElementMatrix at(std::uint32_t p, std::uint32_t q) const;

  const ElementPairs& pairs() const { return matrices_.pairs(); }
  const std::vector<std::uint32_t>& class_of_pair() const {
    return matrices_.class_of_pair();
  }
  const std::vector<ElementMatrix>& matrices() const { return matrices_.matrices(); }
  std::size_t bytes() const { return matrices_.bytes(); }

 private:
  GroundPairMatrices matrices_;
};

}  // namespace thinwire
