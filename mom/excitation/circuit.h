#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "mom/problem/problem.h"

namespace thinwire {

/// An antenna as it is seen at its ports, with the networks between these: the port
/// voltages follow from what drives them.
///
/// A line is held by its chain equations, with the currents at both ends as unknowns,
///
///     V1 = V2 cos kl - j Z0 I2 sin kl,    Z0 I1 = j V2 sin kl - Z0 I2 cos kl
///
/// (Pozar 2012, table 4.1; currents into the line), which hold at every length: at kl =
/// n pi, where it has no admittance matrix, and at length zero. Where currents may circle
/// between lines that are one wire electrically, they share evenly.
class Circuit {
 public:
  /// Drive of a port; zero ampere where only networks are connected.
  struct Drive {
    enum class Kind { voltage, current };
    Kind kind = Kind::current;
    Complex value;
  };

  /// Voltages and currents that the drives produce.
  struct State {
    std::vector<Complex> voltage_v;          ///< [ports]
    std::vector<Complex> network_current_a;  ///< into all networks at a port, [ports]
    /// Into both ends of a line, without its shunts, or of a ladder; none into an NT:
    /// [networks].
    std::vector<std::array<Complex, 2>> line_current_a;
    bool circling = false;  ///< whether currents may circle between lines
  };

  /// admittance_s: of the antenna with all ports shorted but one, [ports][ports].
  /// network_ports: the ports of each network's ends. origin: of the networks, for
  /// messages (yagi.nec:12).
  Circuit(std::size_t ports, std::vector<Complex> admittance_s,
          std::span<const Network> networks,
          std::vector<std::array<std::size_t, 2>> network_ports, double k_rad_per_m,
          std::string origin = "");

  /// received_a: [ports], what the ports would carry if all were shorted (of an incident
  /// wave); empty: nothing. Throws Error{numeric} where sources and networks contradict
  /// each other.
  State solve(std::span<const Drive> drives, std::span<const Complex> received_a) const;

  /// How a^T I changes as the networks do, from `less` to `more`, for each unit of a
  /// parameter that lies 2 `step` apart there: a, the voltages of one state, and those of
  /// the other stay, I are the currents that these drive into the networks. The lines'
  /// equations are differentiated, so that it holds at every length. Throws Error{usage}
  /// where lines change between which currents may circle: how these share changes by a
  /// step.
  Complex network_derivative(const State& one, const State& other,
                             std::span<const Network> less, std::span<const Network> more,
                             double step) const;

  /// Power that the networks turn to heat (or, active ones, make).
  double loss_w(const State& state) const;

 private:
  std::string place() const;
  std::vector<Complex> equations(std::span<const Drive> drives) const;

  std::size_t ports_;
  std::vector<Complex> admittance_s_;  ///< of antenna, NT and shunts together
  std::vector<Network> networks_;
  std::vector<std::array<std::size_t, 2>> network_ports_;
  std::vector<std::size_t> lines_;  ///< of lines and ladders: indices into networks_
  double k_rad_per_m_;
  std::string origin_;
};

}  // namespace thinwire
