#include "kernels/grid/window.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/chebyshev_powers.h"
#include "kernels/base/constants.h"
#include "kernels/grid/bessel_i.h"

namespace thinwire {

SpreadingWindow::SpreadingWindow(int width, double sigma)
    : width_(width), beta_(pi * width * (1 - 0.5 / sigma)) {
  constexpr int terms = WindowView::terms;
  for (int cell = 0; cell < width; ++cell) {
    std::vector<double> values;
    for (int i = 0; i < terms; ++i)
      values.push_back(
          (*this)(cell + 0.5 * (1 + chebyshev_node(i, terms)) - 0.5 * width));
    const std::vector<double> powers = powers_through(values);
    coefficient_.insert(coefficient_.end(), powers.begin(), powers.end());
  }
}

double SpreadingWindow::operator()(double x) const {
  const double y = 2 * x / width_;
  if (y * y > 1) return 0;
  return scaled_bessel_i(0, beta_ * beta_ * (1 - y * y)) /
         scaled_bessel_i(0, beta_ * beta_);
}

double SpreadingWindow::transform(double q) const {
  const double phase = 0.5 * q * width_;
  return width_ * sinh_ratio(beta_ * beta_ - phase * phase) /
         scaled_bessel_i(0, beta_ * beta_);
}

}  // namespace thinwire
