#include "kernels/ground/ground_field.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "kernels/element/near_bent.h"

namespace thinwire {
namespace {

/// The wave in the ground has died out after this many nats.
constexpr double dead_nats = 16;
/// Longest piece, in radians of the wave in the ground.
constexpr double longest_phase = 5;
/// A piece next to the observer's mirror image, over its element's length.
constexpr double smallest_piece = 1e-7;

/// A Gauss point of an element as it acts on one observer: I and I'/k times the weight.
struct SourcePoint {
  Vec3 at_m;
  Vec3 tangent;
  Complex moment, slope;
};

/// Distance of a point from an element's axis.
double distance_from(const Element& e, Vec3 at) {
  const Vec3 d = at - e.start_m;
  return norm(d - std::clamp(dot(d, e.tangent), 0.0, e.length_m) * e.tangent);
}

struct ComplexVector {
  Complex x, y, z;
};

/// What one source point gives: the brackets of ground_field.h, by wave number.
ComplexVector electric_terms(const SourcePoint& s, double cosine, double sine,
                             const FieldKernels& g) {
  const auto& [h, zz, q, charge_out, charge_up] = g;
  const double along_r = s.tangent.x * cosine + s.tangent.y * sine;
  const Complex out = s.slope * charge_out - s.moment * s.tangent.z * q;
  return {s.moment * s.tangent.x * h + out * cosine,
          s.moment * s.tangent.y * h + out * sine,
          s.moment * (s.tangent.z * zz + along_r * q) + s.slope * charge_up};
}

ComplexVector magnetic_terms(const SourcePoint& s, double cosine, double sine,
                             const FieldKernels& g) {
  const auto& [h_out, h_up, v_out, q_out, q_over_rho] = g;
  const double along_r = s.tangent.x * cosine + s.tangent.y * sine;
  const double along_phi = s.tangent.y * cosine - s.tangent.x * sine;
  // grad Gh x t_h, and the curl of the vertical components.
  const Complex around = -s.tangent.z * v_out - along_r * q_out;
  const Complex out = along_phi * q_over_rho;
  return {s.moment * (-s.tangent.y * h_up + out * cosine - around * sine),
          s.moment * (s.tangent.x * h_up + out * sine + around * cosine),
          s.moment * (along_phi * h_out)};
}

}  // namespace

GroundField::GroundField(std::span<const Element> elements,
                         std::span<const Complex> end_current_a, double k, Complex eps)
    : elements_(elements.begin(), elements.end()),
      end_current_a_(end_current_a.begin(), end_current_a.end()),
      k_rad_per_m_(k),
      eps_(eps),
      electric_(FieldKind::electric, eps),
      magnetic_(FieldKind::magnetic, eps) {}

double GroundField::fastest_wavenumber(double distance_m) const {
  const Complex k2 = k_rad_per_m_ * std::sqrt(eps_);
  return -k2.imag() * distance_m > dead_nats ? k_rad_per_m_
                                             : std::max(k_rad_per_m_, std::abs(k2));
}

/// Calls visit with Gauss points of all elements, in pieces that are halved until they
/// are short against their distance from the observer's mirror image.
template <class Visit>
void GroundField::visit_points(Vec3 at_m, const Visit& visit) const {
  const Vec3 mirrored{at_m.x, at_m.y, -at_m.z};
  const double k = k_rad_per_m_;
  struct Stretch {
    double from_m, to_m;
  };
  std::vector<Stretch> stack;
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    const Element& element = elements_[e];
    const double length = element.length_m, over = 1 / std::sin(k * length);
    const Complex start = end_current_a_[2 * e], end = end_current_a_[2 * e + 1];
    stack.assign(1, {0, length});
    while (!stack.empty()) {
      const auto [from, to] = stack.back();
      stack.pop_back();
      const double piece = to - from;
      const double distance = distance_from(
          {element.start_m + from * element.tangent, element.tangent, piece, 0},
          mirrored);
      const double fastest = fastest_wavenumber(distance);
      if ((piece > 2 * distance && piece > smallest_piece * length) ||
          fastest * piece > longest_phase) {
        const double middle = 0.5 * (from + to);
        stack.push_back({middle, to});
        stack.push_back({from, middle});
        continue;
      }
      const GaussRule rule =
          gauss_rule(piece_points(piece, std::max(distance, 0.5 * piece), fastest));
      for (int b = 0; b < rule.points; ++b) {
        const double s = from + 0.5 * piece * (1 + rule.node[b]);
        const double weight = 0.5 * piece * rule.weight[b] * over;
        visit(SourcePoint{
            element.start_m + s * element.tangent, element.tangent,
            weight * (std::sin(k * (length - s)) * start + std::sin(k * s) * end),
            weight * (std::cos(k * s) * end - std::cos(k * (length - s)) * start)});
      }
    }
  }
}

void GroundField::add(FieldKind kind, std::span<const Vec3> points_m,
                      std::span<Complex> field) {
  FieldTable& table = kind == FieldKind::electric ? electric_ : magnetic_;
  const double k = k_rad_per_m_;
  const auto count = static_cast<std::int64_t>(points_m.size());
  const auto rho_of = [](Vec3 at, const SourcePoint& s) {
    return std::hypot(at.x - s.at_m.x, at.y - s.at_m.y);
  };
  table.cover([&](const FieldTable::Mark& mark) {
#pragma omp parallel for schedule(dynamic, 4)
    for (std::int64_t i = 0; i < count; ++i) {
      const Vec3 at = points_m[i];
      visit_points(at, [&](const SourcePoint& s) {
        mark(k * rho_of(at, s), k * (at.z + s.at_m.z));
      });
    }
  });
  // The kernels are times 1/k, or 1/k^2 where they stand without k in the sum.
  const Complex factor = kind == FieldKind::electric
                             ? Complex(0, -k * k * eta0_ohm / (4 * pi))
                             : Complex(k * k / (4 * pi));
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int64_t i = 0; i < count; ++i) {
    const Vec3 at = points_m[i];
    ComplexVector sum;
    visit_points(at, [&](const SourcePoint& s) {
      const double rho = rho_of(at, s);
      const double cosine = rho > 0 ? (at.x - s.at_m.x) / rho : 1;
      const double sine = rho > 0 ? (at.y - s.at_m.y) / rho : 0;
      const FieldKernels g = table.at(k * rho, k * (at.z + s.at_m.z));
      const ComplexVector terms = kind == FieldKind::electric
                                      ? electric_terms(s, cosine, sine, g)
                                      : magnetic_terms(s, cosine, sine, g);
      sum.x += terms.x;
      sum.y += terms.y;
      sum.z += terms.z;
    });
    field[3 * i] += factor * sum.x;
    field[3 * i + 1] += factor * sum.y;
    field[3 * i + 2] += factor * sum.z;
  }
}

}  // namespace thinwire
