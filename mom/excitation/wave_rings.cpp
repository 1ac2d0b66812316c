#include "mom/excitation/wave_rings.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/constants.h"

namespace thinwire {
namespace {

/// Harmonics that interpolation leaves out, relative to the norm of an excitation.
constexpr double largest_left_out = 1e-14;
/// Waves of a ring for each sample from which interpolation takes less time.
constexpr double min_waves_a_sample = 1.5;
/// Errors of an interpolated right-hand side in those of a computed one: the sum of the
/// weights' magnitudes is 4, and a wave may be weaker than the others of its ring.
constexpr double roundings = 32;

/// Returns an upper bound of the sum of |J_m(x)| over m >= order, for order > x >= 0:
/// Kapteyn's inequality (DLMF 10.14.8) and a geometric series.
double bessel_tail(int order, double x) {
  const auto bound = [x](int m) {
    const double z = x / m, root = std::sqrt(1 - z * z);
    return std::pow(z * std::exp(root) / (1 + root), m);
  };
  const double first = bound(order);
  return first == 0 ? 0 : first / (1 - std::min(bound(order + 1) / first, 0.999));
}

/// Returns an upper bound of what the harmonics above `degree` do to an interpolant,
/// relative to the integrals of |f . E|. Components along theta^ and phi^ add +-1 to the
/// order. Harmonics of both signs are left out, and appear as others.
double left_out(int degree, double x) {
  return degree > x ? 8 * bessel_tail(degree, x)
                    : std::numeric_limits<double>::infinity();
}

/// Returns sin(n x / 2) / (n sin(x / 2)) for odd n.
double interpolation_weight(std::size_t n, double x) {
  const double sine = std::sin(0.5 * x), count = static_cast<double>(n);
  return std::abs(sine) < 1e-12 ? 1 : std::sin(0.5 * count * x) / (count * sine);
}

}  // namespace

VerticalAxis vertical_axis(std::span<const Element> elements) {
  const auto visit_ends = [&](const auto& visit) {
    for (const Element& e : elements)
      for (const double along_m : {0.0, e.length_m})
        visit(e.start_m + along_m * e.tangent, e.radius_m);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vec3 low{infinity, infinity, 0}, high{-infinity, -infinity, 0};
  visit_ends([&](Vec3 at, double) {
    low = {std::min(low.x, at.x), std::min(low.y, at.y), 0};
    high = {std::max(high.x, at.x), std::max(high.y, at.y), 0};
  });
  VerticalAxis axis{0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0};
  visit_ends([&](Vec3 at, double radius_m) {
    axis.rho_m =
        std::max(axis.rho_m, std::hypot(at.x - axis.x_m, at.y - axis.y_m) + radius_m);
  });
  return axis;
}

std::size_t ring_samples(double k_rho, std::int64_t phi_count, std::size_t max_samples) {
  const double most = std::min(static_cast<double>(max_samples),
                               static_cast<double>(phi_count) / min_waves_a_sample);
  int degree = static_cast<int>(std::min(k_rho, most)) + 1;
  while (2 * degree + 1 <= most && left_out(degree, k_rho) > largest_left_out) ++degree;
  return 2 * degree + 1 <= most ? static_cast<std::size_t>(2 * degree + 1) : 0;
}

WaveRings::WaveRings(const IncidentField& field, const IncidentWaves& waves,
                     const Discretization& discretization, double k,
                     std::size_t max_samples)
    : waves_(waves),
      unknowns_(discretization.unknowns()),
      k_rad_per_m_(k),
      tolerance_(roundings * field.rounding()) {
  const auto elements = std::span(discretization.elements());
  axis_ = vertical_axis(elements);
  sample_count_ = ring_samples(k * axis_.rho_m, waves.phi_count, max_samples);
  if (sample_count_ == 0) return;
  const double spacing = 2 * pi / static_cast<double>(sample_count_);
  for (std::int64_t p = 0; p < waves.phi_count; ++p) {
    const double turn = waves.phi_step_deg * (pi / 180) * static_cast<double>(p);
    for (std::size_t i = 0; i < sample_count_; ++i)
      weights_.push_back(interpolation_weight(
          sample_count_,
          std::remainder(turn - spacing * static_cast<double>(i), 2 * pi)));
  }

  const auto functions = discretization.basis().functions();
  double squares = 0;
  for (const auto& function : functions) {
    double length_m = 0;
    for (int term = 0; term < 2; ++term)
      if (function.sign[term] != 0) length_m += elements[function.element[term]].length_m;
    squares += length_m * length_m;
  }
  // The wave and what a ground reflects.
  largest_v_ = 2 * std::hypot(1, waves.first.axial_ratio) * std::sqrt(squares);
}

Direction WaveRings::direction(std::size_t ring, double phi_deg) const {
  return {(waves_.first.theta_deg + waves_.theta_step_deg * static_cast<double>(ring)) *
              (pi / 180),
          phi_deg * (pi / 180)};
}

/// Returns the phase factor of a wave on the axis if that at the origin is 1.
Complex WaveRings::phase_at_axis(Direction from) const {
  return std::polar(
      1.0, k_rad_per_m_ * std::sin(from.theta) *
               (axis_.x_m * std::cos(from.phi) + axis_.y_m * std::sin(from.phi)));
}

IncidentField::Components WaveRings::sample(std::size_t ring, std::size_t i) const {
  IncidentField::Components wave = IncidentField::components_of(waves_.first);
  wave.from =
      direction(ring, waves_.first.phi_deg + 360 * static_cast<double>(i) /
                                                 static_cast<double>(sample_count_));
  const Complex factor = std::conj(phase_at_axis(wave.from));
  wave.e_theta *= factor;
  wave.e_phi *= factor;
  return wave;
}

Complex WaveRings::phase_factor(std::size_t ring, std::size_t p) const {
  return phase_at_axis(direction(
      ring, waves_.first.phi_deg + waves_.phi_step_deg * static_cast<double>(p)));
}

std::vector<double> WaveRings::residual_bounds(std::size_t ring,
                                               std::span<const Complex> v,
                                               const SampleErrors& errors) const {
  // |sum w_i v_i|^2 = w^T G w with the real part of the Gram matrix, as weights are real.
  const std::size_t count = sample_count_,
                    waves = static_cast<std::size_t>(waves_.phi_count);
  const auto order = static_cast<int>(count), length = static_cast<int>(2 * unknowns_);
  std::vector<double> gram(count * count), products(waves * count);
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, order, length, 1,
              reinterpret_cast<const double*>(v.data()), length, 0, gram.data(), order);
  cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, order, static_cast<int>(waves), 1,
              gram.data(), order, weights_.data(), order, 0, products.data(), order);
  const double neglected =
      left_out(order / 2, k_rad_per_m_ * axis_.rho_m *
                              std::abs(std::sin(direction(ring, 0).theta))) *
      largest_v_;
  std::vector<double> bounds(waves);
  for (std::size_t p = 0; p < waves; ++p) {
    double square = 0, missed = neglected, residual = neglected;
    for (std::size_t i = 0; i < count; ++i) {
      const double weight = weights_[p * count + i],
                   size = std::abs(weight) * std::sqrt(gram[i * count + i]);
      square += weight * products[p * count + i];
      missed += size * errors.missed[i];
      residual += size * errors.residuals[i];
    }
    const double norm = std::sqrt(std::max(square, 0.0));
    bounds[p] = missed <= tolerance_ * norm ? residual / norm
                                            : std::numeric_limits<double>::infinity();
  }
  return bounds;
}

}  // namespace thinwire
