#include "kernels/ground/buried_kernels.h"

#include <vector>

#include "kernels/ground/sommerfeld_grid.h"

namespace thinwire {
namespace {

WeightedSpectra transmission_spectra(HdComplex eps, const PathPointOf<HdComplex>& at) {
  const VerticalWaves w(eps, at);
  const HdComplex weight = 2.0 * (at.weight * at.kr);
  const HdComplex h = weight / w.sum;
  return {at.u1,
          at.u2,
          {h, weight / w.weighted, h, -weight * at.kr * w.difference / w.weighted}};
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

ReflectedKernels transmission_kernels(Complex eps, double rho, double z, double depth) {
  return sommerfeld_point(transmission_spectra, eps, rho, z, depth);
}

void transmission_kernels_grid(Complex eps, const TransmissionRange& range,
                               std::span<const double> rho, std::span<const double> z,
                               std::span<const double> depth,
                               std::span<ReflectedKernels> kernels) {
  sommerfeld_grid(transmission_spectra, eps, range, rho, {z, depth}, kernels);
}

}  // namespace thinwire
