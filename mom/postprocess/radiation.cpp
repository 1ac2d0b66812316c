#include "mom/postprocess/radiation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <boost/math/special_functions/legendre.hpp>

#include "kernels/base/constants.h"
#include "kernels/base/large_vector.h"
#include "kernels/base/parallel.h"
#include "kernels/ground/plane_wave.h"
#include "mom/media/cliff.h"
#include "mom/media/medium.h"
#include "mom/media/real_ground.h"
#include "mom/media/side_currents.h"
#include "mom/media/transmitted.h"

namespace thinwire {
namespace {

/// Directions between two looks at the monitor, at most.
constexpr double directions_at_once = 1 << 18;

/// Elements of less than this part of the largest moment do not count for the extent:
/// specks of wire kilometres away to which networks are tied (4nec2's current source).
constexpr double silent = 1e-8;

constexpr double no_gain_dbi = -999.99;  // as NEC prints it

double radian(double degree) {
  return degree * (pi / 180);
}

double theta_deg(const PatternRequest& request, std::int64_t t) {
  return request.theta_start_deg + request.theta_step_deg * static_cast<double>(t);
}
double phi_deg(const PatternRequest& request, std::int64_t p) {
  return request.phi_start_deg + request.phi_step_deg * static_cast<double>(p);
}

/// Radiation intensity, W/sr, of peak fields.
double intensity(Complex e_theta, Complex e_phi) {
  return (std::norm(e_theta) + std::norm(e_phi)) / (2 * eta0_ohm);
}

/// Weight in solid angle of grid line i of `count` in theta: the cell around it, cut at
/// the ends.
double theta_weight(std::int64_t i, std::int64_t count, double start, double step) {
  const double here = start + step * static_cast<double>(i);
  const double low = i == 0 ? here : here - 0.5 * step;
  const double high = i + 1 == count ? here : here + 0.5 * step;
  return std::abs(std::cos(low) - std::cos(high));
}

double phi_weight(std::int64_t i, std::int64_t count, double step) {
  return std::abs(step) * (i == 0 || i + 1 == count ? 0.5 : 1.0);
}

/// The box around some points; sums enclose both.
struct Bounds {
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  Vec3 low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};

  friend Bounds operator+(const Bounds& a, const Bounds& b) {
    return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y),
             std::min(a.low.z, b.low.z)},
            {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y),
             std::max(a.high.z, b.high.z)}};
  }
};

/// Whether the grid, of that solid angle, is the sphere, or over ground its upper half,
/// and no direction twice.
bool covers_once(const PatternRequest& request, double solid_angle, Ground ground) {
  constexpr double slack_deg = 1e-6;
  const double theta_end_deg =
      request.theta_start_deg +
      request.theta_step_deg * static_cast<double>(request.theta_count - 1);
  const double phi_span_deg =
      std::abs(request.phi_step_deg) * static_cast<double>(request.phi_count - 1);
  const double whole = (ground == Ground::none ? 4 : 2) * pi;
  const double last_deg = ground == Ground::none ? 180 : 90;
  return std::abs(solid_angle - whole) < 1e-6 * whole &&
         std::min(request.theta_start_deg, theta_end_deg) > -slack_deg &&
         std::max(request.theta_start_deg, theta_end_deg) < last_deg + slack_deg &&
         phi_span_deg < 360 + slack_deg;
}

}  // namespace

bool radiates_down(const Ground& ground) {
  return ground.kind == Ground::Kind::sommerfeld && ground.conductivity_s_per_m == 0;
}

Radiation::Radiation(const Discretization& discretization,
                     std::span<const Complex> coefficients, double frequency_hz,
                     GreensKernel kernel, Ground ground, const Backend& backend)
    : discretization_(discretization),
      coefficients_(coefficients),
      k_rad_per_m_(wavenumber_rad_per_m(frequency_hz)),
      kernel_(kernel),
      ground_(ground),
      wires_below_(any_buried(ground, discretization.elements())),
      backend_(backend) {
  const auto& elements = discretization.mesh().elements();
  const auto moment_a_m = [&](std::size_t e) {
    return discretization.elements()[e].length_m *
           std::max(std::abs(discretization.basis().end_current(coefficients, e, 0)),
                    std::abs(discretization.basis().end_current(coefficients, e, 1)));
  };
  const double largest = joined_cheap(
      elements.size(), 0.0, [](double a, double b) { return std::max(a, b); },
      moment_a_m);
  Bounds box = joined_cheap(elements.size(), Bounds(), std::plus(), [&](std::size_t e) {
    if (moment_a_m(e) < silent * largest) return Bounds();
    return Bounds{elements[e].start_m, elements[e].start_m} +
           Bounds{elements[e].end_m, elements[e].end_m};
  });
  if (ground != Ground::none) {  // the image
    box.high.z = std::max(box.high.z, -box.low.z);
    box.low.z = -box.high.z;
  }
  const Vec3 across = box.high - box.low;
  extent_m_ = 0.5 * norm(across);
  width_m_ = 0.5 * std::hypot(across.x, across.y);
}

const CurrentMoments& Radiation::moments() const {
  if (!moments_) moments_ = moments_in(far_medium_of(ground_));
  return *moments_;
}

LargeVector<Complex> Radiation::end_currents() const {
  return discretization_.basis().end_currents(coefficients_);
}

CurrentMoments Radiation::moments_in(Medium medium, double longest_rad) const {
  if (!wires_below_)
    return current_moments(discretization_.elements(), end_currents(), k_rad_per_m_,
                           kernel_, medium, longest_rad);
  const SideCurrents above =
      currents_on(GroundSide::above, discretization_.elements(), end_currents());
  return current_moments(above.elements, above.end_current_a, k_rad_per_m_, kernel_,
                         medium, longest_rad);
}

void Radiation::evaluate(std::span<const Direction> directions,
                         std::span<Complex> e_theta_v, std::span<Complex> e_phi_v,
                         const Monitor& monitor) const {
  const auto step = static_cast<std::size_t>(
      std::clamp(backend_.terms_at_once() /
                     static_cast<double>(moments().size() + (wires_below_ ? 1000 : 0)),
                 64.0, directions_at_once));
  for (std::size_t first = 0; first < directions.size(); first += step) {
    monitor.report("pattern",
                   static_cast<double>(first) / static_cast<double>(directions.size()));
    const std::size_t count = std::min(step, directions.size() - first);
    const auto some = directions.subspan(first, count);
    const auto e_theta = e_theta_v.subspan(first, count),
               e_phi = e_phi_v.subspan(first, count);
    if (moments().size() > 0) {  // else all wires are in the ground
      backend_.far_field(moments(), some, k_rad_per_m_, e_theta, e_phi);
      if (ground_.is_dielectric()) add_reflected(some, e_theta, e_phi);
    }
    add_through_ground(some, e_theta, e_phi);
  }
}

/// Adds what passes the surface, or lies below it.
void Radiation::add_through_ground(std::span<const Direction> directions,
                                   std::span<Complex> e_theta_v,
                                   std::span<Complex> e_phi_v) const {
  const bool down = radiates_down(ground_);
  if (!down && !wires_below_) return;
  for (std::size_t d = 0; d < directions.size(); ++d)
    if (std::cos(directions[d].theta) < 0) e_theta_v[d] = e_phi_v[d] = 0;
  for (const GroundSide side : {GroundSide::above, GroundSide::below}) {
    if (side == GroundSide::above ? !down : !wires_below_) continue;
    const SideCurrents of = currents_on(side, discretization_.elements(), end_currents());
    add_waves_through_ground(side, of.elements, of.end_current_a, kernel_, directions,
                             k_rad_per_m_, ground_.permittivity(k_rad_per_m_), e_theta_v,
                             e_phi_v);
  }
}

/// Adds what a real ground reflects: the waves sent to the mirrored directions, times the
/// coefficients of plane waves; below the horizon, where that means nothing, any number.
void Radiation::add_reflected(std::span<const Direction> directions,
                              std::span<Complex> e_theta_v,
                              std::span<Complex> e_phi_v) const {
  std::vector<Direction> mirrored;
  for (const Direction& way : directions) mirrored.push_back({pi - way.theta, way.phi});
  std::vector<Complex> e_theta(mirrored.size()), e_phi(mirrored.size());
  backend_.far_field(moments(), mirrored, k_rad_per_m_, e_theta, e_phi);
  const Complex eps = ground_.permittivity(k_rad_per_m_);
  for (std::size_t d = 0; d < directions.size(); ++d) {
    const double cosine = std::max(std::cos(directions[d].theta), 0.0);
    const PlaneWaveReflection reflection = plane_wave_reflection(eps, cosine);
    e_theta_v[d] += reflection.theta * e_theta[d];
    e_phi_v[d] += reflection.phi * e_phi[d];
  }
}

/// Evaluates a pattern over a ground that differs from place to place.
void Radiation::evaluate_in_parts(const PatternRequest& request,
                                  std::span<const Direction> directions,
                                  std::span<Complex> e_theta_v,
                                  std::span<Complex> e_phi_v,
                                  const Monitor& monitor) const {
  monitor.report("pattern", 0);
  const CurrentMoments free = moments_in(Medium::free_space(), piece_in_parts_rad);
  if (free.size() > 0) {
    backend_.far_field(free, directions, k_rad_per_m_, e_theta_v, e_phi_v);
    add_reflected_in_parts(free, directions, k_rad_per_m_, ground_, request, e_theta_v,
                           e_phi_v);
  }
  // From wires below as if the ground around them went on for ever.
  if (wires_below_) add_through_ground(directions, e_theta_v, e_phi_v);
}

GridField Radiation::field(const PatternRequest& request, const Monitor& monitor) const {
  std::vector<Direction> directions;
  for (std::int64_t t = 0; t < request.theta_count; ++t)
    for (std::int64_t p = 0; p < request.phi_count; ++p)
      directions.push_back({radian(theta_deg(request, t)), radian(phi_deg(request, p))});
  GridField field = {std::vector<Complex>(directions.size()),
                     std::vector<Complex>(directions.size())};
  if (request.mode == PatternRequest::Mode::plain)
    evaluate(directions, field.e_theta_v, field.e_phi_v, monitor);
  else
    evaluate_in_parts(request, directions, field.e_theta_v, field.e_phi_v, monitor);
  return field;
}

PatternResult pattern_of(const PatternRequest& request, const Ground& ground,
                         GridField&& field, double input_power_w, double loss_power_w) {
  PatternResult result;
  result.request = request;
  result.e_theta_v = std::move(field.e_theta_v);
  result.e_phi_v = std::move(field.e_phi_v);
  for (std::int64_t p = 0; p < request.phi_count; ++p)
    result.phi_deg.push_back(phi_deg(request, p));
  const bool plain = request.mode == PatternRequest::Mode::plain;
  result.reference_power_w =
      request.directive ? input_power_w - loss_power_w : input_power_w;
  result.gain_dbi.reserve(result.e_theta_v.size());
  double integral = 0, solid_angle = 0;
  for (std::int64_t t = 0; t < request.theta_count; ++t) {
    const double theta = theta_deg(request, t),
                 cell =
                     theta_weight(t, request.theta_count, radian(request.theta_start_deg),
                                  radian(request.theta_step_deg));
    result.theta_deg.push_back(theta);
    const bool below = ground != Ground::none && std::cos(radian(theta)) < -1e-9 &&
                       !(plain && radiates_down(ground));
    for (std::int64_t p = 0; p < request.phi_count; ++p) {
      const std::size_t d = result.gain_dbi.size();
      if (below) result.e_theta_v[d] = result.e_phi_v[d] = 0;
      const double radiated = 4 * pi * intensity(result.e_theta_v[d], result.e_phi_v[d]);
      // Not finite where no power, or less than rounding, goes in.
      const double gain = radiated / result.reference_power_w;
      result.gain_dbi.push_back(gain > 1e-99 && std::isfinite(gain)
                                    ? std::max(10 * std::log10(gain), no_gain_dbi)
                                    : no_gain_dbi);
      const double weight =
          cell * phi_weight(p, request.phi_count, radian(request.phi_step_deg));
      // The average is that of the power gain whatever the pattern shows, as in NEC-2.
      integral += weight * radiated;
      solid_angle += weight;
    }
  }
  if (solid_angle > 0 && std::isfinite(integral / input_power_w) &&
      (request.average != 0 || (plain && covers_once(request, solid_angle, ground)))) {
    result.average_gain = integral / input_power_w / solid_angle;
    result.average_solid_angle_pi = solid_angle / pi;
  }
  return result;
}

/// Returns a lower bound of the number of moments() before they are made: their pieces
/// are a radian long at most.
double Radiation::fewest_moments() const {
  if (wires_below_) return 0;
  double length_m = 0;
  for (const Element& e : discretization_.elements()) length_m += e.length_m;
  return k_rad_per_m_ * length_m;
}

std::optional<double> Radiation::radiated_power_w(double max_terms,
                                                  const Monitor& monitor) const {
  // The intensity of a source within radius a is band-limited to degree 2 ka, and a
  // little: so much that sources at random on the sphere are right to 3e-10, ka 0.01 to
  // 25. Around the vertical only what lies beside each other counts, not what lies above.
  const auto degree_of = [&](double radius_m) {
    const double band = 2 * k_rad_per_m_ * radius_m;
    return std::ceil(band + 6 * std::cbrt(band) + 4);
  };
  const double thetas = (std::floor(degree_of(extent_m_) / 4) + 1) * 2 +
                        (ground_.is_dielectric() ? 48 : 0),
               phis = degree_of(width_m_) + 2, each = thetas * phis,
               most = std::min(max_terms, backend_.max_power_terms());
  // The time to find the zeros below grows with the square of their number.
  constexpr double max_thetas = 3e4;
  if (thetas > max_thetas || each * fewest_moments() > most ||
      each * static_cast<double>(moments().size()) > most)
    return std::nullopt;
  const auto theta_count = static_cast<int>(thetas), phi_count = static_cast<int>(phis);

  std::vector<Direction> directions;
  std::vector<double> weights;
  const auto add_ring = [&](double cosine, double weight) {
    for (int p = 0; p < phi_count; ++p) {
      directions.push_back({std::acos(cosine), 2 * pi * p / phi_count});
      weights.push_back(weight * 2 * pi / phi_count);
    }
  };
  // Positive zeros of the Legendre polynomial of even degree; the negative ones mirror
  // them.
  for (double x : boost::math::legendre_p_zeros<double>(theta_count)) {
    const double derivative = boost::math::legendre_p_prime(theta_count, x);
    const double weight = 2 / ((1 - x * x) * derivative * derivative);
    for (const double node : {x, -x}) {
      if (ground_.is_dielectric()) {
        // The reflection changes fast near grazing, and is not even in z: cosine = y^2
        // with the nodes spread over y = 0 .. 1.
        const double y = 0.5 * (1 + node);
        add_ring(y * y, weight * y);
      } else if (ground_ == Ground::none || node > 0) {
        // Over perfect ground the image makes the intensity even in z; only the upper
        // half carries power.
        add_ring(node, weight);
      }
    }
  }
  std::vector<Complex> e_theta(directions.size()), e_phi(directions.size());
  evaluate(directions, e_theta, e_phi, monitor);
  double power = 0;
  for (std::size_t d = 0; d < directions.size(); ++d)
    power += weights[d] * intensity(e_theta[d], e_phi[d]);
  return power;
}

}  // namespace thinwire
