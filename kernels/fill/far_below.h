#pragma once

#include "kernels/element/element.h"
#include "kernels/ground/ground_pair.h"

namespace thinwire {

/// Pairs of elements in a real ground that are far from each other, at one wave number:
/// direct part, image and what the surface reflects beside it, by one product of two
/// Gauss rules, whose points lie side by side in vectors.
class FarBelow {
 public:
  /// ground: of the side below (ground_pair.h).
  FarBelow(const GroundAt& ground, GreensKernel kernel);

  /// Gauss points on each element, or 0: they are near, or thick against their distance.
  int order(const Element& p, const Element& q) const;
  /// Farther from each other than this and both lengths, nothing of the direct wave is
  /// left, metres; infinite without loss.
  double dead_m() const { return dead_m_; }
  /// The element matrix, ohm, to 1e-6 of the largest entry. order: of the pair.
  ElementMatrix matrix(const Element& p, const Element& q, int order) const;

 private:
  GroundAt ground_;
  GroundWaves waves_;
  bool exact_;
  HdComplex k2_, over_eps_;
  HdComplex image_, image_over_eps_;  ///< C0 and C0 / eps
  double dead_m_;
};

}  // namespace thinwire
