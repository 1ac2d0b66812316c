#include "kernels/ground/spectral_path.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"

namespace thinwire {
namespace {

/// The wave in the ground has died down, below the rounding of a double.
constexpr double dead_nats = 40;
/// Change of phase or of nats over a panel, at most: 11 points leave 1e-12 of it.
constexpr double panel_phase = 9;
/// Length of a panel over its middle's distance from the nearest singularity, at most: 16
/// points leave 1e-14, 11 3e-10.
constexpr double panel_reach = 1.3;
constexpr double ray_angle = 40 * pi / 180;
/// Rays that must end before k2 are steeper, and start here.
constexpr double steep_angle = 60 * pi / 180, early_turn = 1.6;
/// Panels of the integral around the cut, in the root of the distance from k2.
constexpr int cut_panels = 2;
/// Where the wave in the ground has died down after rho, rays may start before k2; it
/// must stay away from them by its own size.
constexpr double min_early_k2 = 6;

class PathMaker {
 public:
  PathMaker(Complex eps, const TransmissionRange& range, double nats)
      : range_(range),
        zeta_0_(range.z_0 + range.depth_0),
        zeta_1_(range.z_1 + range.depth_1),
        eps_(eps),
        nats_(nats),
        k2_(std::sqrt(eps)),
        pole_(std::sqrt(eps / (eps + 1.0))),
        height_(std::min(0.6, 2 / range.rho_1)) {}

  PathPanels make() {
    add_all();
    return {{to_hd(eps_), to_hd(k2_), height_, range_.depth_1 == 0}, std::move(panels_)};
  }

 private:
  void add_all() {
    const bool rays = zeta_0_ < 0.5 * range_.rho_1;
    const double size = std::max(1.0, std::abs(k2_));
    const bool early =
        rays && size > min_early_k2 && -k2_.imag() * range_.rho_0 > dead_nats;
    const double end = end_of_decay();
    cut(0, 1);
    const double ray_width = std::cos(steep_angle) * ray_length(steep_angle);
    if (rays && range_.depth_1 == 0 && early_turn < end &&
        early_turn + ray_width < k2_.real()) {
      cut(1, early_turn);
      add_rays(on_detour(early_turn), steep_angle);
      add_cut_of_u2();
      return;
    }
    const double turn = early ? 2.0 : 1.3 * size + 0.7;
    const double last = rays ? std::min(turn, end) : end;
    if (k2_.real() < 0.9 * last && k2_.real() > 1.1) {
      cut(1, k2_.real());
      cut(k2_.real(), last);
    } else {
      cut(1, last);
    }
    if (rays && turn < end) add_rays(on_detour(turn), ray_angle);
  }

  /// Beyond this nothing is left of e^{-u1 z - u2 depth}.
  double end_of_decay() const {
    double end = 1e300;
    if (range_.z_0 > 0) end = 1.5 + nats_ / range_.z_0;
    if (range_.depth_0 > 0) {
      // Re u2 is never less than -Im k2, nor than sqrt(kr^2 - Re eps).
      const double decay = std::max(nats_ / range_.depth_0, -k2_.imag());
      const double turned = 0.5 * eps_.imag() / decay;
      const double below = eps_.real() + decay * decay - turned * turned;
      const double both = nats_ / zeta_0_;
      end = std::min({end, 1.5 + std::sqrt(std::max(0.0, below)),
                      1.5 + std::sqrt(eps_.real() + both * both)});
    }
    return end;
  }

  Complex on_detour(double t) const { return {t, height_ * t / (t + 0.3)}; }

  double distance_from_singularity(Complex kr) const {
    return std::min({std::abs(kr - 1.0), std::abs(kr - k2_), std::abs(kr - pole_),
                     std::abs(kr) + 0.3});
  }

  /// Cuts t0 .. t1 into panels that are short enough.
  void cut(double t0, double t1) {
    const double length = t1 - t0;
    const Complex middle = on_detour(0.5 * (t0 + t1));
    const Complex kr2 = middle * middle;
    const double up = std::abs(middle / std::sqrt(kr2 - 1.0)),
                 down = std::abs(middle / std::sqrt(kr2 - eps_));
    const double phase =
        length * (range_.rho_1 + range_.z_1 * up + range_.depth_1 * down);
    if (phase > panel_phase || length > panel_reach * distance_from_singularity(middle)) {
      cut(t0, 0.5 * (t0 + t1));
      cut(0.5 * (t0 + t1), t1);
      return;
    }
    panels_.push_back({PathPanel::Way::detour, t0, length, {}, {}});
  }

  /// Until what decays slowest has died away.
  double ray_length(double angle) const {
    return nats_ / (range_.rho_0 * std::sin(angle) + zeta_0_ * std::cos(angle));
  }

  void add_rays(Complex start, double angle) {
    const double length = ray_length(angle);
    add_ray(PathPanel::Way::ray_up, start, std::polar(1.0, angle), length);
    add_ray(PathPanel::Way::ray_down, start, std::polar(1.0, -angle), length);
  }

  void add_ray(PathPanel::Way way, Complex start, Complex direction, double end) {
    const double turning = range_.rho_1 + zeta_1_;
    for (double t = 0; t < end;) {
      // The longest panel from here on: its middle moves away as it grows.
      double length = panel_phase / turning;
      while (length > panel_reach * distance_from_singularity(start + (t + 0.5 * length) *
                                                                          direction))
        length *= 0.75;
      length = std::min(length, end - t);
      panels_.push_back({way, t, length, to_hd(start), to_hd(direction)});
      t += length;
    }
  }

  void add_cut_of_u2() {
    const double nats =
        -k2_.imag() * range_.rho_0 + std::sqrt(eps_ - 1.0).real() * zeta_0_;
    if (nats > nats_) return;
    const double end = std::sqrt((nats_ - nats) / range_.rho_0),
                 length = end / cut_panels;
    for (int panel = 0; panel < cut_panels; ++panel)
      for (const auto side : {PathPanel::Way::right_of_cut, PathPanel::Way::left_of_cut})
        panels_.push_back({side, panel * length, length, {}, {}});
  }

  const TransmissionRange& range_;
  double zeta_0_, zeta_1_;
  Complex eps_;
  double nats_;
  Complex k2_, pole_;
  double height_;
  std::vector<PathPanel> panels_;
};

}  // namespace

PathPanels spectral_panels(Complex eps, const TransmissionRange& range, PathRule rule) {
  return PathMaker(eps, range, rule.nats).make();
}

std::vector<PathPanels> spectral_panels(Complex eps,
                                        std::span<const TransmissionRange> ranges,
                                        PathRule rule) {
  std::vector<PathPanels> paths(ranges.size());
#pragma omp parallel for schedule(dynamic, 4)
  for (std::size_t i = 0; i < ranges.size(); ++i)
    paths[i] = spectral_panels(eps, ranges[i], rule);
  return paths;
}

SpectralPath spectral_path(Complex eps, const TransmissionRange& range, PathRule rule) {
  const auto [plane, panels] = spectral_panels(eps, range, rule);
  const GaussRule gauss = gauss_rule(rule.points);
  SpectralPath path;
  for (const PathPanel& panel : panels) {
    const CylinderFactor factor = cylinder_of(panel.way);
    auto& points = factor == CylinderFactor::bessel          ? path.bessel
                   : factor == CylinderFactor::half_hankel_1 ? path.hankel_1
                                                             : path.hankel_2;
    for (int i = 0; i < gauss.points; ++i) {
      const auto at = point_of(plane, panel, gauss.node[i], gauss.weight[i]);
      points.push_back({at.kr, at.weight, at.u1, at.u2});
    }
  }
  return path;
}

}  // namespace thinwire
