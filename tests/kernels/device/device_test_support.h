#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/device/device.h"
#include "kernels/matrix/packed_tiles.h"
#include "tests/on_device.h"
#include "tests/vectors.h"

namespace thinwire::testing {

/// Packed tiles of a random symmetric matrix with shift on its diagonal, zero in the
/// padding.
inline std::vector<Complex> random_tiles(PackedTiles layout, unsigned seed,
                                         Complex shift = 0) {
  constexpr std::size_t tile = PackedTiles::tile;
  std::vector<Complex> z(layout.entries());
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  const double size = 0.35 / std::sqrt(static_cast<double>(layout.n));
  for (std::size_t i = 0; i < layout.n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double re = size * normal(generator);
      Complex value(re, size * normal(generator));
      if (i == j) value += shift;
      z[PackedTiles::offset(i, j)] = value;
      if (i / tile == j / tile)
        z[PackedTiles::tile_offset(i / tile, i / tile) + (j % tile) * tile + i % tile] =
            value;
    }
  return z;
}

/// As a device stores it in complex single.
inline std::vector<Complex> rounded_to_single(std::vector<Complex> z) {
  for (Complex& value : z) value = Complex(std::complex<float>(value));
  return z;
}

/// Bytes that no kernel should leave behind: as doubles, not numbers.
inline constexpr int poison = 0xff;

/// C sqrt(n) eps, for relative 2-norms.
inline double sum_tolerance(std::size_t n) {
  return 8 * std::sqrt(static_cast<double>(n)) * std::numeric_limits<double>::epsilon();
}

inline const std::size_t test_sizes[] = {1, 31, 33, 63, 65, 257, 1000};

}  // namespace thinwire::testing
