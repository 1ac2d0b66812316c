#pragma once

#include <span>
#include <vector>

#include "mom/discretisation.h"
#include "mom/solution.h"

namespace thinwire {

/// The sources of a run as ports: each excites the matrix and measures its current
/// through one and the same functional, so that the ports are reciprocal and the
/// impedance is stationary.
class Ports {
 public:
  /// Throws Error{geometry} for a source on a segment that carries no current at all.
  Ports(const Discretisation& where, std::span<const Source> sources, double k_rad_per_m);

  std::size_t count() const { return sources_.size(); }

  /// Right-hand side for the sources' own voltages.
  std::vector<Complex> excitation() const;
  /// Right-hand side for one volt at `port`, the others shorted.
  std::vector<Complex> unit_excitation(std::size_t port) const;
  Complex current(std::size_t port, std::span<const Complex> coefficients) const;

  /// Voltage, current, impedance and power of every port.
  std::vector<PortResult> results(std::span<const Complex> coefficients) const;

 private:
  const Discretisation& where_;
  std::span<const Source> sources_;
  std::vector<std::vector<BasisWeight>> functional_;
};

}  // namespace thinwire
