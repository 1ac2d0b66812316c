#include "kernels/gradient/far_gradient.h"

#include <algorithm>
#include <memory>

#include "kernels/base/constants.h"
#include "kernels/base/dual.h"
#include "kernels/base/quadrature.h"
#include "kernels/base/simd_clones.h"
#include "kernels/gradient/far_derivatives.h"

namespace thinwire {
namespace {

constexpr int orders[] = {2, 3, 4, 6};

/// Pairs side by side in loops that vectorise.
constexpr std::size_t lanes = 64;
/// Their number is made a multiple of this: pieces of vectors are dear.
constexpr std::size_t lane_group = 8;
using Lane = double[lanes];
struct ComplexLane {
  alignas(64) Lane re, im;

  THINWIRE_INLINE HdComplex at(std::size_t l) const { return {re[l], im[l]}; }
  THINWIRE_INLINE void set(std::size_t l, HdComplex z) {
    re[l] = z.re;
    im[l] = z.im;
  }
  THINWIRE_INLINE void add(std::size_t l, HdComplex z) { set(l, at(l) + z); }
};

/// An element p, and one of the other elements in each lane.
struct PairLanes {
  Element p;
  alignas(64) Lane step[3];     // from the start of q to that of p, m
  alignas(64) Lane tangent[3];  // of q
  alignas(64) Lane length, radius;
  alignas(64) Lane d2, dp, dq, cosine;  // as in FarPair
};

/// GreensDerivatives of a pair of points, but for those by the radii.
struct GreensLanes {
  ComplexLane value, by_r2, by_zp, by_zq, by_c;
};

/// Derivatives with respect to what a pair's integral depends on: |D|^2, D . t_p,
/// D . t_q and t_p . t_q, D being the step between the starts, lengths and radii.
struct ShapeLanes {
  ComplexLane d2, dp, dq, cosine, length_p, length_q, radius_p, radius_q;
};

/// Derivatives of an element's ends and radius, real or imaginary parts.
struct EndLanes {
  alignas(64) Lane start[3], end[3], radius;
};

void set_lane(std::size_t l, const Element& q, PairLanes& pairs) {
  const Element& p = pairs.p;
  const Vec3 step = p.start_m - q.start_m;
  const double d[] = {step.x, step.y, step.z},
               t[] = {q.tangent.x, q.tangent.y, q.tangent.z};
  for (int axis = 0; axis < 3; ++axis) {
    pairs.step[axis][l] = d[axis];
    pairs.tangent[axis][l] = t[axis];
  }
  pairs.length[l] = q.length_m;
  pairs.radius[l] = q.radius_m;
  pairs.d2[l] = dot(step, step);
  pairs.dp[l] = dot(step, p.tangent);
  pairs.dq[l] = dot(step, q.tangent);
  pairs.cosine[l] = dot(p.tangent, q.tangent);
}

/// A point of p, and what the Green's function takes of it. Numbers that all lanes share
/// stand in values of their own: loops that load them anew do not vectorise.
struct PointOfP {
  double share, s, radius, k;
  RadiusShares shares;
};

/// Between the point of p and that of lane l at a share of its length.
template <bool series>
THINWIRE_INLINE GreensDerivatives greens_derivatives(const PairLanes& pairs,
                                                     std::size_t l, PointOfP p,
                                                     double share_q) {
  const double t = share_q * pairs.length[l], c = pairs.cosine[l];
  const double zp = pairs.dp[l] + p.s - t * c, zq = pairs.dq[l] + p.s * c - t;
  const double r2 = pairs.d2[l] + p.s * (pairs.dp[l] + zp) - t * (pairs.dq[l] + zq);
  if constexpr (series)
    return tube_series_derivatives(r2, zp, zq, c, p.radius, pairs.radius[l], p.k);
  return far_greens_derivatives(r2, zp, zq, p.radius, pairs.radius[l], p.k, p.shares);
}

template <bool series>
THINWIRE_INLINE void set_greens(const PairLanes& pairs, PointOfP p, double share_q,
                                std::size_t count, GreensLanes& g) {
  THINWIRE_INDEPENDENT_STEPS
  for (std::size_t l = 0; l < count; ++l) {
    const GreensDerivatives derivatives =
        greens_derivatives<series>(pairs, l, p, share_q);
    g.value.set(l, {derivatives.re, derivatives.im});
    g.by_r2.set(l, {derivatives.by_r2_re, derivatives.by_r2_im});
    g.by_zp.set(l, {derivatives.by_zp_re, derivatives.by_zp_im});
    g.by_zq.set(l, {derivatives.by_zq_re, derivatives.by_zq_im});
    g.by_c.set(l, {derivatives.by_c_re, derivatives.by_c_im});
  }
}
THINWIRE_SIMD_CLONES
void set_far_greens(const PairLanes& pairs, PointOfP p, double share_q, std::size_t count,
                    GreensLanes& g) {
  set_greens<false>(pairs, p, share_q, count, g);
}
THINWIRE_SIMD_CLONES
void set_tube_series(const PairLanes& pairs, PointOfP p, double share_q,
                     std::size_t count, GreensLanes& g) {
  set_greens<true>(pairs, p, share_q, count, g);
}

/// FarGradient::Point with names.
struct PointCurrents {
  HdComplex current, charge, current_derivative, charge_derivative;

  explicit PointCurrents(const double* number)
      : current{number[0], number[1]},
        charge{number[2], number[3]},
        current_derivative{number[4], number[5]},
        charge_derivative{number[6], number[7]} {}
};

/// Complex number n of lane l, of [numbers][lanes].
THINWIRE_INLINE HdComplex complex_at(const double* number, int n, std::size_t l) {
  return {number[2 * n * lanes + l], number[(2 * n + 1) * lanes + l]};
}

/// Adds what one point of p and one of every lane give, but for the radii. i, j: currents
/// at the point of p, iq, jq: [numbers][lanes], those of the lanes.
THINWIRE_SIMD_CLONES
void add_points(const PairLanes& pairs, const GreensLanes& g, const PointCurrents& i,
                const PointCurrents& j, const double* __restrict iq,
                const double* __restrict jq, PointOfP p, double share_q,
                std::size_t count, ShapeLanes& sums) {
  const HdComplex i0 = i.current, i1 = i.charge, i2 = i.current_derivative,
                  i3 = i.charge_derivative, j0 = j.current, j1 = j.charge,
                  j2 = j.current_derivative, j3 = j.charge_derivative;
  THINWIRE_INDEPENDENT_STEPS
  for (std::size_t l = 0; l < count; ++l) {
    const HdComplex i_current = complex_at(iq, 0, l), i_charge = complex_at(iq, 1, l),
                    j_current = complex_at(jq, 0, l), j_charge = complex_at(jq, 1, l);
    const double t = share_q * pairs.length[l], c = pairs.cosine[l];
    const double zp = pairs.dp[l] + p.s - t * c, zq = pairs.dq[l] + p.s * c - t;
    const HdComplex currents = i0 * j_current + j0 * i_current,
                    product = c * currents - i1 * j_charge - j1 * i_charge;
    const HdComplex value = g.value.at(l), by_r2 = product * g.by_r2.at(l),
                    by_zp = product * g.by_zp.at(l), by_zq = product * g.by_zq.at(l);
    sums.d2.add(l, by_r2);
    sums.dp.add(l, 2 * p.s * by_r2 + by_zp);
    sums.dq.add(l, by_zq - 2 * t * by_r2);
    sums.cosine.add(l, currents * value + product * g.by_c.at(l) - 2 * p.s * t * by_r2 -
                           t * by_zp + p.s * by_zq);
    const HdComplex derivative_p = c * (i2 * j_current + j2 * i_current) - i3 * j_charge -
                                   j3 * i_charge,
                    derivative_q =
                        c * (i0 * complex_at(jq, 2, l) + j0 * complex_at(iq, 2, l)) -
                        i1 * complex_at(jq, 3, l) - j1 * complex_at(iq, 3, l);
    sums.length_p.add(
        l, derivative_p * value + p.share * (2 * zp * by_r2 + by_zp + c * by_zq));
    sums.length_q.add(
        l, derivative_q * value - share_q * (2 * zq * by_r2 + c * by_zp + by_zq));
  }
}

/// Adds the derivatives by the radii.
template <bool series>
THINWIRE_INLINE void add_by_radii(const PairLanes& pairs, const PointCurrents& i,
                                  const PointCurrents& j, const double* __restrict iq,
                                  const double* __restrict jq, PointOfP p, double share_q,
                                  std::size_t count, ShapeLanes& sums) {
  const HdComplex i0 = i.current, i1 = i.charge, j0 = j.current, j1 = j.charge;
  THINWIRE_INDEPENDENT_STEPS
  for (std::size_t l = 0; l < count; ++l) {
    const GreensDerivatives derivatives =
        greens_derivatives<series>(pairs, l, p, share_q);
    const HdComplex product =
        pairs.cosine[l] * (i0 * complex_at(jq, 0, l) + j0 * complex_at(iq, 0, l)) -
        i1 * complex_at(jq, 1, l) - j1 * complex_at(iq, 1, l);
    sums.radius_p.add(l, product * HdComplex{derivatives.by_a_re, derivatives.by_a_im});
    sums.radius_q.add(l, product * HdComplex{derivatives.by_b_re, derivatives.by_b_im});
  }
}
THINWIRE_SIMD_CLONES
void add_far_by_radii(const PairLanes& pairs, const PointCurrents& ip,
                      const PointCurrents& jp, const double* __restrict iq,
                      const double* __restrict jq, PointOfP p, double share_q,
                      std::size_t count, ShapeLanes& sums) {
  add_by_radii<false>(pairs, ip, jp, iq, jq, p, share_q, count, sums);
}
THINWIRE_SIMD_CLONES
void add_series_by_radii(const PairLanes& pairs, const PointCurrents& ip,
                         const PointCurrents& jp, const double* __restrict iq,
                         const double* __restrict jq, PointOfP p, double share_q,
                         std::size_t count, ShapeLanes& sums) {
  add_by_radii<true>(pairs, ip, jp, iq, jq, p, share_q, count, sums);
}

/// From shapes to ends, with t = (end - start) / L; the real or the imaginary parts.
THINWIRE_SIMD_CLONES
void set_ends(const PairLanes& pairs, const ShapeLanes& shape, Lane ComplexLane::*part,
              double factor, std::size_t count, EndLanes& of_p, EndLanes& of_q) {
  const double tp[] = {pairs.p.tangent.x, pairs.p.tangent.y, pairs.p.tangent.z};
  const double inverse_p = factor / pairs.p.length_m;
  const auto &by_d2 = shape.d2.*part, &by_dp = shape.dp.*part, &by_dq = shape.dq.*part,
             &by_c = shape.cosine.*part, &by_lp = shape.length_p.*part,
             &by_lq = shape.length_q.*part, &by_a = shape.radius_p.*part,
             &by_b = shape.radius_q.*part;
  THINWIRE_INDEPENDENT_STEPS
  for (std::size_t l = 0; l < count; ++l) {
    const double c = pairs.cosine[l], inverse_q = factor / pairs.length[l];
    const double along_p = pairs.dp[l] * by_dp[l] + c * by_c[l],
                 along_q = pairs.dq[l] * by_dq[l] + c * by_c[l];
    for (int axis = 0; axis < 3; ++axis) {
      const double d = pairs.step[axis][l], tq = pairs.tangent[axis][l];
      const double force =
          factor * (2 * by_d2[l] * d + by_dp[l] * tp[axis] + by_dq[l] * tq);
      const double at_end_p =
          inverse_p * (by_dp[l] * d + by_c[l] * tq - along_p * tp[axis]) +
          factor * by_lp[l] * tp[axis];
      const double at_end_q =
          inverse_q * (by_dq[l] * d + by_c[l] * tp[axis] - along_q * tq) +
          factor * by_lq[l] * tq;
      of_p.start[axis][l] = force - at_end_p;
      of_p.end[axis][l] = at_end_p;
      of_q.start[axis][l] = -force - at_end_q;
      of_q.end[axis][l] = at_end_q;
    }
    of_p.radius[l] = factor * by_a[l];
    of_q.radius[l] = factor * by_b[l];
  }
}

ElementGradient gradient_at(std::size_t l, const EndLanes& re, const EndLanes& im) {
  const auto vector = [l](const Lane(&x)[3], const Lane(&y)[3]) {
    return Covector{{x[0][l], y[0][l]}, {x[1][l], y[1][l]}, {x[2][l], y[2][l]}};
  };
  return {
      vector(re.start, im.start), vector(re.end, im.end), {re.radius[l], im.radius[l]}};
}

int rule_of(int order) {
  return order == 6 ? 3 : order - 2;
}

}  // namespace

FarGradient::FarGradient(const ImpedanceForms& forms, bool by_radii)
    : forms_(forms), by_radii_(by_radii), shapes_(shapes()), j_(points_of(forms.j)) {
  for (const std::vector<EndCurrents>& i : forms.i) i_.push_back(points_of(i));
}

std::vector<std::vector<FarGradient::Shape>> FarGradient::shapes() const {
  const double k = forms_.k_rad_per_m;
  std::vector<std::vector<Shape>> shapes;
  for (const int order : orders) {
    const GaussRule gauss = gauss_rule(order);
    std::vector<Shape>& of_rule = shapes.emplace_back();
    for (const Element& element : forms_.elements)
      for (int n = 0; n < order; ++n) {
        // The shape functions at a fixed share of the length, times the weight.
        Dual<1> length(element.length_m);
        length.derivative[0] = 1;
        const double share = 0.5 * (1 + gauss.node[n]);
        const Dual<1> weight = 0.5 * gauss.weight[n] * length / sin(k * length),
                      rest = k * (1 - share) * length, passed = k * share * length;
        const Dual<1> value[] = {weight * sin(rest), weight * sin(passed)},
                      derivative[] = {-weight * cos(rest), weight * cos(passed)};
        Shape& shape = of_rule.emplace_back();
        for (int end = 0; end < 2; ++end) {
          const double factors[] = {value[end].value, derivative[end].value,
                                    value[end].derivative[0],
                                    derivative[end].derivative[0]};
          std::ranges::copy(factors, shape.of_end[end]);
        }
      }
  }
  return shapes;
}

std::vector<FarGradient::Points> FarGradient::points_of(
    std::span<const EndCurrents> currents) const {
  std::vector<Points> points;
  for (std::size_t rule = 0; rule < std::size(orders); ++rule) {
    Points& of_rule = points.emplace_back();
    for (std::size_t i = 0; i < shapes_[rule].size(); ++i) {
      Point& p = of_rule.emplace_back();
      for (int end = 0; end < 2; ++end) {
        const Complex current =
            currents[i / static_cast<std::size_t>(orders[rule])].at[end];
        for (int f = 0; f < 4; ++f) {
          p.number[2 * f] += shapes_[rule][i].of_end[end][f] * current.real();
          p.number[2 * f + 1] += shapes_[rule][i].of_end[end][f] * current.imag();
        }
      }
    }
  }
  return points;
}

/// To out [points][numbers][lanes].
void FarGradient::gather(const Points& points, int order,
                         std::span<const std::uint32_t> q, double* out) const {
  for (std::size_t l = 0; l < q.size(); ++l)
    for (int n = 0; n < order; ++n) {
      const Point& p = points[q[l] * static_cast<std::size_t>(order) + n];
      for (int number = 0; number < numbers; ++number)
        out[(n * numbers + number) * lanes + l] = p.number[number];
    }
}

void FarGradient::add(FarRuleChoice rule, Source source, std::span<const std::uint32_t> q,
                      std::span<ElementGradient> of_source,
                      std::span<std::vector<ElementGradient>> gradients) const {
  for (; !q.empty(); q = q.subspan(std::min(lanes, q.size())))
    add_lanes(rule, source, q.first(std::min(lanes, q.size())), of_source, gradients);
}

void FarGradient::add_lanes(FarRuleChoice rule, Source source,
                            std::span<const std::uint32_t> q,
                            std::span<ElementGradient> of_source,
                            std::span<std::vector<ElementGradient>> gradients) const {
  const std::size_t forms = i_.size(),
                    count = (q.size() + lane_group - 1) / lane_group * lane_group;
  const int order = rule.order;
  const double k = forms_.k_rad_per_m;
  const RadiusShares shares = RadiusShares::of(forms_.kernel);
  const GaussRule gauss = gauss_rule(order);
  PairLanes pairs;
  pairs.p = source.element;
  for (std::size_t l = 0; l < count; ++l)
    set_lane(l, forms_.elements[q[std::min(l, q.size() - 1)]], pairs);

  const std::size_t currents = static_cast<std::size_t>(order) * numbers * lanes;
  const auto of_q = std::make_unique_for_overwrite<double[]>((1 + forms) * currents);
  const std::size_t of_rule = rule_of(order), first = source.index * std::size_t(order);
  gather(j_[of_rule], order, q, of_q.get());
  for (std::size_t f = 0; f < forms; ++f)
    gather(i_[f][of_rule], order, q, of_q.get() + (1 + f) * currents);

  GreensLanes greens;
  std::vector<ShapeLanes> sums(forms);
  for (int m = 0; m < order; ++m)
    for (int n = 0; n < order; ++n) {
      const double share_p = 0.5 * (1 + gauss.node[m]),
                   share_q = 0.5 * (1 + gauss.node[n]);
      const PointOfP p{share_p, share_p * source.element.length_m,
                       source.element.radius_m, k, shares};
      (rule.series ? set_tube_series : set_far_greens)(pairs, p, share_q, count, greens);
      const double* at_n = of_q.get() + static_cast<std::size_t>(n) * numbers * lanes;
      for (std::size_t f = 0; f < forms; ++f) {
        const PointCurrents ip = PointCurrents(i_[f][of_rule][first + m].number),
                            jp = PointCurrents(j_[of_rule][first + m].number);
        const double* iq = at_n + (1 + f) * currents;
        add_points(pairs, greens, ip, jp, iq, at_n, p, share_q, count, sums[f]);
        if (by_radii_)
          (rule.series ? add_series_by_radii : add_far_by_radii)(
              pairs, ip, jp, iq, at_n, p, share_q, count, sums[f]);
      }
    }

  const double factor = source.factor * k * eta0_ohm / (4 * pi);
  EndLanes p_re, p_im, q_re, q_im;
  for (std::size_t f = 0; f < forms; ++f) {
    // Times j.
    set_ends(pairs, sums[f], &ComplexLane::im, -factor, count, p_re, q_re);
    set_ends(pairs, sums[f], &ComplexLane::re, factor, count, p_im, q_im);
    for (std::size_t l = 0; l < q.size(); ++l) {
      of_source[f].add(1, gradient_at(l, p_re, p_im));
      gradients[f][q[l]].add(1, gradient_at(l, q_re, q_im));
    }
  }
}

}  // namespace thinwire
