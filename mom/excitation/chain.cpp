#include "mom/excitation/chain.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "mom/problem/lumped_impedance.h"

namespace thinwire {
namespace {

constexpr double largest = 1e12;

/// A resonant circuit without loss has no finite impedance.
Complex limited(Complex value) {
  return std::isfinite(std::abs(value)) && std::abs(value) <= largest ? value : largest;
}

Chain product(const Chain& x, const Chain& y) {
  return {x.a * y.a + x.b_ohm * y.c_s, x.a * y.b_ohm + x.b_ohm * y.d,
          x.c_s * y.a + x.d * y.c_s, x.c_s * y.b_ohm + x.d * y.d};
}

Chain chain_of(const LadderBranch& branch, double omega) {
  if (branch.place == LadderBranch::Place::transformer)
    return {1 / branch.part.value[0], 0, 0, branch.part.value[0]};
  const Complex z = limited(lumped_impedance(branch.part.kind, branch.part.value, omega));
  if (branch.place == LadderBranch::Place::series) return {1, z, 0, 1};
  return {1, 0, limited(1.0 / z), 1};
}

double megahertz(double k_rad_per_m) {
  return k_rad_per_m * speed_of_light_m_per_s / (2 * pi) * 1e-6;
}

/// R + j w L over Z0 and (G + j w C) Z0 of a line, 1/m.
struct PerMetre {
  Complex series, shunt;
};

PerMetre per_metre(const Network& line, double k_rad_per_m) {
  const double mhz = megahertz(k_rad_per_m);
  return {{2 * line.loss_np_per_m[0] * std::sqrt(mhz), k_rad_per_m},
          {2 * line.loss_np_per_m[1] * mhz, k_rad_per_m}};
}

}  // namespace

double reference_ohm(const Network& network) {
  return network.kind == Network::Kind::line ? network.impedance_ohm : 50;
}

Chain chain_of(const Network& network, double k_rad_per_m) {
  if (network.kind == Network::Kind::ladder) {
    Chain chain;
    for (const LadderBranch& branch : network.branches)
      chain = product(chain, chain_of(branch, k_rad_per_m * speed_of_light_m_per_s));
    return chain;
  }
  const auto [series, shunt] = per_metre(network, k_rad_per_m);
  const Complex z = network.impedance_ohm * std::sqrt(series / shunt);
  const Complex gamma_l = network.length_m * std::sqrt(series * shunt),
                c = std::cosh(gamma_l), s = std::sinh(gamma_l);
  const double turn = network.crossed ? -1 : 1;
  return {turn * c, turn * s * z, turn * s / z, turn * c};
}

Network short_or_admittances(const Network& network, double k_rad_per_m, double max_np) {
  if (network.kind != Network::Kind::line) return network;
  const auto [series, shunt] = per_metre(network, k_rad_per_m);
  const Complex gamma_l = network.length_m * std::sqrt(series * shunt),
                y = std::sqrt(shunt / series) / network.impedance_ohm,
                e = std::exp(-gamma_l);
  if (!(gamma_l.real() > max_np)) return network;
  Network two_port = network;
  two_port.kind = Network::Kind::admittance;
  const Complex self = y * (1.0 + e * e) / (1.0 - e * e);
  two_port.y11_s += self;
  two_port.y22_s += self;
  two_port.y12_s = (network.crossed ? 2.0 : -2.0) * y * e / (1.0 - e * e);
  two_port.loss_np_per_m[0] = two_port.loss_np_per_m[1] = 0;
  return two_port;
}

Chain chain_derivative(const Network& less, const Network& at, const Network& more,
                       double k_rad_per_m, double step) {
  if (at.kind == Network::Kind::ladder) {
    const Chain x = chain_of(less, k_rad_per_m), y = chain_of(more, k_rad_per_m);
    const double h = 2 * step;
    return {(y.a - x.a) / h, (y.b_ohm - x.b_ohm) / h, (y.c_s - x.c_s) / h,
            (y.d - x.d) / h};
  }
  const auto [series, shunt] = per_metre(at, k_rad_per_m);
  const PerMetre from = per_metre(less, k_rad_per_m), to = per_metre(more, k_rad_per_m);
  const Complex gamma = std::sqrt(series * shunt),
                z = at.impedance_ohm * std::sqrt(series / shunt),
                of_series = (to.series - from.series) / (2 * step) / series,
                of_shunt = (to.shunt - from.shunt) / (2 * step) / shunt,
                of_gamma_l = 0.5 * gamma * at.length_m * (of_series + of_shunt) +
                             gamma * ((more.length_m - less.length_m) / (2 * step)),
                of_log_z = 0.5 * (of_series - of_shunt) +
                           (more.impedance_ohm - less.impedance_ohm) / (2 * step) /
                               at.impedance_ohm;
  const Complex c = std::cosh(gamma * at.length_m), s = std::sinh(gamma * at.length_m);
  const double turn = at.crossed ? -1 : 1;
  const Complex of_c = turn * s * of_gamma_l;
  return {of_c, turn * z * (c * of_gamma_l + s * of_log_z),
          turn / z * (c * of_gamma_l - s * of_log_z), of_c};
}

}  // namespace thinwire
