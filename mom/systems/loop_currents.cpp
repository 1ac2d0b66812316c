#include "mom/systems/loop_currents.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "kernels/element/medium_pair.h"
#include "kernels/element/pair_shape.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/far_pair_terms.h"
#include "kernels/ground/coefficient_ground.h"
#include "kernels/ground/ground_pair.h"
#include "mom/media/medium.h"
#include "mom/media/real_ground.h"

namespace thinwire {
namespace {

/// k length of the longest element of a pair, for shape functions that are as good as
/// straight lines, to its square over 12; rounding leaves 2e-16 over its square.
constexpr double straight = 1e-3;

/// Voltages along u_0 and u_1 of an element.
struct EndVoltages {
  Complex at[2];
};

/// sin(kR)/R - k, for small kR: what is left where what gives nothing around
/// closed paths is taken away.
double radiating_part(double r2, double k) {
  const double x2 = k * k * r2;
  return k * x2 * (-1.0 / 6 + x2 * (1.0 / 120 - x2 / 5040));
}

/// radiating_part(r2) - radiating_part(image_r2), which around flat loops close to a
/// perfect ground is all that radiates. apart = r2 - image_r2.
double radiating_difference(double r2, double image_r2, double apart, double k) {
  const double k2 = k * k, x2 = k2 * r2, y2 = k2 * image_r2;
  return k * k2 * apart *
         (-1.0 / 6 + (x2 + y2) / 120 - (x2 * x2 + x2 * y2 + y2 * y2) / 5040);
}

/// Adds what one ampere all along p gives by a product of Gauss rules. part(s, t), 1/m:
/// of points at s of p and at t of q, their directions included.
template <class Part>
void add_product(int order, const Element& p, const Element& q, double k,
                 const Part& part, EndVoltages& sum) {
  const GaussRule rule = gauss_rule(order);
  const double factor = k * eta0_ohm / (4 * pi) * 0.25 * p.length_m * q.length_m;
  for (int i = 0; i < rule.points; ++i)
    for (int j = 0; j < rule.points; ++j) {
      const double along_q = 0.5 * (1 + rule.node[j]);
      const double s = 0.5 * (1 + rule.node[i]) * p.length_m, t = along_q * q.length_m;
      const Complex one = factor * rule.weight[i] * rule.weight[j] * Complex(part(s, t));
      sum.at[0] += (1 - along_q) * one;
      sum.at[1] += along_q * one;
    }
}

/// Adds what one ampere all along p and its image of strength c0 (of charges, 0: there is
/// none) radiate, exact to (kR)^2 with two points.
void add_radiation(const Element& p, const Element& q, double k, Complex c0,
                   EndVoltages& sum) {
  constexpr int order = 3;
  const double vertical = p.tangent.z * q.tangent.z,
               horizontal = p.tangent.x * q.tangent.x + p.tangent.y * q.tangent.y;
  add_product(
      order, p, q, k,
      [&](double s, double t) {
        const Vec3 from = p.start_m + s * p.tangent, to = q.start_m + t * q.tangent,
                   r = to - from;
        const double r2 = dot(r, r), direct = radiating_part(r2, k);
        if (c0 == 0.0) return Complex((horizontal + vertical) * direct);
        const double apart = -4 * from.z * to.z, image_r2 = r2 - apart,
                     image = radiating_part(image_r2, k);
        return horizontal *
                   (radiating_difference(r2, image_r2, apart, k) + (1.0 - c0) * image) +
               vertical * (direct + c0 * image);
      },
      sum);
}

/// Adds `strength` times what the static field of one ampere all along p induces.
void add_reactance(const Element& p, const Element& q, double k, Complex strength,
                   GreensKernel kernel, EndVoltages& sum) {
  const bool exact = kernel == GreensKernel::exact;
  const double distance = norm(centre_of(p) - centre_of(q)),
               length = std::max(p.length_m, q.length_m),
               radius = exact ? std::max(p.radius_m, q.radius_m) : 0;
  const Complex turned = Complex(0, 1) * strength;
  if (const int order = far_order(distance, length, radius, k); order > 0) {
    const FarPair pair = FarPair::of(p, q, k, exact);
    const Complex along = dot(p.tangent, q.tangent) * turned;
    if (exact && wants_series(distance, length, radius, k))
      add_product(
          order, p, q, k,
          [&](double s, double t) { return along * pair.greens<true>(s, t).re; }, sum);
    else
      add_product(
          order, p, q, k,
          [&](double s, double t) { return along * pair.greens<false>(s, t).re; }, sum);
    return;
  }
  const double shape_k = straight / length;
  const ElementMatrix m =
      pair_in_medium(p, q, shape_k, {{k, 0}, {k / shape_k, 0}, {0, 0}}, kernel);
  for (int end = 0; end < 2; ++end)
    sum.at[end] += turned * (m.z[0][end].im + m.z[1][end].im);
}

/// Surroundings of one ampere along an element: free space, the image, and the reflection
/// of a real ground beside that, or by reflection coefficients all of it.
class Surroundings {
 public:
  Surroundings(std::span<const Element> elements, const LoopSurroundings& surroundings,
               GreensKernel kernel)
      : k_(surroundings.k_rad_per_m),
        medium_(surroundings.ground.is_real() ? Medium::perfect_ground()
                                              : medium_of(surroundings.ground)),
        c0_(medium_.sources() > 1 ? 1 : 0),
        kernel_(kernel) {
    if (surroundings.ground.kind == Ground::Kind::coefficients) {
      surface_ = reflecting_surface(surroundings.ground, k_);
      return;
    }
    if (!surroundings.ground.is_real()) return;
    const Complex eps = surroundings.ground.permittivity(k_);
    c0_ = image_strength(eps);
    // The reflection of a loop nearly cancels the image in the mean of a ground that is
    // transparent to currents; its resistance is the small rest.
    constexpr double table_error = 1e-9;
    table_.emplace(eps, reflection_places(elements, {k_, k_, 1}), GroundSide::above,
                   TableMaking{table_error});
    table_->leave_out_charges();
  }

  EndVoltages along(const Element& p, const Element& q) const {
    EndVoltages sum;
    add_radiation(p, q, k_, c0_, sum);
    add_reactance(p, q, k_, 1, kernel_, sum);
    if (medium_.sources() > 1)
      add_reactance(medium_.source(p, 1), q, k_, medium_.factor(1) * c0_, kernel_, sum);
    if (table_) add(ground_pair(p, q, {k_, table_->eps(), table_->view()}), sum);
    if (surface_) add(coefficient_pair(p, q, *surface_), sum);
    return sum;
  }

 private:
  static void add(const ElementMatrix& m, EndVoltages& sum) {
    for (int end = 0; end < 2; ++end) sum.at[end] += Complex(m.z[0][end] + m.z[1][end]);
  }

  double k_;
  Medium medium_;
  Complex c0_;  ///< strength of the image
  GreensKernel kernel_;
  std::optional<GroundTable> table_;
  std::optional<ReflectingSurface> surface_;
};

/// Share of a loop, if there is one: +1 or -1 ampere along an element.
struct LoopShare {
  std::size_t loop;
  double current_a;
};

/// For each element, the loops that it is on.
std::vector<std::vector<LoopShare>> shares_of(const Discretization& discretization,
                                              std::span<const Loop> loops) {
  std::vector<std::vector<LoopShare>> shares(discretization.elements().size());
  std::vector<double> current_a(discretization.elements().size(), 0);
  for (std::size_t l = 0; l < loops.size(); ++l) {
    // The current is the same at both ends: that at the start is that of the element.
    const auto for_starts = [&](const auto& body) {
      for (const BasisWeight& w : loops[l]) {
        const BasisFunction& f = discretization.basis().functions()[w.function];
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

std::vector<std::vector<Complex>> voltages_of_loops(const Discretization& discretization,
                                                    std::span<const Loop> loops,
                                                    const LoopSurroundings& surroundings,
                                                    GreensKernel kernel) {
  const auto& elements = discretization.elements();
  const Surroundings around(elements, surroundings, kernel);
  const auto shares = shares_of(discretization, loops);
  // Voltages of each loop along each element.
  std::vector<std::vector<EndVoltages>> along(loops.size(),
                                              std::vector<EndVoltages>(elements.size()));
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(elements.size()); ++i) {
    const auto q = static_cast<std::size_t>(i);
    for (std::size_t p = 0; p < elements.size(); ++p) {
      if (shares[p].empty()) continue;
      const EndVoltages sum = around.along(elements[p], elements[q]);
      for (const LoopShare& share : shares[p])
        for (int end = 0; end < 2; ++end)
          along[share.loop][q].at[end] += share.current_a * sum.at[end];
    }
  }
  std::vector<std::vector<Complex>> voltages(
      loops.size(), std::vector<Complex>(discretization.unknowns()));
  for (std::size_t l = 0; l < loops.size(); ++l)
    for (std::size_t f = 0; f < discretization.unknowns(); ++f) {
      const BasisFunction& function = discretization.basis().functions()[f];
      for (int term = 0; term < 2; ++term)
        voltages[l][f] += static_cast<double>(function.sign[term]) *
                          along[l][function.element[term]].at[function.end[term]];
    }
  return voltages;
}

}  // namespace thinwire
