#include "kernels/gradient/form_gradient.h"

#include <algorithm>
#include <cstdint>

#include "kernels/base/parallel.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/gradient/far_gradient.h"
#include "kernels/gradient/near_gradient.h"

namespace thinwire {
namespace {

/// An element's motions along the parameters that move it.
struct ActiveMotions {
  std::vector<std::uint32_t> parameter;  // ascending
  std::vector<ElementMotion> motion;
};

std::vector<ActiveMotions> active_motions(
    std::size_t elements, std::span<const std::vector<ElementMotion>> motions) {
  std::vector<ActiveMotions> active(elements);
  for (std::uint32_t v = 0; v < motions.size(); ++v)
    for (std::size_t e = 0; e < elements; ++e) {
      if (motions[v][e].rests()) continue;
      active[e].parameter.push_back(v);
      active[e].motion.push_back(motions[v][e]);
    }
  return active;
}

ElementMotion mirrored(ElementMotion m) {
  m.start_m.z = -m.start_m.z;
  m.end_m.z = -m.end_m.z;
  return m;
}

/// Derivatives of a row of pairs: [parameters].
class RowGradient {
 public:
  RowGradient(const ImpedanceForm& form, const FarCurrents& far,
              std::span<const ActiveMotions> active, std::size_t parameters)
      : form_(form), far_(far), active_(active), sum_(parameters) {}

  std::vector<Complex> of(std::uint32_t p) {
    for (int s = 0; s < form_.medium.sources(); ++s)
      for (std::uint32_t q = 0; q <= p; ++q)
        if (!active_[p].parameter.empty() || !active_[q].parameter.empty()) add(p, s, q);
    return sum_;
  }

 private:
  /// What source s of p and q give.
  void add(std::uint32_t p, int s, std::uint32_t q) {
    const Element source = form_.medium.source(form_.elements[p], s);
    const Element& field = form_.elements[q];
    const double length = std::max(source.length_m, field.length_m);
    const bool exact = form_.kernel == GreensKernel::exact;
    const double radius = exact ? std::max(source.radius_m, field.radius_m) : 0;
    const double distance = norm(centre_of(source) - centre_of(field));
    const int order = far_order(distance, length, radius, form_.k_rad_per_m);
    // Each pair of two elements stands for both orders.
    const double factor = form_.medium.factor(s) * (p == q ? 0.5 : 1.0);
    if (order == 0) {
      add_near(p, s, q, source, factor);
      return;
    }
    const bool series =
        exact && wants_series(distance, length, radius, form_.k_rad_per_m);
    const PairGradient gradient = far_.gradient({source, p}, {field, q}, order, series);
    for (std::size_t a = 0; a < active_[p].parameter.size(); ++a) {
      const ElementMotion& m = active_[p].motion[a];
      sum_[active_[p].parameter[a]] +=
          factor * gradient.first.along(s == 0 ? m : mirrored(m));
    }
    for (std::size_t a = 0; a < active_[q].parameter.size(); ++a)
      sum_[active_[q].parameter[a]] +=
          factor * gradient.second.along(active_[q].motion[a]);
  }

  void add_near(std::uint32_t p, int s, std::uint32_t q, const Element& source,
                double factor) {
    parameters_.clear();
    motions_.clear();
    const ActiveMotions &of_p = active_[p], &of_q = active_[q];
    std::size_t a = 0, b = 0;
    while (a < of_p.parameter.size() || b < of_q.parameter.size()) {
      const std::uint32_t none = ~0U,
                          next_p = a < of_p.parameter.size() ? of_p.parameter[a] : none,
                          next_q = b < of_q.parameter.size() ? of_q.parameter[b] : none,
                          parameter = std::min(next_p, next_q);
      PairMotion motion;
      if (next_p == parameter)
        motion.first = s == 0 ? of_p.motion[a] : mirrored(of_p.motion[a]);
      if (next_q == parameter) motion.second = of_q.motion[b];
      a += next_p == parameter;
      b += next_q == parameter;
      if (motion.moves_as_one()) continue;
      parameters_.push_back(parameter);
      motions_.push_back(motion);
    }
    if (motions_.empty()) return;
    const std::vector<ElementMatrix> slopes = near_pair_slopes(
        source, form_.elements[q], motions_, form_.k_rad_per_m, form_.kernel);
    for (std::size_t m = 0; m < slopes.size(); ++m)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          sum_[parameters_[m]] +=
              factor * Complex(slopes[m].z[i][j]) *
              (form_.i[p].at[i] * form_.j[q].at[j] + form_.j[p].at[i] * form_.i[q].at[j]);
  }

  const ImpedanceForm& form_;
  const FarCurrents& far_;
  std::span<const ActiveMotions> active_;
  std::vector<Complex> sum_;
  std::vector<std::uint32_t> parameters_;
  std::vector<PairMotion> motions_;
};

}  // namespace

std::vector<Complex> form_gradient(const ImpedanceForm& form,
                                   std::span<const std::vector<ElementMotion>> motions) {
  const std::size_t elements = form.elements.size(), parameters = motions.size();
  const std::vector<ActiveMotions> active = active_motions(elements, motions);
  const FarCurrents far(form);
  std::vector<std::vector<Complex>> rows(elements);
  for_each_parallel(elements, [&](std::size_t p) {
    rows[p] =
        RowGradient(form, far, active, parameters).of(static_cast<std::uint32_t>(p));
  });
  std::vector<Complex> gradient(parameters);
  for (const std::vector<Complex>& row : rows)
    for (std::size_t v = 0; v < parameters; ++v) gradient[v] += row[v];
  return gradient;
}

}  // namespace thinwire
