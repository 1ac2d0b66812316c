#pragma once

#include <functional>
#include <span>

#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"
#include "kernels/fill/near_pair_table.h"
#include "kernels/matrix/packed_tiles.h"

namespace thinwire {

/// Everything that the impedance matrix depends on.
struct FillInput {
  std::span<const Element> elements;
  std::span<const BasisFunction> basis;
  double k_rad_per_m = 0;
  GreensKernel kernel = GreensKernel::exact;
  bool perfect_ground = false;  ///< at z = 0: every element also acts through its image
  const NearPairTable& near;    ///< of these elements, set to this wave number
};

/// Fills z (packed_tiles.h, [layout.entries()], ohm) with Z_mn = <f_m, E(f_n)>, without
/// loads. Far pairs of elements by products of Gauss points, near pairs from the table.
/// Padding is zero.
///
/// `on_progress`, where given, is called from the calling thread with the fraction done;
/// it returns false to stop, and the fill then returns false early.
bool fill_impedance(const FillInput& input, std::span<Complex> z,
                    const std::function<bool(double)>& on_progress = {});

}  // namespace thinwire
