#include "kernels/fields/far_field.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/chebyshev_powers.h"
#include "kernels/base/parallel.h"
#include "kernels/base/quadrature.h"
#include "kernels/base/simd_clones.h"
#include "kernels/base/sincos.h"
#include "kernels/fields/far_field_terms.h"

namespace thinwire {
namespace {

using Moments = CurrentMoments;

/// Gauss points on a length of wire, to 1e-10 of its integrals.
int point_count(double kl) {
  return kl < 0.12 ? 3 : kl < 0.4 ? 4 : 6;
}

/// J0 of x = 2 sqrt(q) by its series: to 1e-11 for x up to 2.
double bessel_j0(double q) {
  double sum = 1;
  for (int n = 9; n > 0; --n) sum = 1 - q / (n * n) * sum;
  return sum;
}

/// Takes values at Chebyshev nodes of t . u to coefficients of its powers.
struct Interpolation {
  double node[Moments::terms], coefficient[Moments::terms][Moments::terms];

  Interpolation() {
    for (int i = 0; i < Moments::terms; ++i) {
      node[i] = chebyshev_node(i, Moments::terms);
      std::vector<double> unit(Moments::terms, 0.0);
      unit[i] = 1;
      const std::vector<double> power = powers_through(unit);
      for (int n = 0; n < Moments::terms; ++n) coefficient[n][i] = power[n];
    }
  }
};

/// The wire that a piece stands for: elements first .. last - 1, one behind the other in
/// a line, or part `part` of `parts` of one that is too long for a piece.
struct Stretch {
  std::size_t first, last;
  int part = 0, parts = 1;
};

/// Whether `next` goes on where `e` ends, in its direction and as thick.
bool goes_on(const Element& e, const Element& next) {
  constexpr double rounding = 1e-12;
  return next.radius_m == e.radius_m && norm(next.tangent - e.tangent) < rounding &&
         norm(e.start_m + e.length_m * e.tangent - next.start_m) <
             rounding * (e.length_m + norm(next.start_m));
}

/// The wire with currents.
std::vector<Stretch> stretches_of(std::span<const Element> elements, double k,
                                  double longest_rad, bool join, auto&& carries) {
  std::vector<Stretch> all;
  double length = 0;  // of the last one, radian
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (!carries(e)) continue;
    const double kl = k * elements[e].length_m;
    const bool goes_on_here = join && !all.empty() && all.back().last == e &&
                              length + kl <= longest_rad &&
                              goes_on(elements[e - 1], elements[e]);
    if (goes_on_here) {
      all.back().last = e + 1;
      length += kl;
      continue;
    }
    const int parts = std::max(1, static_cast<int>(std::ceil(kl / longest_rad)));
    for (int part = 0; part < parts; ++part) all.push_back({e, e + 1, part, parts});
    length = parts == 1 ? kl : longest_rad;  // a part is not gone on with
  }
  return all;
}

/// Polynomial in the direction for the radiation of a stretch, relative to its middle.
class PieceFit {
 public:
  PieceFit(const Interpolation& fit_through, double k, Vec3 middle)
      : fit_through_(fit_through), k_(k), middle_(middle) {}

  /// Adds the current on an element between two distances from its start.
  THINWIRE_SIMD_CLONES
  void add(const Element& e, const Complex ends[2], double from_m, double to_m) {
    const double half = 0.5 * k_ * (to_m - from_m), kl = k_ * e.length_m,
                 inverse_sine = 1 / std::sin(kl),
                 start = k_ * dot(e.start_m - middle_, e.tangent);
    const GaussRule rule = gauss_rule(point_count(2 * half));
    for (int g = 0; g < rule.points; ++g) {
      const double s = k_ * from_m + half * (1 + rule.node[g]), at = start + s;
      const Complex moment = half / k_ * rule.weight[g] * inverse_sine *
                             (std::sin(kl - s) * ends[0] + std::sin(s) * ends[1]);
      const double moment_re = moment.real(), moment_im = moment.imag();
#pragma omp simd
      for (int i = 0; i < Moments::terms; ++i) {
        double sine, cosine;
        sincos_simd(fit_through_.node[i] * at, sine, cosine);
        re_[i] += moment_re * cosine - moment_im * sine;
        im_[i] += moment_re * sine + moment_im * cosine;
      }
    }
  }

  /// The current flows on a tube of that radius.
  void spread(double radius_m) {
    const double ka = k_ * radius_m;
    for (int i = 0; i < Moments::terms; ++i) {
      const double c = fit_through_.node[i],
                   around = bessel_j0(0.25 * ka * ka * (1 - c * c));
      re_[i] *= around;
      im_[i] *= around;
    }
  }

  Complex coefficient(int n) const {
    Complex sum = 0;
    for (int i = 0; i < Moments::terms; ++i)
      sum += fit_through_.coefficient[n][i] * Complex(re_[i], im_[i]);
    return sum;
  }

 private:
  const Interpolation& fit_through_;
  double k_;
  Vec3 middle_;
  double re_[Moments::terms] = {}, im_[Moments::terms] = {};  // seen at the nodes
};

/// The piece of a stretch and of its image: numbers `at` of the moments.
void set_piece(std::span<const Element> elements, std::span<const Complex> end_current_a,
               const Stretch& stretch, const Medium& medium, int source, double k,
               bool tube, std::size_t at, CurrentMoments& moments) {
  static const Interpolation fit_through;
  const Element start = medium.source(elements[stretch.first], source);
  double length_m = 0;
  for (std::size_t e = stretch.first; e < stretch.last; ++e)
    length_m += elements[e].length_m / stretch.parts;
  const Vec3 t = start.tangent, r = start.start_m + (stretch.part + 0.5) * length_m * t;
  PieceFit fit(fit_through, k, r);
  for (std::size_t e = stretch.first; e < stretch.last; ++e) {
    const double part_m = elements[e].length_m / stretch.parts;
    fit.add(medium.source(elements[e], source), end_current_a.data() + 2 * e,
            stretch.part * part_m, (stretch.part + 1) * part_m);
  }
  if (tube) fit.spread(start.radius_m);
  const double place[6] = {r.x, r.y, r.z, t.x, t.y, t.z};
  for (int c = 0; c < 6; ++c) moments.number[c][at] = place[c];
  for (int n = 0; n < Moments::terms; ++n) {
    const Complex coefficient = medium.factor(source) * fit.coefficient(n);
    moments.number[Moments::re + n][at] = coefficient.real();
    moments.number[Moments::im + n][at] = coefficient.imag();
  }
}

/// N of transverse_field in direction u, of pieces first .. last - 1: three complex
/// numbers, added to `sum`.
THINWIRE_SIMD_CLONES
void sum_pieces(const Moments& m, std::size_t first, std::size_t last, Vec3 u, double k,
                double sum[6]) {
  const double* number[Moments::numbers];
  for (int c = 0; c < Moments::numbers; ++c) number[c] = m.number[c].data();
  const double* const* t = number + Moments::tangent;
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, s4, s5)
  for (std::size_t i = first; i < last; ++i) {
    const HdComplex seen = seen_along(
        u, [&](int c) { return number[c][i]; }, k);
    s0 += t[0][i] * seen.re;
    s1 += t[0][i] * seen.im;
    s2 += t[1][i] * seen.re;
    s3 += t[1][i] * seen.im;
    s4 += t[2][i] * seen.re;
    s5 += t[2][i] * seen.im;
  }
  const double all[6] = {s0, s1, s2, s3, s4, s5};
  for (int c = 0; c < 6; ++c) sum[c] += all[c];
}

/// field: real parts of x y z, then imaginary.
THINWIRE_SIMD_CLONES
void add_along(const Moments& m, std::size_t first, std::size_t last, Vec3 u,
               const double field[6], double k, double* __restrict re,
               double* __restrict im) {
  const double* number[Moments::numbers];
  for (int c = 0; c < Moments::numbers; ++c) number[c] = m.number[c].data();
  const double* const* t = number + Moments::tangent;
  const double f0 = field[0], f1 = field[1], f2 = field[2], f3 = field[3], f4 = field[4],
               f5 = field[5];
#pragma omp simd
  for (std::size_t i = first; i < last; ++i) {
    const HdComplex seen = seen_along(
        u, [&](int c) { return number[c][i]; }, k);
    const double along_re = t[0][i] * f0 + t[1][i] * f1 + t[2][i] * f2,
                 along_im = t[0][i] * f3 + t[1][i] * f4 + t[2][i] * f5;
    re[i] += seen.re * along_re - seen.im * along_im;
    im[i] += seen.re * along_im + seen.im * along_re;
  }
}

/// Pieces that stay in a core's cache for some directions.
constexpr std::size_t pieces_at_once = 1024;
constexpr std::size_t directions_at_once = 16;

}  // namespace

CurrentMoments current_moments(std::span<const Element> elements,
                               std::span<const Complex> end_current_a, double k,
                               GreensKernel kernel, Medium medium, double longest_rad,
                               bool join) {
  const std::vector<Stretch> stretches =
      stretches_of(elements, k, longest_rad, join, [&](std::size_t e) {
        return end_current_a[2 * e] != 0.0 || end_current_a[2 * e + 1] != 0.0;
      });
  const auto sources = static_cast<std::size_t>(medium.sources());
  CurrentMoments moments;
  for (auto& numbers : moments.number) numbers.resize(sources * stretches.size());
  for_each_parallel(
      stretches.size(),
      [&](std::size_t i) {
        for (std::size_t s = 0; s < sources; ++s)
          set_piece(elements, end_current_a, stretches[i], medium, static_cast<int>(s), k,
                    kernel == GreensKernel::exact, sources * i + s, moments);
      },
      pieces_at_once);
  return moments;
}

void add_pieces_along(const CurrentMoments& moments, Vec3 u,
                      std::span<const Complex, 3> field, double k, std::span<double> re,
                      std::span<double> im) {
  double parts[6];
  for (std::size_t c = 0; c < 3; ++c) {
    parts[c] = field[c].real();
    parts[3 + c] = field[c].imag();
  }
  const std::size_t batches = (moments.size() + pieces_at_once - 1) / pieces_at_once;
  for_each_parallel(batches, [&](std::size_t batch) {
    const std::size_t first = batch * pieces_at_once;
    add_along(moments, first, std::min(first + pieces_at_once, moments.size()), u, parts,
              k, re.data(), im.data());
  });
}

std::size_t piece_count(std::span<const Element> elements, double k, double longest_rad) {
  return stretches_of(elements, k, longest_rad, true, [](std::size_t) { return true; })
      .size();
}

void far_field(const CurrentMoments& moments, std::span<const Direction> directions,
               double k, std::span<Complex> e_theta_v, std::span<Complex> e_phi_v) {
  const std::size_t batches =
      (directions.size() + directions_at_once - 1) / directions_at_once;
  for_each_parallel(batches, [&](std::size_t batch) {
    const std::size_t first = batch * directions_at_once,
                      last = std::min(first + directions_at_once, directions.size());
    double n[directions_at_once][6] = {};
    for (std::size_t piece = 0; piece < moments.size(); piece += pieces_at_once)
      for (std::size_t d = first; d < last; ++d) {
        const auto [theta, phi] = directions[d];
        const Vec3 u = {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                        std::cos(theta)};
        sum_pieces(moments, piece, std::min(piece + pieces_at_once, moments.size()), u, k,
                   n[d - first]);
      }
    for (std::size_t d = first; d < last; ++d) {
      const double* sum = n[d - first];
      transverse_field(directions[d], {sum[0], sum[1]}, {sum[2], sum[3]},
                       {sum[4], sum[5]}, k, e_theta_v[d], e_phi_v[d]);
    }
  });
}

}  // namespace thinwire
