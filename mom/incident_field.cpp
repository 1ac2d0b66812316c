#include "mom/incident_field.h"

#include <array>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/fields/far_field_terms.h"
#include "kernels/ground/plane_wave.h"
#include "mom/medium.h"
#include "mom/plane_waves.h"
#include "mom/real_ground.h"

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

IncidentField::IncidentField(const Discretisation& where, double k, GreensKernel kernel,
                             Ground ground)
    : where_(where),
      k_rad_per_m_(k),
      kernel_(kernel),
      ground_(ground),
      first_(1, 0),
      wires_below_(any_buried(ground, where.elements())) {
  const Medium medium = far_medium_of(ground);
  for (const Element& element : where.elements()) {
    for (int end = 0; end < 2 && !(wires_below_ && is_below(element)); ++end)
      append(of_end_[end],
             current_moments({&element, 1}, one_ampere[end], k, kernel, medium));
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
  const auto along_below = [&](const Element& element, int end) {
    const WaveMoments moments({&element, 1}, one_ampere[end], kernel_, k_rad_per_m_,
                              std::abs(std::sqrt(eps)));
    Complex sum = 0;
    for (const SideWave& met : below) {
      const ComplexVec3 m = moments.met_by(met.u);
      const auto along = [&](const ComplexVec3& e) {
        return m.x * e.x + m.y * e.y + m.z * e.z;
      };
      sum +=
          components.e_theta * along(met.theta_v) + components.e_phi * along(met.phi_v);
    }
    return sum;
  };
  std::vector<Complex> v(where_.unknowns());
  for (std::size_t e = 0; e + 1 < first_.size(); ++e)
    for (int end = 0; end < 2; ++end) {
      const CurrentMoments& m = of_end_[end];
      const Element& element = where_.elements()[e];
      Complex sum = wires_below_ && is_below(element) ? along_below(element, end) : 0;
      for (const Arrival& arrival : arrivals)
        for (std::size_t i = first_[e]; i < first_[e + 1]; ++i) {
          const auto number = [&](int c) { return m.number[c][i]; };
          const Complex seen = seen_along(arrival.from, number, k_rad_per_m_);
          constexpr int tangent = CurrentMoments::tangent;
          const Vec3 t = {number(tangent), number(tangent + 1), number(tangent + 2)};
          sum += seen * (t * arrival.e_v_per_m);
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
