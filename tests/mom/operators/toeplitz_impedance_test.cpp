#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cg/direct/direct.h"
#include "kernels/element/near_pair.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/far_pair_terms.h"
#include "tests/mom/operators/lattice_antennas.h"

namespace thinwire {
namespace {

using namespace test;

/// 8 Gauss points on -1 .. 1 (Abramowitz and Stegun 1972, table 25.4).
constexpr double node[8] = {-0.9602898564975363, -0.7966664774136267, -0.5255324099163290,
                            -0.1834346424956498, 0.1834346424956498,  0.5255324099163290,
                            0.7966664774136267,  0.9602898564975363};
constexpr double weight[8] = {0.1012285362903763, 0.2223810344533745, 0.3137066458778873,
                              0.3626837833783620, 0.3626837833783620, 0.3137066458778873,
                              0.2223810344533745, 0.1012285362903763};

/// u and u' / k of the shape function of one end.
std::pair<double, double> shape(const Element& e, int end, double s, double k) {
  const double scale = 1 / std::sin(k * e.length_m);
  return end == 0 ? std::pair(scale * std::sin(k * (e.length_m - s)),
                              -scale * std::cos(k * (e.length_m - s)))
                  : std::pair(scale * std::sin(k * s), scale * std::cos(k * s));
}

/// Returns the result of a far pair's rule with 8 points instead of its 2 to 6.
Complex far_entry(const Element& p, int end_p, const Element& q, int end_q, bool series,
                  double k) {
  const FarPair pair = FarPair::of(p, q, k, true);
  Complex sum;
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b) {
      const double s = 0.5 * p.length_m * (1 + node[a]),
                   t = 0.5 * q.length_m * (1 + node[b]);
      const HdComplex g = series ? pair.greens<true>(s, t) : pair.greens<false>(s, t);
      const auto [u, du] = shape(p, end_p, s, k);
      const auto [v, dv] = shape(q, end_q, t, k);
      sum +=
          weight[a] * weight[b] * (pair.cosine * u * v - du * dv) * Complex(g.re, g.im);
    }
  return Complex(0, k * eta0_ohm / (4 * pi) * 0.25 * p.length_m * q.length_m) * sum;
}

Complex exact_entry(const Element& p, int end_p, const Element& q, int end_q, double k) {
  const double away = norm((p.start_m + 0.5 * p.length_m * p.tangent) -
                           (q.start_m + 0.5 * q.length_m * q.tangent)),
               longer = std::max(p.length_m, q.length_m),
               thicker = std::max(p.radius_m, q.radius_m);
  if (far_order(away, longer, thicker, k) != 0)
    return far_entry(p, end_p, q, end_q, wants_series(away, longer, thicker, k), k);
  const HdComplex z = near_pair(p, q, k, GreensKernel::exact).z[end_p][end_q];
  return {z.re, z.im};
}

/// Z with 8 Gauss points for every far pair.
std::vector<Complex> exact_matrix(const Discretization& where, double k) {
  const auto& functions = where.basis().functions();
  const auto& elements = where.elements();
  const std::size_t n = functions.size();
  std::vector<Complex> z(n * n);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      for (int t = 0; t < 2; ++t)
        for (int u = 0; u < 2; ++u) {
          const BasisFunction &f = functions[i], &g = functions[j];
          const double sign = f.sign[t] * g.sign[u];
          if (sign != 0)
            z[i + j * n] += sign * exact_entry(elements[f.element[t]], f.end[t],
                                               elements[g.element[u]], g.end[u], k);
        }
  return z;
}

/// Impedance of functions 9 and 10 of an antenna, on both sides of the segment in its
/// middle.
Complex impedance(std::vector<Complex> z, std::span<const std::uint32_t> numbers) {
  std::vector<Complex> v(static_cast<std::size_t>(std::sqrt(double(z.size()))));
  v[numbers[9]] = v[numbers[10]] = 0.5;
  DirectSolver(v.size(), std::move(z)).solve(v);
  return 2.0 / (v[numbers[9]] + v[numbers[10]]);
}

// The matrix that `dense` makes differs more, by 1e-9 to 4e-9: its lanes share orders of
// quadrature in another way.
TEST(ToeplitzImpedance, IsThatOfFarFinerQuadratureTo1e9) {
  Structure structure;
  structure.add_wire(1, 21, {0, 0, -0.25}, {0, 0, 0.25}, 1e-3);
  structure.move(0, 3, {}, {0.5, 0, 0}, 0);
  structure.move(0, 3, {}, {0, 0.5, 0}, 0);
  MeshOptions options;
  options.graded = false;
  const Discretization where(structure, options);
  const LatticeBasis basis(where, *find_lattice(structure).lattice);
  const std::span<const std::uint32_t> fed(basis.number_of.data() + 5 * basis.size(),
                                           basis.size());
  const ToeplitzOperator z(basis, one_metre_waves(), {});
  const std::size_t n = z.size();
  std::vector<Complex> columns(n * n), unit(n);
  for (std::size_t j = 0; j < n; ++j) {
    unit[j] = 1;
    z.apply(unit, std::span(columns).subspan(j * n, n));
    unit[j] = 0;
  }
  const Complex got = impedance(std::move(columns), fed),
                right = impedance(exact_matrix(where, 2 * pi), fed);
  EXPECT_LE(std::abs(got - right), 1e-9 * std::abs(right));
}

}  // namespace
}  // namespace thinwire
