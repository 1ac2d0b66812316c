#include "mom/excitation/incident_field.h"

#include <array>
#include <cmath>
#include <limits>

#include "kernels/base/constants.h"
#include "kernels/base/parallel.h"
#include "kernels/ground/plane_wave.h"
#include "mom/media/medium.h"
#include "mom/media/real_ground.h"

namespace thinwire {
namespace {

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

using Components = IncidentField::Components;

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

/// Rounding of an excitation near the origin; of a phase, in units of the last place.
constexpr double min_rounding = 3e-13, roundings_of_phase = 8;

constexpr std::array<Complex, 2> one_ampere[2] = {{1, 0}, {0, 1}};

}  // namespace

IncidentField::IncidentField(const Discretization& discretization, double k,
                             GreensKernel kernel, Ground ground)
    : discretization_(discretization),
      k_rad_per_m_(k),
      ground_(ground),
      first_(1, 0),
      rounding_(min_rounding),
      wires_below_(any_buried(ground, discretization.elements())) {
  const Medium medium = far_medium_of(ground);
  const std::span<const Element> elements = discretization.elements();
  const double refraction = std::abs(std::sqrt(ground.permittivity(k)));
  std::vector<Complex> end_current_a[2];
  for (const Element& element : elements) {
    rounding_ =
        std::max(rounding_, min_rounding + roundings_of_phase *
                                               std::numeric_limits<double>::epsilon() *
                                               k * norm(element.start_m));
    const bool below = wires_below_ && is_below(element);
    const std::span<const Element> above_one(&element, below ? 0 : 1),
        below_one(&element, below ? 1 : 0);
    first_.push_back(first_.back() + static_cast<std::size_t>(medium.sources()) *
                                         piece_count(above_one, k));
    for (int end = 0; end < 2; ++end) {
      for (const Complex current_a : one_ampere[end])
        end_current_a[end].push_back(below ? 0 : current_a);
      if (wires_below_)
        below_of_end_[end].emplace_back(below_one, one_ampere[end], kernel, k,
                                        refraction);
    }
  }
  for (int end = 0; end < 2; ++end)
    of_end_[end] = current_moments(elements, end_current_a[end], k, kernel, medium, 1,
                                   /*join=*/false);
}

IncidentField::Components IncidentField::components_of(const IncidentWave& wave) {
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

std::vector<Complex> IncidentField::excitation(const IncidentWave& wave) const {
  const Components components = components_of(wave);
  return excitation(components.from, components.e_theta, components.e_phi);
}

std::vector<Complex> IncidentField::excitation(Direction from, Complex e_theta,
                                               Complex e_phi) const {
  std::vector<Complex> v(discretization_.unknowns());
  Scratch along;
  excite({from, e_theta, e_phi}, along, v);
  return v;
}

void IncidentField::excite(const Components& wave, Scratch& along,
                           std::span<Complex> v) const {
  std::vector<SideWave> below;
  if (wires_below_)
    below = waves_met(ground_.permittivity(k_rad_per_m_), wave.from, GroundSide::below);
  const auto along_below = [&](std::size_t e, int end) {
    Complex sum = 0;
    for (const SideWave& met : below) {
      const ComplexVec3 m = below_of_end_[end][e].met_by(met.u);
      const auto dot = [&](const ComplexVec3& field) {
        return m.x * field.x + m.y * field.y + m.z * field.z;
      };
      sum += wave.e_theta * dot(met.theta_v) + wave.e_phi * dot(met.phi_v);
    }
    return sum;
  };
  const std::vector<Arrival> arrivals = arrivals_of(wave, ground_, k_rad_per_m_);
  for (int end = 0; end < 2; ++end) {
    along.re[end].assign(of_end_[end].size(), 0);
    along.im[end].assign(of_end_[end].size(), 0);
    for (const auto& [from, e] : arrivals) {
      const Complex field[3] = {e.x, e.y, e.z};
      add_pieces_along(of_end_[end], from, field, k_rad_per_m_, along.re[end],
                       along.im[end]);
    }
  }
  const auto functions = std::span(discretization_.basis().functions());
  constexpr std::size_t functions_at_once = 1024;
  const auto excite_function = [&](std::size_t f) {
    v[f] = 0;
    for (int term = 0; term < 2; ++term) {
      const std::size_t e = functions[f].element[term];
      const int end = functions[f].end[term], sign = functions[f].sign[term];
      if (sign == 0) continue;
      double re = 0, im = 0;
      for (std::size_t i = first_[e]; i < first_[e + 1]; ++i) {
        re += along.re[end][i];
        im += along.im[end][i];
      }
      v[f] += static_cast<double>(sign) * Complex(re, im);
      if (wires_below_) v[f] += static_cast<double>(sign) * along_below(e, end);
    }
  };
  for_each_parallel(functions.size(), excite_function, functions_at_once);
}

void IncidentField::excitations(std::span<const Components> waves,
                                std::span<Complex> v) const {
  const std::size_t n = discretization_.unknowns();
#pragma omp parallel if (waves.size() > 1)  // else its parts are shared
  {
    Scratch along;
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < waves.size(); ++i)
      excite(waves[i], along, v.subspan(i * n, n));
  }
}

double scattering_reference_w(const IncidentWave& wave, double frequency_hz) {
  const double wavelength = speed_of_light_m_per_s / frequency_hz;
  const double minor = wave.kind == IncidentWave::Kind::linear ? 0 : wave.axial_ratio;
  return wavelength * wavelength * (1 + minor * minor) / (2 * eta0_ohm);
}

}  // namespace thinwire
