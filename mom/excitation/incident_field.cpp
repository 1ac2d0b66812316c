#include "mom/excitation/incident_field.h"

#include <array>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/ground/plane_wave.h"
#include "mom/media/medium.h"
#include "mom/media/real_ground.h"

namespace thinwire {
namespace {

void append(CurrentMoments& all, const CurrentMoments& more) {
  for (int c = 0; c < CurrentMoments::numbers; ++c)
    all.number[c].insert(all.number[c].end(), more.number[c].begin(),
                         more.number[c].end());
}

/// A plane wave as it meets a wire: where it comes from, and its field at the origin.
struct Arrival {
  Vec3 from;
  ComplexVec3 e_v_per_m;
};

/// The wave of these components, V/m, from a direction.
Arrival arrival_from(double theta, double phi, Complex e_theta, Complex e_phi) {
  const double st = std::sin(theta), ct = std::cos(theta), sp = std::sin(phi),
               cp = std::cos(phi);
  return {{st * cp, st * sp, ct},
          {e_theta * (ct * cp) - e_phi * sp, e_theta * (ct * sp) + e_phi * cp,
           -e_theta * st}};
}

/// A wave's direction and components, V/m.
struct Components {
  Direction from;
  Complex e_theta, e_phi;
};

Components components_of(const IncidentWave& wave) {
  const double eta = wave.eta_deg * (pi / 180);
  // Right-hand: E turns from its major axis towards k x that, k being the way of the
  // wave: theta^ towards -phi^.
  const double turn = wave.kind == IncidentWave::Kind::right_elliptic  ? -1
                      : wave.kind == IncidentWave::Kind::left_elliptic ? 1
                                                                       : 0;
  const Complex minor(0, turn * wave.axial_ratio);
  return {{wave.theta_deg * (pi / 180), wave.phi_deg * (pi / 180)},
          std::cos(eta) + minor * std::sin(eta),
          std::sin(eta) - minor * std::cos(eta)};
}

/// The wave, and what a real ground makes of it: a wave from the mirrored direction.
std::vector<Arrival> arrivals_of(const Components& wave, const Ground& ground, double k) {
  const auto& [from, e_theta, e_phi] = wave;
  const auto [theta, phi] = from;
  std::vector<Arrival> arrivals = {arrival_from(theta, phi, e_theta, e_phi)};
  if (ground.is_dielectric()) {
    const PlaneWaveReflection reflection =
        plane_wave_reflection(ground.permittivity(k), std::max(std::cos(theta), 0.0));
    arrivals.push_back(arrival_from(pi - theta, phi, reflection.theta * e_theta,
                                    reflection.phi * e_phi));
  }
  return arrivals;
}

constexpr std::array<Complex, 2> one_ampere[2] = {{1, 0}, {0, 1}};

}  // namespace

IncidentField::IncidentField(const Discretization& discretization, double k,
                             GreensKernel kernel, Ground ground)
    : discretization_(discretization),
      k_rad_per_m_(k),
      ground_(ground),
      first_(1, 0),
      wires_below_(any_buried(ground, discretization.elements())) {
  const Medium medium = far_medium_of(ground);
  const double refraction = std::abs(std::sqrt(ground.permittivity(k)));
  for (const Element& element : discretization.elements()) {
    const bool below = wires_below_ && is_below(element);
    const std::span<const Element> above_one(&element, below ? 0 : 1),
        below_one(&element, below ? 1 : 0);
    for (int end = 0; end < 2; ++end) {
      append(of_end_[end],
             current_moments(above_one, one_ampere[end], k, kernel, medium));
      if (wires_below_)
        below_of_end_[end].emplace_back(below_one, one_ampere[end], kernel, k,
                                        refraction);
    }
    first_.push_back(of_end_[0].size());
  }
}

std::vector<Complex> IncidentField::excitation(const IncidentWave& wave) const {
  const Components components = components_of(wave);
  return excitation(components.from, components.e_theta, components.e_phi);
}

std::vector<Complex> IncidentField::excitation(Direction from, Complex e_theta,
                                               Complex e_phi) const {
  const Components components{from, e_theta, e_phi};
  const std::vector<Arrival> arrivals = arrivals_of(components, ground_, k_rad_per_m_);
  const Complex eps = ground_.permittivity(k_rad_per_m_);
  std::vector<SideWave> below;
  if (wires_below_) below = waves_met(eps, components.from, GroundSide::below);
  const auto along_below = [&](std::size_t e, int end) {
    Complex sum = 0;
    for (const SideWave& met : below) {
      const ComplexVec3 m = below_of_end_[end][e].met_by(met.u);
      const auto along = [&](const ComplexVec3& field) {
        return m.x * field.x + m.y * field.y + m.z * field.z;
      };
      sum +=
          components.e_theta * along(met.theta_v) + components.e_phi * along(met.phi_v);
    }
    return sum;
  };
  std::vector<Complex> v(discretization_.unknowns());
  const std::size_t pieces = of_end_[0].size();
  std::vector<double> re(pieces), im(pieces);
  for (int end = 0; end < 2; ++end) {
    const CurrentMoments& m = of_end_[end];
    const std::vector<double>* const t = &m.number[CurrentMoments::tangent];
    std::vector<Complex> along(pieces);
    for (const Arrival& arrival : arrivals) {
      pieces_seen(m, arrival.from, k_rad_per_m_, re, im);
      for (std::size_t i = 0; i < pieces; ++i)
        along[i] +=
            Complex(re[i], im[i]) * (Vec3{t[0][i], t[1][i], t[2][i]} * arrival.e_v_per_m);
    }
    for (std::size_t e = 0; e + 1 < first_.size(); ++e) {
      Complex sum = wires_below_ ? along_below(e, end) : 0;
      for (std::size_t i = first_[e]; i < first_[e + 1]; ++i) sum += along[i];
      for (const BasisWeight& w : discretization_.basis().at(e, end))
        v[w.function] += w.weight * sum;
    }
  }
  return v;
}

std::vector<std::vector<Complex>> IncidentField::excitations(
    std::span<const IncidentWave> waves) const {
  std::vector<std::vector<Complex>> v(waves.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < waves.size(); ++i) v[i] = excitation(waves[i]);
  return v;
}

double scattering_reference_w(const IncidentWave& wave, double frequency_hz) {
  const double wavelength = speed_of_light_m_per_s / frequency_hz;
  const double minor = wave.kind == IncidentWave::Kind::linear ? 0 : wave.axial_ratio;
  return wavelength * wavelength * (1 + minor * minor) / (2 * eta0_ohm);
}

}  // namespace thinwire
