#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mom/discretization/discretization.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// The ports of a run: its sources in their order, then where networks connect besides.
/// Each excites the matrix and measures its current through one and the same functional,
/// so that the ports are reciprocal and the impedance is stationary.
class Ports {
 public:
  /// Throws Error{geometry} for a source where no current can flow and that has no
  /// network, either; for a second source on one wire by its duplicate, and for ports on
  /// duplicates (wire_mesh.h) that run the other way.
  Ports(const Discretization& discretization, std::span<const Source> sources,
        std::span<const Network> networks, double k_rad_per_m);

  std::size_t count() const { return places_.size(); }
  std::span<const Source> sources() const { return sources_; }
  std::span<const Network> networks() const { return networks_; }
  /// The ports of both ends of each network.
  const std::vector<std::array<std::size_t, 2>>& of_networks() const {
    return of_networks_;
  }
  /// Whether current can flow through a port: not in a wire of one segment, free at both
  /// ends.
  bool carries_current(std::size_t port) const { return !functional_[port].empty(); }
  /// Where the deck has the first network (yagi.nec:12); empty where there is none.
  std::string network_origin() const;
  std::size_t unknowns() const { return discretization_.unknowns(); }
  double k_rad_per_m() const { return k_rad_per_m_; }

  /// Right-hand side for the sources' own voltages.
  std::vector<Complex> excitation() const;
  /// Right-hand side for one volt at `port`, the others shorted.
  std::vector<Complex> unit_excitation(std::size_t port) const;
  Complex current(std::size_t port, std::span<const Complex> coefficients) const;

  /// Returns what a port presents to a source with this voltage and current.
  PortResult result(std::size_t port, Complex voltage_v, Complex current_a) const;

 private:
  [[noreturn]] void refuse(std::string_view what, std::size_t segment, int line,
                           std::string_view why) const;
  Source place_of(std::size_t segment, Gap gap, int line) const;
  bool has_port_at(const Source& place) const;
  std::size_t port_at(const Source& place);

  const Discretization& discretization_;
  std::span<const Source> sources_;
  std::span<const Network> networks_;
  std::vector<std::array<std::size_t, 2>> of_networks_;
  double k_rad_per_m_;
  std::vector<Source> places_;  ///< of all ports
  std::vector<std::vector<BasisWeight>> functional_;
};

}  // namespace thinwire
