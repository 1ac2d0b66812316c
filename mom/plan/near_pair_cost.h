#pragma once

#include <cstddef>
#include <span>

#include "kernels/element/element.h"
#include "kernels/element/medium.h"

namespace thinwire {

/// Near pairs of a mesh (NearPairTable), as far as a plan needs them.
struct NearPairCost {
  double pairs = 0;
  double classes = 0;      ///< of pairs that lie alike: these are integrated
  double evaluations = 0;  ///< of the Green's function of two rings, for all classes
};

/// Predicts the near pairs at one wave number from a sample of the elements, each
/// compared with all others, and a sample of their pairs: within a factor of two, in some
/// tens of milliseconds at most. Counts all where they are few. Returns zeros where all
/// elements are parallel: these pairs are cheap and few kinds, and cost_model.h has them.
/// max_pairs: all are counted up to twice as many.
NearPairCost near_pair_cost(std::span<const Element> elements, double k_rad_per_m,
                            GreensKernel kernel, Medium medium,
                            std::size_t max_pairs = 1024);

/// Evaluations that near_pair takes for one pair, within a factor of two.
double near_pair_evaluations(const Element& p, const Element& q, double k_rad_per_m,
                             GreensKernel kernel);

}  // namespace thinwire
