#include "kernels/gradient/far_gradient.h"

#include "kernels/base/constants.h"
#include "kernels/base/dual.h"
#include "kernels/base/quadrature.h"
#include "kernels/base/simd_clones.h"
#include "kernels/element/far_kernel.h"
#include "kernels/element/tube_kernel.h"

namespace thinwire {
namespace {

constexpr int orders[] = {2, 3, 4, 6};

/// What the far Green's function depends on, in this order, and its value with the
/// derivatives.
enum Argument { r2, dot_p, dot_q, cosine, radius_p, radius_q, arguments };

struct FarGreens {
  HdComplex value, slope[arguments];
};

THINWIRE_SIMD_CLONES
FarGreens far_greens_slopes(const double (&at)[arguments], double k, bool exact,
                            bool series) {
  using Number = Dual<arguments>;
  Number x[arguments];
  for (int i = 0; i < arguments; ++i) {
    x[i] = at[i];
    x[i].slope[i] = 1;
  }
  const Number a2 = x[radius_p] * x[radius_p], b2 = x[radius_q] * x[radius_q];
  const RadiusTerms<Number> radius = exact ? RadiusTerms<Number>{0.25 * a2, 0.25 * b2, 0}
                                           : RadiusTerms<Number>{0, 0, 0.5 * (a2 + b2)};
  const BasicComplex<Number> g =
      series
          ? tube_series(x[r2], x[dot_p], x[dot_q], x[cosine], x[radius_p], x[radius_q], k)
          : far_greens(x[r2], x[dot_p], x[dot_q], k, radius);
  FarGreens result;
  result.value = {g.re.value, g.im.value};
  for (int i = 0; i < arguments; ++i) result.slope[i] = {g.re.slope[i], g.im.slope[i]};
  return result;
}

/// Of the gradient, what belongs to one element of the pair: by places of its points, its
/// tangent and its length.
struct Parts {
  ComplexVec3 start, end, tangent;
  HdComplex length, radius;

  /// With t = (end - start) / L.
  ElementGradient by_ends(const Element& e) const {
    ComplexVec3 turn = tangent;
    const HdComplex along = tangent.along(e.tangent);
    turn.add(-1.0 * along, e.tangent);
    const double inverse = 1 / e.length_m;
    ElementGradient g{start, end, radius};
    const auto add = [&](ComplexVec3& to, double sign) {
      to.x += (sign * inverse) * turn.x;
      to.y += (sign * inverse) * turn.y;
      to.z += (sign * inverse) * turn.z;
      to.add(sign * length, e.tangent);
    };
    add(g.end, 1);
    add(g.start, -1);
    return g;
  }
};

}  // namespace

int FarCurrents::rule_of(int order) {
  for (int rule = 0; rule < 3; ++rule)
    if (orders[rule] == order) return rule;
  return 3;
}

FarCurrents::FarCurrents(const ImpedanceForm& form) : form_(form) {
  const double k = form.k_rad_per_m;
  for (int rule = 0; rule < 4; ++rule) {
    const GaussRule gauss = gauss_rule(orders[rule]);
    points_[rule].resize(form.elements.size());
    for (std::size_t e = 0; e < form.elements.size(); ++e)
      for (int n = 0; n < gauss.points; ++n) {
        // The shape functions at a fixed share of the length, times the weight.
        Dual<1> length(form.elements[e].length_m);
        length.slope[0] = 1;
        const double share = 0.5 * (1 + gauss.node[n]);
        const Dual<1> weight = 0.5 * gauss.weight[n] * length / sin(k * length),
                      rest = k * (1 - share) * length, passed = k * share * length;
        const Dual<1> value[] = {weight * sin(rest), weight * sin(passed)},
                      slope[] = {-weight * cos(rest), weight * cos(passed)};
        const auto point = [&](const EndCurrents& ends) {
          Point p;
          for (int end = 0; end < 2; ++end) {
            const HdComplex current = to_hd(ends.at[end]);
            p.current += value[end].value * current;
            p.charge += slope[end].value * current;
            p.current_slope += value[end].slope[0] * current;
            p.charge_slope += slope[end].slope[0] * current;
          }
          return p;
        };
        points_[rule][e].i[n] = point(form.i[e]);
        points_[rule][e].j[n] = point(form.j[e]);
      }
  }
}

THINWIRE_SIMD_CLONES
PairGradient FarCurrents::gradient(Carrier first, Carrier second, int order,
                                   bool series) const {
  const Element &p = first.element, &q = second.element;
  const double k = form_.k_rad_per_m;
  const GaussRule gauss = gauss_rule(order);
  const Points &of_p = points_of(first.currents, order),
               &of_q = points_of(second.currents, order);
  const double c = dot(p.tangent, q.tangent);
  Parts parts_p, parts_q;
  HdComplex by_cosine;
  for (int m = 0; m < order; ++m)
    for (int n = 0; n < order; ++n) {
      const double share_p = 0.5 * (1 + gauss.node[m]),
                   share_q = 0.5 * (1 + gauss.node[n]);
      const Vec3 r = p.start_m + share_p * p.length_m * p.tangent -
                     (q.start_m + share_q * q.length_m * q.tangent);
      const FarGreens g = far_greens_slopes(
          {dot(r, r), dot(r, p.tangent), dot(r, q.tangent), c, p.radius_m, q.radius_m}, k,
          form_.kernel == GreensKernel::exact, series);
      const Point &ip = of_p.i[m], &jp = of_p.j[m], &iq = of_q.i[n], &jq = of_q.j[n];
      const HdComplex currents = ip.current * jq.current + jp.current * iq.current;
      const HdComplex product =
          c * currents - (ip.charge * jq.charge + jp.charge * iq.charge);
      // By the points' places.
      ComplexVec3 force;
      force.add(2 * (product * g.slope[r2]), r);
      force.add(product * g.slope[dot_p], p.tangent);
      force.add(product * g.slope[dot_q], q.tangent);
      const auto share = [&force](Parts& parts, double to_end, double sign) {
        const HdComplex start{sign * (1 - to_end), 0}, end{sign * to_end, 0};
        parts.start.x += start * force.x;
        parts.start.y += start * force.y;
        parts.start.z += start * force.z;
        parts.end.x += end * force.x;
        parts.end.y += end * force.y;
        parts.end.z += end * force.z;
      };
      share(parts_p, share_p, 1);
      share(parts_q, share_q, -1);
      // By directions, lengths and radii.
      parts_p.tangent.add(product * g.slope[dot_p], r);
      parts_q.tangent.add(product * g.slope[dot_q], r);
      by_cosine += currents * g.value + product * g.slope[cosine];
      parts_p.length +=
          g.value * (c * (ip.current_slope * jq.current + jp.current_slope * iq.current) -
                     (ip.charge_slope * jq.charge + jp.charge_slope * iq.charge));
      parts_q.length +=
          g.value * (c * (ip.current * jq.current_slope + jp.current * iq.current_slope) -
                     (ip.charge * jq.charge_slope + jp.charge * iq.charge_slope));
      parts_p.radius += product * g.slope[radius_p];
      parts_q.radius += product * g.slope[radius_q];
    }
  parts_p.tangent.add(by_cosine, q.tangent);
  parts_q.tangent.add(by_cosine, p.tangent);
  const HdComplex factor{0, k * eta0_ohm / (4 * pi)};
  PairGradient gradient{parts_p.by_ends(p), parts_q.by_ends(q)};
  for (ElementGradient* e : {&gradient.first, &gradient.second}) {
    for (ComplexVec3* v : {&e->start, &e->end})
      for (HdComplex* z : {&v->x, &v->y, &v->z}) *z = factor * *z;
    e->radius = factor * e->radius;
  }
  return gradient;
}

}  // namespace thinwire
