#pragma once

#include <vector>

#include "kernels/ground/buried_kernels.h"

namespace thinwire {

/// Which horizontal distances, heights and depths, times k, are in use between currents
/// above the surface and below it: what an AcrossTable is made for.
class AcrossPlaces {
 public:
  /// k R from `least` to `most`; nearer places count as being there in the same
  /// direction.
  AcrossPlaces(double least, double most) : least_(least), most_(most) {}

  void add(const AcrossRange& range) { ranges_.push_back(range); }

 private:
  double least_, most_;
  std::vector<AcrossRange> ranges_;
};

/// The kernels across the surface (buried_kernels.h) less their static part,
///
///   Gh - G,  Kphi - 2 G / (eps + 1),  Kzz - G,  Q,    G = e^{-jkR}/R,
///
/// R^2 = rho^2 + (z + depth)^2, for any places.
struct AcrossTableView {
  Complex eps;

  /// The four, times 1/k, at k rho, k z >= 0, k depth >= 0 (not all 0).
  ReflectedKernels at(double rho, double z, double depth) const;
};

class AcrossTable {
 public:
  /// For these places only, 1e-7 of G (of 2 G / (eps + 1) for charges).
  AcrossTable(Complex eps, const AcrossPlaces& places) : eps_(eps) { (void)places; }

  Complex eps() const { return eps_; }
  AcrossTableView view() const { return {eps_}; }
  std::size_t bytes() const { return 0; }

 private:
  Complex eps_;
};

}  // namespace thinwire
