#include "mom/incident_field.h"

#include <array>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/fields/far_field_terms.h"

namespace thinwire {
namespace {

void append(CurrentMoments& all, const CurrentMoments& more) {
  for (int c = 0; c < CurrentMoments::numbers; ++c)
    all.number[c].insert(all.number[c].end(), more.number[c].begin(),
                         more.number[c].end());
}

/// Where the wave comes from, and its electric field at the origin.
struct WaveVectors {
  Vec3 from;
  Vec3 in_phase, in_quadrature;  ///< E = in_phase + j in_quadrature, V/m
};

WaveVectors vectors_of(const IncidentWave& wave) {
  const double theta = wave.theta_deg * (pi / 180), phi = wave.phi_deg * (pi / 180),
               eta = wave.eta_deg * (pi / 180);
  const double st = std::sin(theta), ct = std::cos(theta), sp = std::sin(phi),
               cp = std::cos(phi);
  WaveVectors vectors;
  vectors.from = {st * cp, st * sp, ct};
  vectors.in_phase =
      std::cos(eta) * Vec3{ct * cp, ct * sp, -st} + std::sin(eta) * Vec3{-sp, cp, 0};
  // Right-hand: E turns from in_phase towards k x in_phase, k = -from being the way of
  // the wave.
  const double turn = wave.kind == IncidentWave::Kind::right_elliptic  ? -1
                      : wave.kind == IncidentWave::Kind::left_elliptic ? 1
                                                                       : 0;
  vectors.in_quadrature =
      (turn * wave.axial_ratio) * cross(-vectors.from, vectors.in_phase);
  return vectors;
}

}  // namespace

IncidentField::IncidentField(const Discretisation& where, double k, GreensKernel kernel,
                             Medium medium)
    : where_(where), k_rad_per_m_(k), first_(1, 0) {
  constexpr std::array<Complex, 2> one_ampere[2] = {{1, 0}, {0, 1}};
  for (const Element& element : where.elements()) {
    for (int end = 0; end < 2; ++end)
      append(of_end_[end],
             current_moments({&element, 1}, one_ampere[end], k, kernel, medium));
    first_.push_back(of_end_[0].size());
  }
}

std::vector<Complex> IncidentField::excitation(const IncidentWave& wave) const {
  const auto [from, in_phase, in_quadrature] = vectors_of(wave);
  std::vector<Complex> v(where_.unknowns());
  for (std::size_t e = 0; e + 1 < first_.size(); ++e)
    for (int end = 0; end < 2; ++end) {
      const CurrentMoments& m = of_end_[end];
      Complex sum = 0;
      for (std::size_t i = first_[e]; i < first_[e + 1]; ++i) {
        const auto number = [&](int c) { return m.number[c][i]; };
        const HdComplex seen = seen_along(from, number, k_rad_per_m_);
        constexpr int tangent = CurrentMoments::tangent;
        const Vec3 t = {number(tangent), number(tangent + 1), number(tangent + 2)};
        sum +=
            Complex(seen.re, seen.im) * Complex(dot(t, in_phase), dot(t, in_quadrature));
      }
      for (const BasisWeight& w : where_.basis().at(e, end))
        v[w.function] += w.weight * sum;
    }
  return v;
}

double scattering_reference_w(const IncidentWave& wave, double frequency_hz) {
  const double wavelength = speed_of_light_m_per_s / frequency_hz;
  const double minor = wave.kind == IncidentWave::Kind::linear ? 0 : wave.axial_ratio;
  return wavelength * wavelength * (1 + minor * minor) / (2 * eta0_ohm);
}

}  // namespace thinwire
