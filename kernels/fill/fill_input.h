#pragma once

#include <span>

#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"
#include "kernels/fill/near_pair_table.h"

namespace thinwire {

class BuriedPairs;         // kernels/fill/buried_pairs.h
struct GroundAt;           // kernels/ground/ground_pair.h
class NearGroundPairs;     // kernels/fill/near_ground_pairs.h
struct ReflectingSurface;  // kernels/ground/reflecting_surface.h

/// Everything that the impedance matrix depends on.
struct FillInput {
  std::span<const Element> elements;
  std::span<const BasisFunction> basis;
  double k_rad_per_m = 0;
  GreensKernel kernel = GreensKernel::exact;
  Medium medium;
  /// Near pairs of these elements, set to this wave number, with images where there is a
  /// ground. Null: near pairs are integrated as they are met, for callers that need few
  /// entries of a large matrix.
  const NearPairTable* near = nullptr;
  /// A real ground at this wave number, beside `medium`, which is free space then; null:
  /// none. Only fill_impedance and read_entries take it.
  const GroundAt* ground = nullptr;
  /// Reflection of the ground between elements near each other's image; null as with
  /// `near`.
  const NearGroundPairs* near_ground = nullptr;
  /// A ground by reflection coefficients, likewise (coefficient_ground.h).
  const ReflectingSurface* surface = nullptr;
  /// Where elements lie in the ground: their pairs. Only fill_impedance and read_entries
  /// take it.
  const BuriedPairs* buried = nullptr;
  bool ground_alone = false;  ///< only what the real ground reflects

  /// Distinguishes near and far pairs.
  PairLimit limit() const { return near ? near->limit() : PairLimit(k_rad_per_m); }
  /// The matrix of source s of p (medium.h) and q, a near pair; without the factor that
  /// the source acts with.
  ElementMatrix near_pair(std::uint32_t p, std::uint32_t q, int s) const;
  /// All that the real ground reflects between p and q, near each other's image.
  ElementMatrix near_reflection(std::uint32_t p, std::uint32_t q) const;
};

}  // namespace thinwire
