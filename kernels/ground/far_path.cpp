#include "kernels/ground/far_path.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"

namespace thinwire {
namespace {

constexpr int panel_points = 12;
constexpr double nats = 25;
/// Change of phase or of nats over a panel, at most, and its length over the distance of
/// its middle from the nearest singularity: 12 points leave 1e-11.
constexpr double panel_phase = 6, panel_reach = 1.0;
constexpr double ray_angle = 40 * pi / 180;
/// J is divided where kr rho has this value: Hankel functions are singular at 0.
constexpr double division = 20;
/// Least rho, and most zeta^2 / rho.
constexpr double min_rho = 300, max_growth = 16;
/// The cuts must be as many times e^{-rho t^2}'s width apart.
constexpr double min_widths_apart = 60;

Complex eighth_turn(double sign) {
  return std::polar(1.0, sign * pi / 4);
}

/// sqrt(kr^2 - b^2), cut straight down from b, with a positive real part above.
Complex root(Complex kr, Complex b) {
  return eighth_turn(1) * std::sqrt(Complex(0, -1) * (kr - b)) * std::sqrt(kr + b);
}

class FarPathMaker {
 public:
  FarPathMaker(Complex eps, const ReflectionRange& range)
      : range_(range), eps_(eps), k2_(std::sqrt(eps)), rule_(gauss_rule(panel_points)) {}

  SpectralPath make() {
    const double start = division / range_.rho_1;
    const double length = panel_phase / (range_.rho_1 + range_.zeta_1);
    add_line(0, start, 1.0, length, path_.bessel);
    const double end =
        nats / (range_.rho_0 * std::sin(ray_angle) - range_.zeta_1 * start);
    add_line(start, end, std::polar(1.0, ray_angle), length, path_.hankel_1);
    add_line(start, end, std::polar(1.0, -ray_angle), length, path_.hankel_2);
    add_cut(1, k2_);
    if (-k2_.imag() * range_.rho_0 < nats) add_cut(k2_, 1);
    return std::move(path_);
  }

 private:
  /// From `start` in the direction `way`.
  void add_line(Complex start, double end, Complex way, double length,
                std::vector<PathPoint>& points) const {
    const int panels = static_cast<int>(std::ceil(end / length));
    for (int panel = 0; panel < panels; ++panel)
      for (int i = 0; i < panel_points; ++i) {
        const double t = end * (panel + 0.5 * (1 + rule_.node[i])) / panels;
        const Complex kr = start + t * way;
        points.push_back(
            {kr, 0.5 * end / panels * rule_.weight[i] * way, root(kr, 1), root(kr, k2_)});
      }
  }

  /// Around the cut that goes down from b.
  void add_cut(Complex b, Complex other) {
    // On the left e^{zeta |t| - rho t^2}, as |u1| is (2 + t^2)^(1/2) |t| near 1.
    const double half = 0.5 * range_.zeta_1 / range_.rho_0;
    const double end = std::sqrt(nats / range_.rho_0);
    const double first = -half - std::sqrt(half * half + nats / range_.rho_0);
    const Complex pole = std::sqrt(eps_ / (eps_ + 1.0));
    // kr is even in t, and so both signs of a singularity's t count.
    const Complex singular[] = {std::sqrt(Complex(0, 1) * (other - b)),
                                std::sqrt(Complex(0, 1) * (pole - b))};
    const auto distance = [&](double t) {
      double least = 1;
      for (const Complex s : singular)
        least = std::min({least, std::abs(t - s), std::abs(t + s)});
      return least;
    };
    for (double t = first; t < end;) {
      // The longest panel from here on; |u1| is 1.5 t at most near 1.
      double length =
          panel_phase / (-2 * first * range_.rho_1 + 1.5 * range_.zeta_1 * std::abs(b));
      while (length > panel_reach * distance(t + 0.5 * length)) length *= 0.75;
      length = std::min(length, end - t);
      for (int i = 0; i < panel_points; ++i)
        add_on_cut(b, other, t + 0.5 * length * (1 + rule_.node[i]),
                   0.5 * length * rule_.weight[i]);
      t += length;
    }
  }

  void add_on_cut(Complex b, Complex other, double t, double dt) {
    const Complex turned(0, -t * t);
    const Complex kr = b + turned;
    const Complex of_b = t * eighth_turn(-1) * std::sqrt(2.0 * b + turned);
    const Complex of_other = root(kr, other);
    const bool first = b == 1.0;
    path_.hankel_2.push_back(
        {kr, Complex(0, -2 * t * dt), first ? of_b : of_other, first ? of_other : of_b});
  }

  const ReflectionRange& range_;
  Complex eps_, k2_;
  GaussRule rule_;
  SpectralPath path_;
};

}  // namespace

bool is_far(Complex eps, const ReflectionRange& range) {
  return range.rho_0 > min_rho &&
         range.zeta_1 * range.zeta_1 < max_growth * range.rho_0 &&
         std::sqrt(eps).real() - 1 > min_widths_apart / range.rho_0;
}

SpectralPath far_path(Complex eps, const ReflectionRange& range) {
  return FarPathMaker(eps, range).make();
}

}  // namespace thinwire
