#include "io/result/write_pattern.h"

#include <fmt/format.h>

#include <thinwire_version.h>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "io/result/output_file.h"
#include "kernels/base/counted.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace {

constexpr double max_attenuation_db = 99.9, min_gain_dbi = -99.999;
/// Rounding errors of angles that are sums of steps, such as thirds of a degree.
constexpr double angle_tolerance_deg = 1e-6;

/// Returns the index of the largest angle that is at most `angle`, and the weight of the
/// next one.
std::pair<std::size_t, double> place(std::span<const double> angles, double angle) {
  const auto above = std::upper_bound(angles.begin(), angles.end(), angle);
  const auto i =
      static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, above - angles.begin() - 1));
  if (i + 1 == angles.size()) return {i, 0};
  return {i, (angle - angles[i]) / (angles[i + 1] - angles[i])};
}

/// Gain towards theta (0 .. 180) and any phi, degrees.
double gain_at(const GainPattern& p, double theta, double phi) {
  const auto &thetas = p.theta_deg, &phis = p.phi_deg;
  if (theta > thetas.back() + angle_tolerance_deg) return min_gain_dbi;
  phi -= 360 * std::floor((phi - phis.front()) / 360);
  const auto [t, theta_weight] = place(thetas, std::min(theta, thetas.back()));
  auto [a, phi_weight] = place(phis, phi);
  std::size_t next = a + 1;
  if (next == phis.size()) {  // between the last azimuth and the first
    next = 0;
    phi_weight = phi > phis[a] ? (phi - phis[a]) / (phis[0] + 360 - phis[a]) : 0;
  }
  const auto at = [&](std::size_t row, std::size_t column) {
    return std::max(min_gain_dbi, p.gain_dbi[row * phis.size() + column]);
  };
  const auto along_phi = [&, a = a, phi_weight = phi_weight](std::size_t row) {
    return std::lerp(at(row, a), at(row, next), phi_weight);
  };
  return theta_weight > 0 ? std::lerp(along_phi(t), along_phi(t + 1), theta_weight)
                          : along_phi(t);
}

/// "NAME, written by thinwire 0.1.0", in ASCII.
std::string signed_name(const GainPattern& pattern) {
  std::string name = printable(pattern.name);
  std::ranges::replace_if(
      name, [](char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("{:.60}, {} {}", name, text_signature, THINWIRE_VERSION);
}

std::string azimuth_zero(Direction lobe) {
  return fmt::format("azimuth 0 is phi = {:g}", lobe.phi_deg);
}

/// Appends 91 gains from the horizon to the zenith as VOACAP's readant.for reads them:
/// ten a line, seven columns each behind nine.
void append_elevations(std::string& out, std::string head, const GainPattern& pattern,
                       double phi_deg) {
  for (int elevation = 0; elevation <= 90; ++elevation) {
    if (elevation % 10 == 0) {
      out += (elevation > 0 ? "\n" : "") + head;
      head = std::string(9, ' ');
    }
    fmt::format_to(std::back_inserter(out), "{:7.3f}",
                   gain_at(pattern, 90 - elevation, phi_deg));
  }
  out += '\n';
}

double efficiency_db(const GainPattern& pattern) {
  return pattern.efficiency > 0 ? std::max(-99.9, 10 * std::log10(pattern.efficiency))
                                : 0;
}

}  // namespace

bool covers_upper_half(const GainPattern& p) {
  const auto& phi = p.phi_deg;
  if (p.theta_deg.empty() || phi.size() < 2) return false;
  double widest = phi.front() + 360 - phi.back();
  for (std::size_t a = 1; a < phi.size(); ++a)
    widest = std::max(widest, phi[a] - phi[a - 1]);
  return p.theta_deg.front() < angle_tolerance_deg &&
         p.theta_deg.front() > -angle_tolerance_deg &&
         p.theta_deg.back() > 90 - angle_tolerance_deg &&
         widest < 30 + angle_tolerance_deg;
}

Direction main_lobe(const GainPattern& p) {
  // A dipole has many equal maxima: the lowest one of the first azimuth is taken,
  // whatever the last bits are.
  Direction best;
  double most = -1e300;
  for (std::size_t a = 0; a < p.phi_deg.size(); ++a)
    for (std::size_t t = p.theta_deg.size(); t-- > 0;)
      if (p.theta_deg[t] < 90 + angle_tolerance_deg &&
          p.gain_dbi[t * p.phi_deg.size() + a] > most + 1e-6) {
        most = p.gain_dbi[t * p.phi_deg.size() + a];
        best = {p.theta_deg[t], p.phi_deg[a]};
      }
  return best;
}

std::string msi_text(const GainPattern& pattern) {
  const Direction lobe = main_lobe(pattern);
  const double peak = gain_at(pattern, lobe.theta_deg, lobe.phi_deg);
  std::string out = fmt::format(
      "NAME {}\nFREQUENCY {:g}\nGAIN {:.2f} dBi\nCOMMENT {}; horizontal cut at elevation "
      "{:g}; vertical cut from the horizon down\n",
      signed_name(pattern), pattern.frequency_hz / 1e6, peak, azimuth_zero(lobe),
      90 - lobe.theta_deg);
  const auto cut = [&](const char* heading, const auto& theta_phi) {
    out += heading;
    for (int angle = 0; angle < 360; ++angle) {
      const auto [theta, phi] = theta_phi(angle);
      // Below the horizon the opposite lobe may be larger: not less than 0.
      fmt::format_to(
          std::back_inserter(out), "{} {:.2f}\n", angle,
          std::clamp(peak - gain_at(pattern, theta, phi), 0., max_attenuation_db));
    }
  };
  cut("HORIZONTAL 360\n", [&](int angle) {
    return std::pair<double, double>(lobe.theta_deg, lobe.phi_deg - angle);
  });
  cut("VERTICAL 360\n", [&](int angle) {
    const bool back = angle > 90 && angle < 270;
    const int theta = back ? 270 - angle : angle <= 90 ? 90 + angle : angle - 270;
    return std::pair<double, double>(theta, lobe.phi_deg + (back ? 180 : 0));
  });
  return out;
}

// VOACAP adds parameter 1 to all gains.
std::string voacap_13_text(const GainPattern& pattern) {
  const Direction lobe = main_lobe(pattern);
  std::string out = fmt::format(
      "{}; {}\n 4     4 parameters\n   0.00  [ 1] Max Gain dBi..:\n   13    [ 2] Antenna "
      "Type..: 360 x 91 gain values follow\n{:7.2f}  [ 3] Efficiency (for IONCAP)\n"
      "{:7.3f}  [ 4] Frequency\n",
      signed_name(pattern), azimuth_zero(lobe), efficiency_db(pattern),
      pattern.frequency_hz / 1e6);
  for (int azimuth = 0; azimuth < 360; ++azimuth)
    append_elevations(out, fmt::format("{:5}    ", azimuth), pattern,
                      lobe.phi_deg - azimuth);
  return out;
}

std::string voacap_14_text(std::span<const GainPattern> patterns) {
  bool fits = patterns.size() == 30;
  for (std::size_t i = 0; fits && i < 30; ++i)
    fits = std::abs(patterns[i].frequency_hz - 1e6 * static_cast<double>(i + 1)) < 1e3;
  if (!fits)
    throw Error(
        ErrorKind::usage,
        fmt::format("VOACAP's type 14 needs a pattern at 1, 2 .. 30 MHz (got {}). "
                    "Solve with --frequency 1:30:30, or write type 13.",
                    counted(patterns.size(), "pattern")));
  std::string out = fmt::format(
      "{}\n 3     3 parameters\n   0.00  [ 1] Max Gain dBi..:\n   14    [ 2] Antenna "
      "Type..: 30 x (efficiency + 91 gain values) follow\n   0.0   [ 3] Frequency\n",
      signed_name(patterns[0]));
  for (std::size_t i = 0; i < patterns.size(); ++i)
    append_elevations(out, fmt::format("{:2}{:6.2f} ", i + 1, efficiency_db(patterns[i])),
                      patterns[i], main_lobe(patterns[i]).phi_deg);
  return out;
}

}  // namespace thinwire
