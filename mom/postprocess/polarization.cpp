#include "mom/postprocess/polarization.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/base/vec3.h"

namespace thinwire {
namespace {

constexpr double linear_axial_ratio = 1e-5;
constexpr double no_field_squared = 1e-20;
constexpr double deg = 180.0 / pi;

Vec3 direction(double theta_deg, double phi_deg) {
  const double t = theta_deg / deg, p = phi_deg / deg;
  return {std::sin(t) * std::cos(p), std::sin(t) * std::sin(p), std::cos(t)};
}

}  // namespace

Polarization polarization(Complex e_theta, Complex e_phi) {
  const double theta2 = std::norm(e_theta), phi2 = std::norm(e_phi);
  if (theta2 <= no_field_squared && phi2 <= no_field_squared) return {};
  const Complex product = e_phi * std::conj(e_theta);
  const double s0 = theta2 + phi2, s1 = theta2 - phi2;
  const double s2 = 2.0 * product.real(), s3 = 2.0 * product.imag();
  Polarization p;
  const double major2 = 0.5 * (s0 + std::hypot(s1, s2));
  p.major = std::sqrt(major2);
  // major * minor = |s3| / 2 keeps its digits where s0 - hypot(s1, s2) would cancel.
  p.axial_ratio = std::min(1.0, 0.5 * std::abs(s3) / major2);
  p.minor = p.axial_ratio * p.major;
  p.tilt_deg = 0.5 * std::atan2(s2, s1) * deg;
  // E_phi behind E_theta in phase: the field turns from theta-hat to phi-hat, that is
  // clockwise for somebody who looks along r = theta-hat x phi-hat.
  p.sense = p.axial_ratio <= linear_axial_ratio ? Sense::linear
            : s3 <= 0                           ? Sense::right
                                                : Sense::left;
  return p;
}

std::string_view sense_name(Sense sense) {
  switch (sense) {
    case Sense::linear:
      return "LINEAR";
    case Sense::right:
      return "RIGHT";
    case Sense::left:
      return "LEFT";
    case Sense::none:
      break;
  }
  return "";
}

double decibel(double power_ratio) {
  return power_ratio > 1e-20 ? 10.0 * std::log10(power_ratio) : gain_floor_db;
}

Gains gains(Complex e_theta_v, Complex e_phi_v, double reference_power_w) {
  if (!(std::abs(reference_power_w) > 0)) return {};
  const double factor = 2.0 * pi / (eta0_ohm * reference_power_w);
  const double theta2 = std::norm(e_theta_v), phi2 = std::norm(e_phi_v);
  const Polarization p = polarization(e_theta_v, e_phi_v);
  Gains g;
  g.vertical = decibel(factor * theta2);
  g.horizontal = decibel(factor * phi2);
  g.total = decibel(factor * (theta2 + phi2));
  g.major = decibel(factor * p.major * p.major);
  g.minor = decibel(factor * p.minor * p.minor);
  return g;
}

double normalised_choice(const Gains& gains, int choice) {
  switch (choice) {
    case 1:
      return gains.major;
    case 2:
      return gains.minor;
    case 3:
      return gains.vertical;
    case 4:
      return gains.horizontal;
    case 5:
      return gains.total;
  }
  throw Error(ErrorKind::deck, "RP: normalised gain must be asked for by 1..5 (got " +
                                   std::to_string(choice) + ").");
}

PatternPeak pattern_peak(const PatternResult& pattern) {
  PatternPeak peak;
  const std::size_t phis = pattern.phi_deg.size();
  if (pattern.gain_dbi.empty() || phis == 0) return peak;
  const auto best = std::max_element(pattern.gain_dbi.begin(), pattern.gain_dbi.end());
  const std::size_t at = static_cast<std::size_t>(best - pattern.gain_dbi.begin());
  peak.gain_dbi = *best;
  peak.theta_deg = pattern.theta_deg[at / phis];
  peak.phi_deg = pattern.phi_deg[at % phis];

  const Vec3 back = -direction(peak.theta_deg, peak.phi_deg);
  double nearest = std::cos(1.0 / deg);
  for (std::size_t i = 0; i < pattern.gain_dbi.size(); ++i) {
    const double along =
        dot(back, direction(pattern.theta_deg[i / phis], pattern.phi_deg[i % phis]));
    if (along <= nearest) continue;
    nearest = along;
    peak.front_to_back_db.reset();
    // Nothing goes there, as below ground: no ratio.
    if (pattern.gain_dbi[i] > gain_floor_db)
      peak.front_to_back_db = peak.gain_dbi - pattern.gain_dbi[i];
  }
  return peak;
}

}  // namespace thinwire
