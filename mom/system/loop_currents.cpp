#include "mom/system/loop_currents.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "kernels/element/medium_pair.h"
#include "kernels/element/pair_shape.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/far_pair_terms.h"

namespace thinwire {
namespace {

/// k length of the longest element of a pair, for shape functions that are as good as
/// straight lines, to its square over 12; rounding leaves 2e-16 over its square.
constexpr double straight = 1e-3;

/// Voltages along u_0 and u_1 of an element.
struct EndVoltages {
  Complex at[2];
};

/// sin(kR)/R - k, for small kR.
double radiating_part(double r2, double k) {
  const double x2 = k * k * r2;
  return k * x2 * (-1.0 / 6 + x2 * (1.0 / 120 - x2 / 5040));
}

/// Adds what one ampere all along p gives by a product of Gauss rules. green(s, t), 1/m:
/// of points at s of p and at t of q. Imaginary part: what is left of it where what gives
/// nothing around closed paths is taken away, exact to (kR)^2 with two points.
template <class Green>
void add_product(int order, const Element& p, const Element& q, double k, double scale,
                 const Green& green, EndVoltages& sum) {
  const GaussRule rule = gauss_rule(order);
  const double factor = scale * k * eta0_ohm / (4 * pi) * dot(p.tangent, q.tangent) *
                        0.25 * p.length_m * q.length_m;
  for (int i = 0; i < rule.points; ++i)
    for (int j = 0; j < rule.points; ++j) {
      const double along_q = 0.5 * (1 + rule.node[j]);
      const double s = 0.5 * (1 + rule.node[i]) * p.length_m, t = along_q * q.length_m;
      const Vec3 r = q.start_m + t * q.tangent - (p.start_m + s * p.tangent);
      const Complex part = factor * rule.weight[i] * rule.weight[j] *
                           Complex(radiating_part(dot(r, r), k), green(s, t));
      sum.at[0] += (1 - along_q) * part;
      sum.at[1] += along_q * part;
    }
}

/// What one ampere all along a source of p gives, with the factor of that source.
void add_source(const Element& p, const Element& q, double k, double scale,
                GreensKernel kernel, EndVoltages& sum) {
  const bool exact = kernel == GreensKernel::exact;
  const double distance = norm(centre_of(p) - centre_of(q)),
               length = std::max(p.length_m, q.length_m),
               radius = exact ? std::max(p.radius_m, q.radius_m) : 0;
  if (const int order = far_order(distance, length, radius, k); order > 0) {
    const FarPair pair = FarPair::of(p, q, k, exact);
    if (exact && wants_series(distance, length, radius, k))
      add_product(
          order, p, q, k, scale,
          [&](double s, double t) { return pair.greens<true>(s, t).re; }, sum);
    else
      add_product(
          order, p, q, k, scale,
          [&](double s, double t) { return pair.greens<false>(s, t).re; }, sum);
    return;
  }
  constexpr int for_resistance = 3;
  add_product(
      for_resistance, p, q, k, scale, [](double, double) { return 0.0; }, sum);
  const double shape_k = straight / length;
  const ElementMatrix m =
      pair_in_medium(p, q, shape_k, {{k, 0}, {k / shape_k, 0}, {0, 0}}, kernel);
  for (int end = 0; end < 2; ++end)
    sum.at[end] += Complex(0, scale * (m.z[0][end].im + m.z[1][end].im));
}

/// Of a loop, where there is one: +1 or -1 ampere along an element.
struct LoopShare {
  std::size_t loop;
  double current_a;
};

/// For each element, the loops that it is on.
std::vector<std::vector<LoopShare>> shares_of(const Discretisation& antenna,
                                              std::span<const Loop> loops) {
  std::vector<std::vector<LoopShare>> shares(antenna.elements().size());
  std::vector<double> current_a(antenna.elements().size(), 0);
  for (std::size_t l = 0; l < loops.size(); ++l) {
    // The current is the same at both ends: that at the start is that of the element.
    const auto for_starts = [&](const auto& body) {
      for (const BasisWeight& w : loops[l]) {
        const BasisFunction& f = antenna.basis().functions()[w.function];
        for (int term = 0; term < 2; ++term)
          if (f.sign[term] != 0 && f.end[term] == 0)
            body(f.element[term], w.weight * f.sign[term]);
      }
    };
    for_starts([&](std::size_t e, double current) { current_a[e] += current; });
    // At a junction a loop may pass an element by, into its start and out again.
    for_starts([&](std::size_t e, double) {
      if (current_a[e] != 0) shares[e].push_back({l, current_a[e]});
      current_a[e] = 0;
    });
  }
  return shares;
}

}  // namespace

std::vector<std::vector<Complex>> voltages_of_loops(const Discretisation& antenna,
                                                    std::span<const Loop> loops, double k,
                                                    Medium medium, GreensKernel kernel) {
  const auto& elements = antenna.elements();
  const auto shares = shares_of(antenna, loops);
  // Of each loop along each element.
  std::vector<std::vector<EndVoltages>> along(loops.size(),
                                              std::vector<EndVoltages>(elements.size()));
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(elements.size()); ++i) {
    const auto q = static_cast<std::size_t>(i);
    for (std::size_t p = 0; p < elements.size(); ++p) {
      if (shares[p].empty()) continue;
      EndVoltages sum;
      for (int s = 0; s < medium.sources(); ++s)
        add_source(medium.source(elements[p], s), elements[q], k, medium.factor(s),
                   kernel, sum);
      for (const LoopShare& share : shares[p])
        for (int end = 0; end < 2; ++end)
          along[share.loop][q].at[end] += share.current_a * sum.at[end];
    }
  }
  std::vector<std::vector<Complex>> voltages(loops.size(),
                                             std::vector<Complex>(antenna.unknowns()));
  for (std::size_t l = 0; l < loops.size(); ++l)
    for (std::size_t f = 0; f < antenna.unknowns(); ++f) {
      const BasisFunction& function = antenna.basis().functions()[f];
      for (int term = 0; term < 2; ++term)
        voltages[l][f] += static_cast<double>(function.sign[term]) *
                          along[l][function.element[term]].at[function.end[term]];
    }
  return voltages;
}

}  // namespace thinwire
