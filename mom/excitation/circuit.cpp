#include "mom/excitation/circuit.h"

#include <cmath>

#include <fmt/format.h>

#include "cg/direct/minimum_norm.h"
#include "kernels/base/constants.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// Equations that contradict each other leave a residual of about 1, others of 1e-15.
constexpr double contradiction = 1e-6;

}  // namespace

Circuit::Circuit(std::size_t ports, std::vector<Complex> admittance_s,
                 std::span<const Network> networks,
                 std::vector<std::array<std::size_t, 2>> network_ports,
                 double k_rad_per_m, std::string origin)
    : ports_(ports),
      admittance_s_(std::move(admittance_s)),
      networks_(networks),
      network_ports_(std::move(network_ports)),
      k_rad_per_m_(k_rad_per_m),
      origin_(std::move(origin)) {
  for (std::size_t n = 0; n < networks.size(); ++n) {
    const auto [one, two] = network_ports_[n];
    admittance_s_[one * ports + one] += networks[n].y11_s;
    admittance_s_[two * ports + two] += networks[n].y22_s;
    if (networks[n].kind == Network::Kind::line) {
      lines_.push_back(n);
    } else {
      admittance_s_[one * ports + two] += networks[n].y12_s;
      admittance_s_[two * ports + one] += networks[n].y12_s;
    }
  }
}

/// "yagi.nec:12: networks at 14.2 MHz".
std::string Circuit::place() const {
  return fmt::format("{}{}networks at {:g} MHz", origin_, origin_.empty() ? "" : ": ",
                     k_rad_per_m_ * speed_of_light_m_per_s / (2 * pi) * 1e-6);
}

/// Returns the equations for the voltages V of the ports and for Z0 I at both ends of
/// each line: one row for each port (its voltage, or the sum of its currents), then two
/// rows for each line. Column-major.
std::vector<Complex> Circuit::equations(std::span<const Drive> drives) const {
  const std::size_t size = ports_ + 2 * lines_.size();
  std::vector<Complex> matrix(size * size);
  const auto at = [&](std::size_t row, std::size_t column) -> Complex& {
    return matrix[row + size * column];
  };
  for (std::size_t p = 0; p < ports_; ++p) {
    if (drives[p].kind == Drive::Kind::voltage) {
      at(p, p) = 1;
      continue;
    }
    for (std::size_t q = 0; q < ports_; ++q) at(p, q) = admittance_s_[p * ports_ + q];
  }
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    const Network& line = networks_[lines_[l]];
    const auto ends = network_ports_[lines_[l]];
    const std::size_t first = ports_ + 2 * l;
    for (std::size_t end = 0; end < 2; ++end)
      if (drives[ends[end]].kind == Drive::Kind::current)
        at(ends[end], first + end) += 1 / line.impedance_ohm;
    const double kl = k_rad_per_m_ * line.length_m, turn = line.crossed ? -1 : 1;
    const double c = turn * std::cos(kl);
    const Complex js(0, turn * std::sin(kl));
    at(first, ends[0]) += 1;
    at(first, ends[1]) -= c;
    at(first, first + 1) += js;
    at(first + 1, first) += 1;
    at(first + 1, ends[1]) -= js;
    at(first + 1, first + 1) += c;
  }
  return matrix;
}

Circuit::State Circuit::solve(std::span<const Drive> drives,
                              std::span<const Complex> received_a) const {
  const std::size_t size = ports_ + 2 * lines_.size();
  std::vector<Complex> right(size);
  for (std::size_t p = 0; p < ports_; ++p) {
    right[p] = drives[p].value;
    if (drives[p].kind == Drive::Kind::current && !received_a.empty())
      right[p] -= received_a[p];
  }
  const auto [x, residual, rank] = minimum_norm_solution(size, equations(drives), right);
  if (!(residual < contradiction))
    throw Error(
        ErrorKind::numeric,
        fmt::format("{}: sources and networks contradict each other, such as two "
                    "voltages on one line of length zero, or a current into an open end. "
                    "Change one of them.",
                    place()));
  State state;
  state.voltage_v.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(ports_));
  state.network_current_a.assign(ports_, 0);
  state.line_current_a.resize(networks_.size());
  state.circling = rank < size;
  for (std::size_t l = 0; l < lines_.size(); ++l)
    for (std::size_t end = 0; end < 2; ++end) {
      const Complex current =
          x[ports_ + 2 * l + end] / networks_[lines_[l]].impedance_ohm;
      state.line_current_a[lines_[l]][end] = current;
      state.network_current_a[network_ports_[lines_[l]][end]] += current;
    }
  for (std::size_t n = 0; n < networks_.size(); ++n) {
    const auto [one, two] = network_ports_[n];
    const Network& network = networks_[n];
    const Complex v1 = state.voltage_v[one], v2 = state.voltage_v[two];
    state.network_current_a[one] += network.y11_s * v1 + network.y12_s * v2;
    state.network_current_a[two] += network.y12_s * v1 + network.y22_s * v2;
  }
  return state;
}

/// Derivative of a line's contribution, with W = Z0 I, c = cos kl, s = sin kl (both
/// negative where it is crossed),
/// and a state A beside it that obeys the same equations,
///
///     dW1 = j ds V2 - dc W2 - c dW2,    j s dW2 = dc V2 - j ds W2.
///
/// As lines look the same from both ends, VA2 - c VA1 = -j s WA1, and so
///
///     VA1 dW1 + VA2 dW2 = VA1 (j ds V2 - dc W2) - WA1 (dc V2 - j ds W2).
Complex Circuit::network_derivative(const State& one, const State& other,
                                    std::span<const Network> less,
                                    std::span<const Network> more, double step) const {
  Complex sum = 0;
  for (std::size_t n = 0; n < networks_.size(); ++n) {
    const auto derivative = [&](auto Network::*member) {
      return (more[n].*member - less[n].*member) / (2 * step);
    };
    const auto [first, second] = network_ports_[n];
    const Complex a1 = one.voltage_v[first], a2 = one.voltage_v[second],
                  v1 = other.voltage_v[first], v2 = other.voltage_v[second];
    sum += derivative(&Network::y11_s) * a1 * v1 +
           derivative(&Network::y12_s) * (a1 * v2 + a2 * v1) +
           derivative(&Network::y22_s) * a2 * v2;
    const Network& line = networks_[n];
    if (line.kind != Network::Kind::line) continue;
    const double z0 = line.impedance_ohm, kl = k_rad_per_m_ * line.length_m,
                 turning = k_rad_per_m_ * derivative(&Network::length_m) *
                           (line.crossed ? -1 : 1),
                 dc = -turning * std::sin(kl);
    const Complex jds(0, turning * std::cos(kl));
    if ((one.circling || other.circling) &&
        (turning != 0 || derivative(&Network::impedance_ohm) != 0.0))
      throw Error(
          ErrorKind::usage,
          fmt::format("{}: no gradient with lines between which currents can circulate, "
                      "such as two parallel half-wave lines. Change a length by a "
                      "thousandth, or leave --gradient out.",
                      place()));
    const auto& [i1, i2] = other.line_current_a[n];
    sum += (a1 * (jds * v2 - dc * z0 * i2) -
            z0 * one.line_current_a[n][0] * (dc * v2 - jds * z0 * i2)) /
           z0;
    sum -= (a1 * i1 + a2 * i2) * derivative(&Network::impedance_ohm) / z0;
  }
  return sum;
}

double Circuit::loss_w(std::span<const Complex> voltage_v) const {
  double power = 0;
  for (std::size_t n = 0; n < networks_.size(); ++n) {
    const Network& network = networks_[n];
    const Complex v1 = voltage_v[network_ports_[n][0]],
                  v2 = voltage_v[network_ports_[n][1]];
    power += 0.5 * (network.y11_s.real() * std::norm(v1) +
                    network.y22_s.real() * std::norm(v2)) +
             network.y12_s.real() * (v1 * std::conj(v2)).real();
  }
  return power;
}

}  // namespace thinwire
