#include "kernels/ground/half_space.h"

#include <cmath>

#include "kernels/base/exp.h"
#include "kernels/base/simd_clones.h"
#include "kernels/base/sincos.h"
#include "kernels/ground/complex_bessel.h"
#include "kernels/ground/cylinder_row.h"
#include "kernels/ground/reflection_spectra.h"
#include "kernels/ground/spectral_path.h"

namespace thinwire {
namespace {

/// The spectra of Gh, Kphi, Kzz and Q at one kr: what stands beside e^{-u1 zeta} J kr.
struct Spectra {
  Complex u1;
  HdComplex value[4];
};

HdComplex from(Complex z) {
  return {z.real(), z.imag()};
}

Spectra spectra_at(Complex eps, const PathPoint& point) {
  const auto [u1, rh, p, phi] = reflection_spectra(eps, point.kr);
  const Complex weight = point.weight * point.kr / u1;
  return {u1,
          {from(weight * rh), from(weight * phi), from(weight * (rh - 2.0 * phi - p)),
           from(point.weight * (point.kr * point.kr) * p)}};
}

/// Sums of a grid, real and imaginary parts apart so that loops over zeta vectorise:
/// [rho][kernel][zeta].
struct GridSums {
  std::vector<double> re, im;
};

/// sums += j0 down (three kernels) and j1 down (the fourth), of one row.
THINWIRE_SIMD_CLONES
void add_row(const CylinderPair& j, const double* down_re, const double* down_im,
             std::size_t zetas, double* re, double* im) {
  const std::size_t first = 3 * zetas;
#pragma omp simd
  for (std::size_t n = 0; n < first; ++n) {
    re[n] += j.order_0.re * down_re[n] - j.order_0.im * down_im[n];
    im[n] += j.order_0.re * down_im[n] + j.order_0.im * down_re[n];
  }
#pragma omp simd
  for (std::size_t n = first; n < 4 * zetas; ++n) {
    re[n] += j.order_1.re * down_re[n] - j.order_1.im * down_im[n];
    im[n] += j.order_1.re * down_im[n] + j.order_1.im * down_re[n];
  }
}

/// The spectra times e^{-u1 zeta_j}: [kernel][zeta].
THINWIRE_SIMD_CLONES
void go_down(const Spectra& spectra, std::span<const double> zeta, double* re,
             double* im) {
  const std::size_t zetas = zeta.size();
#pragma omp simd
  for (std::size_t j = 0; j < zetas; ++j) {
    double sine, cosine;
    sincos_simd(spectra.u1.imag() * zeta[j], sine, cosine);
    const double size = exp_simd(-spectra.u1.real() * zeta[j]);
    for (int k = 0; k < 4; ++k) {
      const HdComplex f = spectra.value[k];
      re[k * zetas + j] = size * (f.re * cosine + f.im * sine);
      im[k * zetas + j] = size * (f.im * cosine - f.re * sine);
    }
  }
}

/// Adds what one part of the path gives at all rho_i and zeta_j. cylinders(factor, kr,
/// take) calls take(i, cylinder functions at kr rho_i) for all i.
template <class Cylinders>
void add_part(Complex eps, CylinderFactor factor, std::span<const PathPoint> points,
              std::span<const double> zeta, const Cylinders& cylinders, GridSums& sums) {
  const std::size_t row = 4 * zeta.size();
  std::vector<double> down_re(row), down_im(row);
  for (const PathPoint& point : points) {
    go_down(spectra_at(eps, point), zeta, down_re.data(), down_im.data());
    cylinders(factor, from(point.kr), [&](std::size_t i, const CylinderPair& j) {
      add_row(j, down_re.data(), down_im.data(), zeta.size(), sums.re.data() + i * row,
              sums.im.data() + i * row);
    });
  }
}

/// The kernels at all rho_i and zeta_j of a range.
template <class Cylinders>
void integrate(Complex eps, const ReflectionRange& range, PathRule rule, std::size_t rhos,
               std::span<const double> zeta, const Cylinders& cylinders,
               std::span<ReflectedKernels> kernels) {
  for (ReflectedKernels& k : kernels) k = {};
  if (eps == 1.0) return;
  const SpectralPath path = spectral_path(eps, range, rule);
  const std::size_t zetas = zeta.size(), count = 4 * rhos * zetas;
  GridSums sums{std::vector<double>(count), std::vector<double>(count)};
  const auto add = [&](CylinderFactor factor, std::span<const PathPoint> points) {
    add_part(eps, factor, points, zeta, cylinders, sums);
  };
  add(CylinderFactor::bessel, path.bessel);
  add(CylinderFactor::half_hankel_1, path.hankel_1);
  add(CylinderFactor::half_hankel_2, path.hankel_2);
  for (std::size_t i = 0; i < rhos; ++i)
    for (std::size_t j = 0; j < zetas; ++j) {
      const auto sum = [&](std::size_t k) {
        const std::size_t at = (4 * i + k) * zetas + j;
        return HdComplex{sums.re[at], sums.im[at]};
      };
      kernels[i * zetas + j] = {sum(0), sum(1), sum(2), sum(3)};
    }
}

}  // namespace

Complex image_strength(Complex eps) {
  return (eps - 1.0) / (eps + 1.0);
}

void reflected_kernels_grid(Complex eps, const ReflectionRange& range,
                            std::span<const double> rho, std::span<const double> zeta,
                            std::span<ReflectedKernels> kernels) {
  CylinderRow row(rho);
  const auto cylinders = [&](CylinderFactor factor, HdComplex kr, const auto& take) {
    row.set(factor, kr);
    for (std::size_t i = 0; i < rho.size(); ++i)
      take(i, CylinderPair{row.order_0(i), row.order_1(i)});
  };
  integrate(eps, range, coarse_path, rho.size(), zeta, cylinders, kernels);
}

ReflectedKernels reflected_kernels(Complex eps, double rho, double zeta) {
  ReflectedKernels kernels;
  const auto cylinders = [rho](CylinderFactor factor, HdComplex kr, const auto& take) {
    take(0, cylinder(factor, rho * kr));
  };
  integrate(eps, {rho, rho, zeta, zeta}, fine_path, 1, {&zeta, 1}, cylinders,
            {&kernels, 1});
  return kernels;
}

}  // namespace thinwire
