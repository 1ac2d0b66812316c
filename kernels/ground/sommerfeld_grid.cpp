#include "kernels/ground/sommerfeld_grid.h"

#include <cmath>
#include <vector>

#include "kernels/base/exp.h"
#include "kernels/base/quadrature.h"
#include "kernels/base/simd_clones.h"
#include "kernels/base/sincos.h"
#include "kernels/ground/complex_bessel.h"
#include "kernels/ground/cylinder_row.h"

namespace thinwire {
namespace {

/// Sums of a grid, real and imaginary parts apart so that loops over places vectorise:
/// [rho][kernel][place].
struct GridSums {
  std::vector<double> re, im;
};

/// sums += j0 down (three kernels) and j1 down (the fourth), of one row.
THINWIRE_SIMD_CLONES
void add_row(const CylinderPair& j, const double* down_re, const double* down_im,
             std::size_t places, double* re, double* im) {
  const std::size_t first = 3 * places;
#pragma omp simd
  for (std::size_t n = 0; n < first; ++n) {
    re[n] += j.order_0.re * down_re[n] - j.order_0.im * down_im[n];
    im[n] += j.order_0.re * down_im[n] + j.order_0.im * down_re[n];
  }
#pragma omp simd
  for (std::size_t n = first; n < 4 * places; ++n) {
    re[n] += j.order_1.re * down_re[n] - j.order_1.im * down_im[n];
    im[n] += j.order_1.re * down_im[n] + j.order_1.im * down_re[n];
  }
}

/// The spectra times e^{-u1 z - u2 depth}: [kernel][place].
THINWIRE_SIMD_CLONES
void go_down(const WeightedSpectra& spectra, const Verticals& at, double* re,
             double* im) {
  const std::size_t places = at.z.size();
#pragma omp simd
  for (std::size_t j = 0; j < places; ++j) {
    double sine, cosine;
    sincos_simd(spectra.u1.im * at.z[j] + spectra.u2.im * at.depth[j], sine, cosine);
    const double size = exp_simd(-spectra.u1.re * at.z[j] - spectra.u2.re * at.depth[j]);
    for (int k = 0; k < 4; ++k) {
      const HdComplex f = spectra.value[k];
      re[k * places + j] = size * (f.re * cosine + f.im * sine);
      im[k * places + j] = size * (f.im * cosine - f.re * sine);
    }
  }
}

/// The kernels at all rho_i and places of a range. cylinders(factor, kr, take) calls
/// take(i, cylinder functions at kr rho_i) for all i.
template <class Cylinders>
void integrate(SpectraAt spectra_at, Complex eps, const TransmissionRange& range,
               PathRule rule, std::size_t rhos, const Verticals& verticals,
               const Cylinders& cylinders, std::span<ReflectedKernels> kernels) {
  const auto [plane, panels] = spectral_panels(eps, range, rule);
  const GaussRule gauss = gauss_rule(rule.points);
  const std::size_t places = verticals.z.size(), row = 4 * places;
  GridSums sums{std::vector<double>(rhos * row), std::vector<double>(rhos * row)};
  std::vector<double> down_re(row), down_im(row);
  for (const PathPanel& panel : panels)
    for (int n = 0; n < gauss.points; ++n) {
      const auto at = point_of(plane, panel, gauss.node[n], gauss.weight[n]);
      go_down(spectra_at(plane.eps, at), verticals, down_re.data(), down_im.data());
      cylinders(cylinder_of(panel.way), at.kr, [&](std::size_t i, const CylinderPair& j) {
        add_row(j, down_re.data(), down_im.data(), places, sums.re.data() + i * row,
                sums.im.data() + i * row);
      });
    }
  for (std::size_t i = 0; i < rhos; ++i)
    for (std::size_t j = 0; j < places; ++j) {
      const auto sum = [&](std::size_t k) {
        const std::size_t at = i * row + k * places + j;
        return HdComplex{sums.re[at], sums.im[at]};
      };
      kernels[i * places + j] = {sum(0), sum(1), sum(2), sum(3)};
    }
}

}  // namespace

void sommerfeld_grid(SpectraAt spectra, Complex eps, const TransmissionRange& range,
                     std::span<const double> rho, const Verticals& verticals,
                     std::span<ReflectedKernels> kernels) {
  CylinderRow row(rho);
  const auto cylinders = [&](CylinderFactor factor, HdComplex kr, const auto& take) {
    row.set(factor, kr);
    for (std::size_t i = 0; i < rho.size(); ++i)
      take(i, CylinderPair{row.order_0(i), row.order_1(i)});
  };
  integrate(spectra, eps, range, coarse_path, rho.size(), verticals, cylinders, kernels);
}

ReflectedKernels sommerfeld_point(SpectraAt spectra, Complex eps, double rho, double z,
                                  double depth) {
  ReflectedKernels kernels;
  const auto cylinders = [rho](CylinderFactor factor, HdComplex kr, const auto& take) {
    take(0, cylinder(factor, rho * kr));
  };
  integrate(spectra, eps, {rho, rho, z, z, depth, depth}, fine_path, 1,
            {{&z, 1}, {&depth, 1}}, cylinders, {&kernels, 1});
  return kernels;
}

}  // namespace thinwire
