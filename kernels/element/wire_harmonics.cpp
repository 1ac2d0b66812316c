#include "kernels/element/wire_harmonics.h"

#include <algorithm>
#include <cmath>
#include <complex>

namespace thinwire {
namespace {

/// Rises from 0 at x = 0 to 1 at x = 1 with two continuous derivatives.
double smooth_step(double x) {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * x * (10 - x * (15 - 6 * x));
}

/// Radii of the thicker wire: full weight up to the first, none from the second on.
struct WeightRange {
  double full, none;
};

double weight_within(WeightRange range, double distance, double a, double b) {
  constexpr double full_gap = 0.05;
  return smooth_step((distance / (a + b) - 1) / full_gap) *
         smooth_step((range.none - distance / std::max(a, b)) /
                     (range.none - range.full));
}

/// (m + n - 1)! / (m! n!).
double coupling_factor(int m, int n) {
  double product = 1;
  for (int i = 1; i < n; ++i) product *= static_cast<double>(m + i) / (i + 1);
  return product;
}

/// Inverts a symmetric positive definite matrix in place (Gauss and Jordan).
void invert(std::vector<double>& a, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = 1 / a[k * n + k];
    a[k * n + k] = 1;
    for (std::size_t j = 0; j < n; ++j) a[k * n + j] *= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i * n + k];
      if (factor == 0) continue;
      a[i * n + k] = 0;
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
}

double distance_between(const SectionWire& p, const SectionWire& q) {
  return std::hypot(p.x_m - q.x_m, p.y_m - q.y_m);
}

}  // namespace

double proximity_weight(double distance_m, double radius_m, double other_radius_m) {
  return weight_within({18, proximity_radii}, distance_m, radius_m, other_radius_m);
}

double harmonics_weight(double distance_m, double radius_m, double other_radius_m) {
  return weight_within({9, coupling_radii}, distance_m, radius_m, other_radius_m);
}

int harmonic_orders(std::span<const SectionWire> wires) {
  // Orders converge as e^-u, u being the distance of two circles in bipolar coordinates.
  constexpr double wanted = 12;
  double least = wanted;
  for (std::size_t p = 0; p < wires.size(); ++p)
    for (std::size_t q = 0; q < p; ++q) {
      const double d = distance_between(wires[p], wires[q]), a = wires[p].radius_m,
                   b = wires[q].radius_m;
      least = std::min(
          least, std::acosh(std::max(1.0, 0.5 * (d * d - a * a - b * b) / (a * b))));
    }
  const double most = max_harmonic_orders;
  return static_cast<int>(std::round(std::clamp(wanted / least, 1.0, most)));
}

double sheath_self_factor(int order, double ratio, double eps) {
  // An outer field E rho^m adds -E (b^m / rho)^m [eps (1 + g) - (1 - g)] /
  // [eps (1 + g) + (1 - g)], g = (a / b)^2m, and -E (a^m / rho)^m around a bare wire.
  const double g = std::pow(ratio, -2 * order);
  return g * (eps * (1 + g) + (1 - g)) / (eps * (1 + g) - (1 - g));
}

WireHarmonics::WireHarmonics(std::span<const SectionWire> wires, int orders,
                             std::span<const double> self_factors)
    : orders_(orders),
      rows_(2 * wires.size() * static_cast<std::size_t>(orders)),
      inverse_(rows_ * rows_, 0.0) {
  const auto d = [this](std::size_t i, std::size_t j) -> double& {
    return inverse_[i * rows_ + j];
  };
  for (std::size_t p = 0; p < wires.size(); ++p)
    for (int m = 1; m <= orders; ++m)
      for (int part = 0; part < 2; ++part)
        d(row(p, m) + part, row(p, m) + part) =
            (self_factors.empty() ? 1 : self_factors[p * orders + m - 1]) / m;
  for (std::size_t p = 0; p < wires.size(); ++p)
    for (std::size_t q = 0; q < p; ++q) {
      const double weight = harmonics_weight(distance_between(wires[p], wires[q]),
                                             wires[p].radius_m, wires[q].radius_m);
      const std::complex<double> apart(wires[p].x_m - wires[q].x_m,
                                       wires[p].y_m - wires[q].y_m);
      const std::complex<double> of_p = -wires[p].radius_m / apart,
                                 of_q = wires[q].radius_m / apart;
      std::complex<double> power_p = 1;
      for (int m = 1; m <= orders; ++m) {
        power_p *= of_p;
        std::complex<double> both = power_p;
        for (int n = 1; n <= orders; ++n) {
          both *= of_q;
          // Re C e^{jm phi} times this factor, C = c + j s, and on p the angle's sign
          // turns.
          const std::complex<double> f = weight * coupling_factor(m, n) * both;
          const std::size_t i = row(p, m), j = row(q, n);
          d(i, j) = d(j, i) = f.real();
          d(i + 1, j) = d(j, i + 1) = -f.imag();
          d(i, j + 1) = d(j + 1, i) = -f.imag();
          d(i + 1, j + 1) = d(j + 1, i + 1) = -f.real();
        }
      }
    }
  invert(inverse_, rows_);
}

void add_harmonic_drive(double x_m, double y_m, double radius_m,
                        std::span<const double> factor, std::span<double> drive) {
  // (1/m) (a / rho)^m e^{jm phi}.
  const std::complex<double> step =
      radius_m / (x_m * x_m + y_m * y_m) * std::complex<double>(x_m, y_m);
  std::complex<double> power = 1;
  for (std::size_t m = 1; m <= factor.size(); ++m) {
    power *= step;
    drive[2 * m - 2] += factor[m - 1] / static_cast<double>(m) * power.real();
    drive[2 * m - 1] += factor[m - 1] / static_cast<double>(m) * power.imag();
  }
}

}  // namespace thinwire
