#pragma once

#include <span>

#include "kernels/ground/half_space.h"
#include "kernels/ground/weighted_spectra.h"

namespace thinwire {

using SpectraAt = WeightedSpectra (*)(HdComplex eps, const PathPointOf<HdComplex>& at);

/// Pairs of a height and a depth, both times k: [places] each.
struct Verticals {
  std::span<const double> z, depth;
};

/// The integrals of four spectra at all rho_i and all places of a range: Bessel functions
/// for every rho_i alone, exponentials for every place, and a product of matrices. Error
/// 1e-9 of 1/R. kernels: [rho][place].
void sommerfeld_grid(SpectraAt spectra, Complex eps, const TransmissionRange& range,
                     std::span<const double> rho, const Verticals& verticals,
                     std::span<ReflectedKernels> kernels);

/// Computes the kernels at one place, to 1e-11.
ReflectedKernels sommerfeld_point(SpectraAt spectra, Complex eps, double rho, double z,
                                  double depth);

}  // namespace thinwire
