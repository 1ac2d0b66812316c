#include "mom/excitation/circuit.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cg/direct/minimum_norm.h"
#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "mom/excitation/chain.h"

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
      network_ports_(std::move(network_ports)),
      k_rad_per_m_(k_rad_per_m),
      origin_(std::move(origin)) {
  for (std::size_t n = 0; n < networks.size(); ++n) {
    const auto [one, two] = network_ports_[n];
    const Network& network =
        networks_.emplace_back(short_or_admittances(networks[n], k_rad_per_m));
    admittance_s_[one * ports + one] += network.y11_s;
    admittance_s_[two * ports + two] += network.y22_s;
    if (network.kind != Network::Kind::admittance) {
      lines_.push_back(n);
    } else {
      admittance_s_[one * ports + two] += network.y12_s;
      admittance_s_[two * ports + one] += network.y12_s;
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
    const double z0 = reference_ohm(line);
    for (std::size_t end = 0; end < 2; ++end)
      if (drives[ends[end]].kind == Drive::Kind::current)
        at(ends[end], first + end) += 1 / z0;
    const Chain chain = chain_of(line, k_rad_per_m_);
    // Each row of the order of one: those of long lossy lines have no bounds.
    const auto add_row = [&](std::size_t row, std::size_t unknown, Complex of_v,
                             Complex of_w) {
      const double largest = std::max({1.0, std::abs(of_v), std::abs(of_w)});
      at(row, unknown) += 1 / largest;
      at(row, ends[1]) -= of_v / largest;
      at(row, first + 1) += of_w / largest;
    };
    add_row(first, ends[0], chain.a, chain.b_ohm / z0);
    add_row(first + 1, first, chain.c_s * z0, chain.d);
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
          x[ports_ + 2 * l + end] / reference_ohm(networks_[lines_[l]]);
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

/// Derivative of the contribution of a line or ladder, by its chain parameters, with a
/// state A beside it that obeys the same equations,
///
///     dI1 = dc V2 - dd I2 - d dI2,    b dI2 = da V2 - db I2.
///
/// As a d - b c = 1, VA2 - d VA1 = -b IA1, and so
///
///     VA1 dI1 + VA2 dI2 = VA1 (dc V2 - dd I2) - IA1 (da V2 - db I2).
Complex Circuit::network_derivative(const State& one, const State& other,
                                    std::span<const Network> less,
                                    std::span<const Network> more, double step) const {
  Complex sum = 0;
  for (std::size_t n = 0; n < networks_.size(); ++n) {
    const bool as_it_is = networks_[n].kind == less[n].kind;
    const auto in_form = [&](const Network& network) {
      return as_it_is ? network : short_or_admittances(network, k_rad_per_m_, 0.5);
    };
    const Network from = in_form(less[n]), to = in_form(more[n]);
    const auto derivative = [&](auto Network::*member) {
      return (to.*member - from.*member) / (2 * step);
    };
    const auto [first, second] = network_ports_[n];
    const Complex a1 = one.voltage_v[first], a2 = one.voltage_v[second],
                  v1 = other.voltage_v[first], v2 = other.voltage_v[second];
    sum += derivative(&Network::y11_s) * a1 * v1 +
           derivative(&Network::y12_s) * (a1 * v2 + a2 * v1) +
           derivative(&Network::y22_s) * a2 * v2;
    if (networks_[n].kind == Network::Kind::admittance) continue;
    const Chain of = chain_derivative(less[n], networks_[n], more[n], k_rad_per_m_, step);
    if ((one.circling || other.circling) &&
        (of.a != 0.0 || of.b_ohm != 0.0 || of.c_s != 0.0 || of.d != 0.0))
      throw Error(
          ErrorKind::usage,
          fmt::format("{}: no gradient with lines between which currents can circulate, "
                      "such as two parallel half-wave lines. Change a length by a "
                      "thousandth, or leave --gradient out.",
                      place()));
    const Complex i2 = other.line_current_a[n][1];
    sum += a1 * (of.c_s * v2 - of.d * i2) -
           one.line_current_a[n][0] * (of.a * v2 - of.b_ohm * i2);
  }
  return sum;
}

double Circuit::loss_w(const State& state) const {
  // Share of the power that flows in and out below which a difference is rounding.
  constexpr double rounding = 1e-12;
  double power = 0;
  for (std::size_t n = 0; n < networks_.size(); ++n) {
    const Network& network = networks_[n];
    const Complex v1 = state.voltage_v[network_ports_[n][0]],
                  v2 = state.voltage_v[network_ports_[n][1]];
    power += 0.5 * (network.y11_s.real() * std::norm(v1) +
                    network.y22_s.real() * std::norm(v2)) +
             network.y12_s.real() * (v1 * std::conj(v2)).real();
    if (network.kind != Network::Kind::ladder && network.loss_np_per_m[0] == 0 &&
        network.loss_np_per_m[1] == 0)
      continue;
    const Complex in = v1 * std::conj(state.line_current_a[n][0]),
                  out = v2 * std::conj(state.line_current_a[n][1]);
    const double lost = 0.5 * (in + out).real();
    if (std::abs(lost) > rounding * (std::abs(in) + std::abs(out))) power += lost;
  }
  return power;
}

}  // namespace thinwire
