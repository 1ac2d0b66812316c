#include "kernels/fields/far_field.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/chebyshev_powers.h"
#include "kernels/base/quadrature.h"
#include "kernels/base/simd_clones.h"
#include "kernels/base/sincos.h"
#include "kernels/fields/far_field_terms.h"

namespace thinwire {
namespace {

using Moments = CurrentMoments;

/// Pieces of an element of electrical length kL.
int piece_count(double kl) {
  return std::max(1, static_cast<int>(std::ceil(kl)));
}

/// Gauss points on a piece of that length, to 1e-10 of its integrals.
int point_count(double kl) {
  return kl < 0.4 ? 4 : 6;
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

/// Piece `b` of `pieces` of an element.
struct Piece {
  const Element& element;
  double first_m, length_m;

  Piece(const Element& e, int b, int pieces)
      : element(e), first_m(b * e.length_m / pieces), length_m(e.length_m / pieces) {}
  Vec3 middle() const {
    return element.start_m + (first_m + 0.5 * length_m) * element.tangent;
  }
};

/// The coefficients of a piece's polynomial, for the currents at the element's ends:
/// interleaved real and imaginary parts.
THINWIRE_SIMD_CLONES
void fit(const Piece& piece, const Interpolation& fit_through, const Complex ends[2],
         double k, bool tube, double coefficient[2 * Moments::terms]) {
  const GaussRule rule = gauss_rule(point_count(k * piece.length_m));
  const double kl = k * piece.element.length_m, ka = k * piece.element.radius_m,
               inverse_sine = 1 / std::sin(kl);
  // What is seen at the nodes.
  double re[Moments::terms] = {}, im[Moments::terms] = {};
  for (int g = 0; g < rule.points; ++g) {
    const double at = 0.5 * k * piece.length_m * rule.node[g],
                 s = k * (piece.first_m + 0.5 * piece.length_m) + at;
    const Complex moment = 0.5 * piece.length_m * rule.weight[g] * inverse_sine *
                           (std::sin(kl - s) * ends[0] + std::sin(s) * ends[1]);
    const double moment_re = moment.real(), moment_im = moment.imag();
#pragma omp simd
    for (int i = 0; i < Moments::terms; ++i) {
      double sine, cosine;
      sincos_simd(fit_through.node[i] * at, sine, cosine);
      re[i] += moment_re * cosine - moment_im * sine;
      im[i] += moment_re * sine + moment_im * cosine;
    }
  }
  if (tube)
    for (int i = 0; i < Moments::terms; ++i) {
      const double c = fit_through.node[i],
                   around = bessel_j0(0.25 * ka * ka * (1 - c * c));
      re[i] *= around;
      im[i] *= around;
    }
  for (int n = 0; n < Moments::terms; ++n) {
    double sum_re = 0, sum_im = 0;
    for (int i = 0; i < Moments::terms; ++i) {
      sum_re += fit_through.coefficient[n][i] * re[i];
      sum_im += fit_through.coefficient[n][i] * im[i];
    }
    coefficient[2 * n] = sum_re;
    coefficient[2 * n + 1] = sum_im;
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

/// Pieces that stay in a core's cache for some directions.
constexpr std::size_t pieces_at_once = 1024;
constexpr std::size_t directions_at_once = 16;

}  // namespace

CurrentMoments current_moments(std::span<const Element> elements,
                               std::span<const Complex> end_current_a, double k,
                               GreensKernel kernel, Medium medium) {
  const auto pieces_of = [&](std::size_t e) {
    const bool silent = end_current_a[2 * e] == 0.0 && end_current_a[2 * e + 1] == 0.0;
    return silent ? 0 : piece_count(k * elements[e].length_m);
  };
  std::vector<std::size_t> first(elements.size() + 1, 0);  // piece of each element
  for (std::size_t e = 0; e < elements.size(); ++e)
    first[e + 1] = first[e] + static_cast<std::size_t>(pieces_of(e) * medium.sources());
  CurrentMoments moments;
  for (auto& numbers : moments.number) numbers.resize(first.back());
  static const Interpolation fit_through;
#pragma omp parallel for schedule(static)
  for (std::size_t e = 0; e < elements.size(); ++e) {
    std::size_t at = first[e];
    const int pieces = pieces_of(e);
    for (int s = 0; s < medium.sources(); ++s) {
      const Element source = medium.source(elements[e], s);
      for (int b = 0; b < pieces; ++b, ++at) {
        const Piece piece(source, b, pieces);
        double coefficient[2 * Moments::terms];
        fit(piece, fit_through, end_current_a.data() + 2 * e, k,
            kernel == GreensKernel::exact, coefficient);
        const Vec3 r = piece.middle(), t = source.tangent;
        const double place[6] = {r.x, r.y, r.z, t.x, t.y, t.z};
        for (int c = 0; c < 6; ++c) moments.number[c][at] = place[c];
        for (int n = 0; n < Moments::terms; ++n) {
          moments.number[Moments::re + n][at] = medium.factor(s) * coefficient[2 * n];
          moments.number[Moments::im + n][at] = medium.factor(s) * coefficient[2 * n + 1];
        }
      }
    }
  }
  return moments;
}

void far_field(const CurrentMoments& moments, std::span<const Direction> directions,
               double k, std::span<Complex> e_theta_v, std::span<Complex> e_phi_v) {
  const auto batches = static_cast<std::int64_t>(
      (directions.size() + directions_at_once - 1) / directions_at_once);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t batch = 0; batch < batches; ++batch) {
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
  }
}

}  // namespace thinwire
