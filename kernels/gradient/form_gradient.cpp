#include "kernels/gradient/form_gradient.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "kernels/base/parallel.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/pair_classes.h"
#include "kernels/gradient/element_gradient.h"
#include "kernels/gradient/far_gradient.h"
#include "kernels/gradient/near_gradient.h"

namespace thinwire {
namespace {

using Motions = std::span<const std::vector<ElementMotion>>;
/// [forms][elements]
using Gradients = std::vector<std::vector<ElementGradient>>;

/// Motions smaller than this part of a parameter's largest are rounding.
constexpr double min_motion = 1e-9;

double largest_motion(std::span<const ElementMotion> motions) {
  double largest = 0;
  for (const ElementMotion& m : motions)
    largest = std::max({largest, norm(m.start_m), norm(m.end_m), std::abs(m.radius_m)});
  return largest;
}

/// Elements that are only shifted, and all shifted alike, in bodies: the integrals within
/// a body stay what they are.
class Bodies {
 public:
  static constexpr int none = -1;

  Bodies(std::size_t elements, Motions motions) : of_element_(elements, none) {
    std::vector<double> largest;
    for (const auto& of_parameter : motions)
      largest.push_back(largest_motion(of_parameter));
    std::map<std::vector<double>, int> known{
        {std::vector<double>(3 * motions.size()), 0}};
    for (std::size_t e = 0; e < elements; ++e) {
      std::vector<double> shift;
      bool rigid = true;
      for (std::size_t v = 0; v < motions.size() && rigid; ++v) {
        const ElementMotion& m = motions[v][e];
        const double rounding = min_motion * largest[v];
        rigid = m.radius_m == 0 && norm(m.end_m - m.start_m) <= rounding;
        for (const double x : {m.start_m.x, m.start_m.y, m.start_m.z})
          shift.push_back(largest[v] > 0 ? std::rint(x / rounding) + 0.0 : 0);
      }
      if (rigid)
        of_element_[e] =
            known.emplace(shift, static_cast<int>(known.size())).first->second;
    }
  }

  /// Returns the motion of an element; 0: it rests.
  int of(std::size_t element) const { return of_element_[element]; }
  /// Whether source s (medium.h) of p and q lie to each other as they did.
  bool rest(std::uint32_t p, int s, std::uint32_t q) const {
    const int body = of_element_[p];
    return body == of_element_[q] && body != none && (s == 0 || body == 0);
  }

 private:
  std::vector<int> of_element_;
};

WantedDerivatives wanted_derivatives(std::span<const Element> elements, Motions motions) {
  WantedDerivatives wanted{false, false};
  for (const auto& of_parameter : motions) {
    const double largest = largest_motion(of_parameter);
    for (std::size_t e = 0; e < elements.size(); ++e) {
      const ElementMotion& m = of_parameter[e];
      wanted.radii |= m.radius_m != 0;
      wanted.turns |=
          norm(cross(m.end_m - m.start_m, elements[e].tangent)) > min_motion * largest;
    }
  }
  return wanted;
}

/// The gradients of forms, summed over all pairs of elements.
class GradientSum {
 public:
  GradientSum(const ImpedanceForms& forms, Motions motions)
      : forms_(forms),
        bodies_(forms.elements.size(), motions),
        wanted_(wanted_derivatives(forms.elements, motions)),
        far_(forms, wanted_.radii) {
    for (int s = 0; s < forms.medium.sources(); ++s) near_.push_back(near_pairs(s));
  }

  Gradients all() const {
    // Parts of a fixed number, so that sums do not depend on threads.
    constexpr std::size_t parts = 32;
    std::vector<Gradients> of_part(parts);
    for_each_parallel(parts, [&](std::size_t part) {
      of_part[part] = zero();
      for (std::size_t p = part; p < forms_.elements.size(); p += parts)
        for (int s = 0; s < forms_.medium.sources(); ++s)
          add_row(static_cast<std::uint32_t>(p), s, of_part[part]);
    });
    Gradients sum = zero();
    for (const Gradients& some : of_part)
      for (std::size_t f = 0; f < sum.size(); ++f)
        for (std::size_t e = 0; e < sum[f].size(); ++e) sum[f][e].add(1, some[f][e]);
    return sum;
  }

 private:
  struct NearPairs {
    ElementPairs pairs;
    PairClasses classes;
    std::vector<NearDerivatives> derivatives;  // [classes]
  };

  Gradients zero() const {
    return Gradients(forms_.i.size(),
                     std::vector<ElementGradient>(forms_.elements.size()));
  }

  struct Rule {
    int order;  // 0: near
    bool series;
  };
  Rule rule_of(const Element& source, const Element& field) const {
    const bool exact = forms_.kernel == GreensKernel::exact;
    const double k = forms_.k_rad_per_m,
                 length = std::max(source.length_m, field.length_m),
                 radius = exact ? std::max(source.radius_m, field.radius_m) : 0,
                 distance = norm(centre_of(source) - centre_of(field));
    return {far_order(distance, length, radius, k),
            exact && wants_series(distance, length, radius, k)};
  }

  /// The near pairs of source s that do not rest, with their derivatives.
  NearPairs near_pairs(int s) const {
    std::vector<Vec3> centre, source_centre;
    std::vector<double> reach;
    for (const Element& e : forms_.elements) {
      centre.push_back(centre_of(e));
      source_centre.push_back(centre_of(forms_.medium.source(e, s)));
      reach.push_back(near_reach(e.length_m,
                                 forms_.kernel == GreensKernel::exact ? e.radius_m : 0,
                                 forms_.k_rad_per_m));
    }
    NearPairs near{close_pairs(source_centre, centre, reach,
                               [&](std::uint32_t p, std::uint32_t q) {
                                 return !bodies_.rest(p, s, q) &&
                                        rule_of(
                                            forms_.medium.source(forms_.elements[p], s),
                                            forms_.elements[q])
                                                .order == 0;
                               }),
                   {},
                   {}};
    near.classes = classify_pairs(forms_.elements, forms_.medium, s, near.pairs);
    std::vector<std::optional<NearDerivatives>> derivatives(near.classes.size());
    for_each_parallel(derivatives.size(), [&](std::size_t c) {
      const std::uint32_t p = near.classes.p[c], q = near.classes.q[c];
      derivatives[c].emplace(forms_.medium.source(forms_.elements[p], s),
                             forms_.elements[q], s == 0 && p == q, forms_.k_rad_per_m,
                             forms_.kernel, wanted_);
    });
    for (std::optional<NearDerivatives>& of_class : derivatives)
      near.derivatives.push_back(std::move(*of_class));
    return near;
  }

  /// Adds the pairs of source s of p with all q <= p: each stands for both orders.
  void add_row(std::uint32_t p, int s, Gradients& sum) const {
    const Element source = forms_.medium.source(forms_.elements[p], s);
    const double factor = forms_.medium.factor(s);
    std::vector<ElementGradient> of_source(forms_.i.size());
    add_near(p, s, source, factor, of_source, sum);
    std::map<std::pair<int, bool>, std::vector<std::uint32_t>> far;
    for (std::uint32_t q = 0; q <= p; ++q) {
      if (bodies_.rest(p, s, q)) continue;
      const Rule rule = rule_of(source, forms_.elements[q]);
      if (rule.order == 0) continue;
      if (q < p)
        far[{rule.order, rule.series}].push_back(q);
      else  // an element and its image: both orders are one
        far_.add({rule.order, rule.series}, {source, p, 0.5 * factor}, {&q, 1}, of_source,
                 sum);
    }
    for (const auto& [rule, some] : far)
      far_.add({rule.first, rule.second}, {source, p, factor}, some, of_source, sum);
    for (std::size_t f = 0; f < of_source.size(); ++f)
      sum[f][p].add(1, s == 0 ? of_source[f] : of_source[f].mirrored());
  }

  void add_near(std::uint32_t p, int s, const Element& source, double factor,
                std::vector<ElementGradient>& of_source, Gradients& sum) const {
    const NearPairs& near = near_[s];
    for (std::uint64_t i = near.pairs.row[p]; i < near.pairs.row[p + 1]; ++i) {
      const std::uint32_t q = near.pairs.second[i];
      const double share = p == q ? 0.5 * factor : factor;
      const NearDerivatives::Pair pair(near.derivatives[near.classes.of_pair[i]], source,
                                       forms_.elements[q],
                                       PairSymmetry::of(near.classes.symmetry[i]));
      for (std::size_t f = 0; f < forms_.i.size(); ++f) {
        const PairGradient g =
            pair.gradient({forms_.i[f][p], forms_.j[p]}, {forms_.i[f][q], forms_.j[q]});
        of_source[f].add(share, g.first);
        sum[f][q].add(share, g.second);
      }
    }
  }

  const ImpedanceForms& forms_;
  Bodies bodies_;
  WantedDerivatives wanted_;
  FarGradient far_;
  std::vector<NearPairs> near_;  // of each source
};

}  // namespace

std::vector<std::vector<Complex>> form_gradients(const ImpedanceForms& forms,
                                                 Motions motions) {
  const Gradients gradients = GradientSum(forms, motions).all();
  std::vector<std::vector<Complex>> along;
  for (const std::vector<ElementGradient>& of_form : gradients) {
    std::vector<Complex>& of_parameters = along.emplace_back(motions.size());
    for (std::size_t v = 0; v < motions.size(); ++v)
      for (std::size_t e = 0; e < of_form.size(); ++e)
        of_parameters[v] += of_form[e].along(motions[v][e]);
  }
  return along;
}

}  // namespace thinwire
