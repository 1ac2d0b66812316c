#pragma once

#include <vector>

#include "kernels/element/element.h"
#include "kernels/element/pair_shape.h"
#include "kernels/gradient/element_gradient.h"
#include "kernels/gradient/pair_moves.h"

namespace thinwire {

/// Factors of an element's shape functions in the two bilinear forms I^T Z J and J^T Z I.
struct ElementCurrents {
  EndCurrents i, j;
};

/// The derivatives of near_pair (near_pair.h) by how two elements lie to each other and
/// what they are: for all pairs of a shape (pair_shape.h) at once.
///
/// Few moves of ends do all that a pair can do: those of the second element's ends in a
/// frame of the first, and of one end of the first along itself. What its ends give
/// beside that follows from what a motion of the whole pair changes, nothing. Ends that
/// two elements have in common stay together.
class NearDerivatives {
 public:
  /// Computes the derivatives for the shape of a pair. the_same: both are one element.
  NearDerivatives(const Element& first, const Element& second, bool the_same,
                  double k_rad_per_m, GreensKernel kernel, WantedDerivatives wanted);

  /// A pair of this shape, turned as the one that was differentiated.
  class Pair {
   public:
    /// turns: those of shaped_pair for the two.
    Pair(const NearDerivatives& derivatives, const Element& first, const Element& second,
         PairSymmetry symmetry);

    /// The derivatives of sum_ab (i_a j_b + j_a i_b) z_ab, a going over the shape
    /// functions of the first, b over those of the second.
    PairGradient gradient(ElementCurrents first, ElementCurrents second) const;

   private:
    const NearDerivatives& derivatives_;
    Element first_, second_;
    PairSymmetry symmetry_;
    std::vector<PairMotion> moves_;
  };

 private:
  bool the_same_;
  WantedDerivatives wanted_;
  std::vector<ElementMatrix> derivatives_;  // of the turned pair, along each move
};

}  // namespace thinwire
