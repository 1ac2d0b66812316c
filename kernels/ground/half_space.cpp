#include "kernels/ground/half_space.h"

#include <vector>

#include "kernels/ground/reflection_spectra.h"
#include "kernels/ground/sommerfeld_grid.h"

namespace thinwire {
namespace {

WeightedSpectra reflected_spectra(Complex eps, const PathPoint& point) {
  const auto from = [](Complex z) { return HdComplex{z.real(), z.imag()}; };
  const Complex u1 = point.u1;
  const auto [rh, p, phi] = reflection_spectra(eps, u1, point.u2);
  const Complex weight = point.weight * point.kr / u1;
  return {u1,
          point.u2,
          {from(weight * rh), from(weight * phi), from(weight * (rh - 2.0 * phi - p)),
           from(point.weight * (point.kr * point.kr) * p)}};
}

}  // namespace

Complex image_strength(Complex eps) {
  return (eps - 1.0) / (eps + 1.0);
}

void reflected_kernels_grid(Complex eps, const ReflectionRange& range,
                            std::span<const double> rho, std::span<const double> zeta,
                            std::span<ReflectedKernels> kernels) {
  for (ReflectedKernels& k : kernels) k = {};
  if (eps == 1.0) return;
  const std::vector<double> no_depth(zeta.size());
  sommerfeld_grid(reflected_spectra, eps, above_surface(range), rho, {zeta, no_depth},
                  kernels);
}

ReflectedKernels reflected_kernels(Complex eps, double rho, double zeta) {
  if (eps == 1.0) return {};
  return sommerfeld_point(reflected_spectra, eps, rho, zeta, 0);
}

}  // namespace thinwire
