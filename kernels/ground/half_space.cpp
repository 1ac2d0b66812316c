#include "kernels/ground/half_space.h"

#include <vector>

#include "kernels/ground/sommerfeld_grid.h"

namespace thinwire {
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
