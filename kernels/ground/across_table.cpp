#include "kernels/ground/across_table.h"

#include <cmath>

namespace thinwire {

ReflectedKernels AcrossTableView::at(double rho, double z, double depth) const {
  const double distance = std::hypot(rho, z + depth);
  const Complex g = std::polar(1 / distance, -distance), charges = 2.0 / (eps + 1.0) * g;
  ReflectedKernels k = across_kernels(eps, rho, z, depth);
  const HdComplex less = {g.real(), g.imag()};
  k.h = k.h - less;
  k.zz = k.zz - less;
  k.phi = k.phi - HdComplex{charges.real(), charges.imag()};
  return k;
}

}  // namespace thinwire
