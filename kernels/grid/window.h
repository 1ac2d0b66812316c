#pragma once

#include <vector>

#include "kernels/base/host_device.h"

namespace thinwire {

/// View of SpreadingWindow for CPU or GPU: each cell of the window is a polynomial.
template <class Real>
struct BasicWindowView {
  static constexpr int max_width = 10, terms = 14;

  int width;
  const Real* coefficient;  ///< [width][terms], powers of 2 f - 1

  /// The window's value in one cell and, with derivatives, the first and second
  /// derivative by the node's coordinate in cells. f: how far the first node lies right
  /// of the window's left edge, in cells, 0 <= f < 1.
  template <bool derivatives>
  THINWIRE_HD void at_cell(int cell, Real f, Real& value, Real& first,
                           Real& second) const {
    const Real t = 2 * f - 1;
    const Real* c = coefficient + cell * terms;
    Real v = 0, d = 0, half_dd = 0;
    for (int i = terms - 1; i >= 0; --i) {
      if (derivatives) {
        half_dd = half_dd * t + d;
        d = d * t + v;
      }
      v = v * t + c[i];
    }
    value = v;
    if (derivatives) {
      first = 2 * d;
      second = 8 * half_dd;
    }
  }
  /// Evaluates all cells: at the `width` grid nodes around a point.
  template <bool derivatives>
  THINWIRE_HD void at(Real f, Real* value, Real* first, Real* second) const {
    Real none = 0;
    for (int cell = 0; cell < width; ++cell)
      at_cell<derivatives>(cell, f, value[cell], derivatives ? first[cell] : none,
                           derivatives ? second[cell] : none);
  }
};
using WindowView = BasicWindowView<double>;

/// The Kaiser-Bessel window that takes points to the grid and back: `width` nodes a side,
///     I0(b sqrt(1 - (2 x / width)^2)) / I0(b),  b = pi width (1 - 1 / (2 sigma)),
/// x in cells, for signals with no wave numbers above pi / (sigma cell)
/// (Jackson, Meyer, Nishimura, Macovski 1991; b as in Fessler and Sutton 2003).
class SpreadingWindow {
 public:
  SpreadingWindow(int width, double sigma);

  int width() const { return width_; }
  double beta() const { return beta_; }
  /// At a distance from its centre, in cells.
  double operator()(double x) const;
  /// Its Fourier transform at a wave number in radians a cell.
  double transform(double q) const;
  WindowView view() const { return {width_, coefficient_.data()}; }

 private:
  int width_;
  double beta_;
  std::vector<double> coefficient_;
};

}  // namespace thinwire
