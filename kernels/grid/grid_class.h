#pragma once

#include <cmath>

#include "kernels/base/constants.h"

namespace thinwire {

/// How well a sum on a grid is to be done: the classes of docs/theory/operators-fft.md.
struct GridClass {
  double tolerance;   ///< about the error of Z relative to its Frobenius norm
  double near_cells;  ///< r_c in cells of the grid
  double beta;        ///< of SplitKernel
  int width;          ///< of SpreadingWindow
  int points;         ///< Gauss points on an element as long as a cell
  double pair_radii;  ///< PairLimit's radii and nats, of the near field's pairs
  double pair_nats;

  /// Returns the grid's oversampling of the largest wave number of G_s.
  double oversampling() const { return pi * near_cells / beta; }
};

inline constexpr GridClass grid_classes[] = {{1e-4, 5, 10, 6, 2, 12, 10.5},
                                             {1e-6, 6, 14, 7, 3, 26, 15},
                                             {1e-8, 8, 18, 9, 4, 30, 15}};

/// The near radius of what a real ground reflects, m: two cells more than of the kernel
/// in free space, as the kernels are a little less smooth (SmoothReflection). One cell
/// where all wires are so high that a grid carries what is reflected: of its plane waves,
/// e^{-sqrt(k_rho^2 - k^2) zeta}, none steeper is left. What it leaves of tubes, about
/// (k a)^2 / 100 of plates, must be small, too.
/// low_m: height of the lowest wire; radius_m: of the thickest.
inline double reflection_near_m(const GridClass& c, double spacing_m, double k_rad_per_m,
                                double low_m, double radius_m) {
  const double largest = c.beta / (c.near_cells * spacing_m),
               steepness = largest * largest - k_rad_per_m * k_rad_per_m,
               ka = k_rad_per_m * radius_m;
  const bool carried = steepness > 0 &&
                       std::exp(-std::sqrt(steepness) * 2 * low_m) <= c.tolerance &&
                       ka * ka / 110 <= c.tolerance;
  return (carried ? 1 : c.near_cells + 2) * spacing_m;
}

/// The cheapest class of at most this tolerance, or the finest that there is.
inline const GridClass& grid_class_for(double tolerance) {
  for (const GridClass& c : grid_classes)
    if (c.tolerance <= tolerance) return c;
  return grid_classes[2];
}

}  // namespace thinwire
