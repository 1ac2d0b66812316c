#include "kernels/grid/split_kernel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/base/chebyshev_powers.h"
#include "kernels/base/error.h"
#include "kernels/base/quadrature.h"
#include "kernels/grid/bessel_i.h"

namespace thinwire {
namespace {

constexpr int terms = SplitKernelView::terms, panels = SplitKernelView::panels;

}  // namespace

double sinh_ratio(double s2) {
  const double s = std::sqrt(std::fabs(s2));
  if (s < 1e-4) return 1 + s2 / 6;
  return s2 > 0 ? std::sinh(s) / s : std::sin(s) / s;
}

SplitKernel::SplitKernel(double k_rad_per_m, double cut_m, double beta)
    : k_(k_rad_per_m), cut_(cut_m), beta_(beta) {
  if (!(cut_m > 0) || !(k_ * cut_ < beta) || !(beta <= 30))
    throw Error(ErrorKind::numeric,
                fmt::format("split kernel: the near radius is {:.3g} m (k r_c = {:.3g} "
                            "must be below beta = {:.3g}). Use a finer grid.",
                            cut_m, k_ * cut_, beta));
  norm_ = 2 * cut_ * sinh_ratio(beta_ * beta_ - k_ * k_ * cut_ * cut_);
  tabulate();
}

double SplitKernel::projection(double y) const {
  const double x = y / cut_;
  return scaled_bessel_i(0, beta_ * beta_ * std::max(0.0, 1 - x * x)) / norm_;
}

void SplitKernel::tabulate() {
  // Both integrals run along all nodes in ascending order, 8 Gauss points between two.
  const GaussRule gauss = gauss_rule(8);
  std::vector<double> node, cosine_part, sine_part;
  for (int p = 0; p < panels; ++p)
    for (int i = terms - 1; i >= 0; --i) {
      const double t = chebyshev_node(i, terms);
      node.push_back(cut_ * std::sqrt((p + 0.5 * (1 + t)) / panels));
    }
  node.push_back(cut_);
  double from = 0, with_cosine = 0, with_sine = 0;
  for (const double to : node) {
    const double half = 0.5 * (to - from);
    for (int b = 0; b < gauss.points; ++b) {
      const double y = from + half * (1 + gauss.node[b]);
      const double weighted = half * gauss.weight[b] * projection(y);
      with_cosine += weighted * std::cos(k_ * y);
      with_sine += weighted * std::sin(k_ * y);
    }
    cosine_part.push_back(with_cosine);
    sine_part.push_back(with_sine);
    from = to;
  }
  std::vector<double> value(terms);
  for (int p = 0; p < panels; ++p) {
    for (int i = 0; i < terms; ++i) {
      const std::size_t at = p * terms + (terms - 1 - i);
      const double r = node[at];
      value[i] = 2 *
                 (std::cos(k_ * r) * cosine_part[at] -
                  std::sin(k_ * r) * (sine_part.back() - sine_part[at])) /
                 r;
    }
    const std::vector<double> powers = powers_through(value);
    coefficient_.insert(coefficient_.end(), powers.begin(), powers.end());
  }
}

Complex SplitKernel::at(double r) const {
  return view().value(r);
}

double SplitKernel::transform(double q) const {
  const double b2 = beta_ * beta_, c2 = cut_ * cut_;
  return sinh_ratio(b2 - q * q * c2) / sinh_ratio(b2 - k_ * k_ * c2);
}

}  // namespace thinwire
