#include "kernels/ground/buried_kernels.h"

#include <vector>

#include "kernels/ground/sommerfeld_grid.h"

namespace thinwire {
namespace {

HdComplex from(Complex z) {
  return {z.real(), z.imag()};
}

/// The vertical wave numbers of both sides, with u1 - u2 and eps u1 + u2.
struct VerticalWaves {
  Complex u1, u2, sum, difference, weighted;

  VerticalWaves(Complex eps, const PathPoint& point)
      : u1(point.u1),
        u2(point.u2),
        sum(u1 + u2),
        difference((eps - 1.0) / sum),
        weighted(eps * u1 + u2) {}
};

/// half_space.h's spectra with u1 and u2 exchanged, 1/eps for eps and k2 for k:
/// Rh = (u2 - u1) / (u1 + u2), P = -2 eps (u2 - u1) / (eps u1 + u2), with u2^2 / eps
/// for u1^2; P counts in squares of the wavelength there.
WeightedSpectra below_spectra(Complex eps, const PathPoint& point) {
  const VerticalWaves w(eps, point);
  const Complex rh = -w.difference / w.sum, p = 2.0 * w.difference / w.weighted;
  const Complex phi = rh + w.u2 * w.u2 * p;
  const Complex weight = point.weight * point.kr / w.u2;
  return {w.u1,
          w.u2,
          {from(weight * rh), from(weight * phi / eps),
           from(weight * (rh - 2.0 * phi - eps * p)),
           from(point.weight * (point.kr * point.kr) * p)}};
}

WeightedSpectra across_spectra(Complex eps, const PathPoint& point) {
  const VerticalWaves w(eps, point);
  const Complex weight = 2.0 * point.weight * point.kr;
  const HdComplex h = from(weight / w.sum);
  return {w.u1,
          w.u2,
          {h, from(weight / w.weighted), h,
           from(-weight * point.kr * w.difference / w.weighted)}};
}

}  // namespace

ReflectedKernels below_kernels(Complex eps, double rho, double depths) {
  if (eps == 1.0) return {};
  return sommerfeld_point(below_spectra, eps, rho, 0, depths);
}

void below_kernels_grid(Complex eps, const ReflectionRange& range,
                        std::span<const double> rho, std::span<const double> depths,
                        std::span<ReflectedKernels> kernels) {
  for (ReflectedKernels& k : kernels) k = {};
  if (eps == 1.0) return;
  const std::vector<double> no_height(depths.size());
  sommerfeld_grid(below_spectra, eps, below_surface(range), rho, {no_height, depths},
                  kernels);
}

ReflectedKernels across_kernels(Complex eps, double rho, double z, double depth) {
  return sommerfeld_point(across_spectra, eps, rho, z, depth);
}

void across_kernels_grid(Complex eps, const AcrossRange& range,
                         std::span<const double> rho, std::span<const double> z,
                         std::span<const double> depth,
                         std::span<ReflectedKernels> kernels) {
  sommerfeld_grid(across_spectra, eps, range, rho, {z, depth}, kernels);
}

}  // namespace thinwire
