#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/element.h"

namespace thinwire {

/// Which pairs over a ground have one matrix: those that a displacement along the ground
/// or a rotation about the vertical takes into each other, and, of what it reflects
/// alone, horizontal ones whose heights have the same sum.
enum class AlikeOverGround { as_a_whole, in_reflection };

/// Matrices of pairs of elements over or in a ground. Pairs that lie alike are integrated
/// once.
class GroundPairMatrices {
 public:
  GroundPairMatrices() = default;
  /// pairs: q <= p. Calls matrix(p, q) for one of each class, from several threads.
  /// Throws Error{interrupted} where the monitor requests a stop; reports no progress.
  template <class Matrix>
  GroundPairMatrices(std::span<const Element> elements, ElementPairs pairs,
                     AlikeOverGround alike, const Monitor& monitor, const Matrix& matrix)
      : pairs_(std::move(pairs)) {
    const std::vector<Pair> first = classify(elements, alike);
    matrices_.resize(first.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < first.size(); ++i)
      if (!monitor.stopped()) matrices_[i] = matrix(first[i].p, first[i].q);
    monitor.check();
  }

  /// Returns the matrix of p and q, q <= p; null where they are not one of the pairs.
  const ElementMatrix* find(std::uint32_t p, std::uint32_t q) const;

  const ElementPairs& pairs() const {
    return pairs_;
  }
  const std::vector<std::uint32_t>& class_of_pair() const {
    return class_of_pair_;
  }
  const std::vector<ElementMatrix>& matrices() const {
    return matrices_;
  }
  std::size_t bytes() const {
    return pairs_.bytes() + class_of_pair_.size() * sizeof(class_of_pair_[0]) +
           matrices_.size() * sizeof(matrices_[0]);
  }

 private:
  struct Pair {
    std::uint32_t p, q;
  };
  /// Sets class_of_pair_; the first pair of each class.
  std::vector<Pair> classify(std::span<const Element> elements, AlikeOverGround alike);

  ElementPairs pairs_;
  std::vector<std::uint32_t> class_of_pair_;
  std::vector<ElementMatrix> matrices_;  // [classes]
};

}  // namespace thinwire
