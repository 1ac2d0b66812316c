#include "mom/loads/sheaths.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/parallel.h"
#include "kernels/element/sheath_kernel.h"
#include "mom/discretization/shape_polynomials.h"

namespace thinwire {
namespace {

/// A sheath acts on elements up to this many of its radii away: 0.1 % of its effect is
/// beyond.
constexpr double reach_radii = 16;
constexpr double min_weight = 1e-3;  ///< of paths through junctions

/// Calls visit(end, gap, weight) for the elements that the wires lead to from an end of
/// one, by the end that they are entered at and its distance along the wires.
template <class Visit>
void for_reached(const WireMesh& mesh, std::span<const Element> elements, ElementEnd from,
                 double gap_m, double weight, double reach_m, const Visit& visit) {
  if (gap_m >= reach_m || std::fabs(weight) < min_weight) return;
  const auto enter = [&](ElementEnd at, double factor) {
    visit(at, gap_m, factor * weight);
    for_reached(mesh, elements,
                {at.element, static_cast<std::uint8_t>(at.end == 0 ? 1 : 0)},
                gap_m + elements[at.element].length_m, factor * weight, reach_m, visit);
  };
  const Node node = mesh.node(mesh.node_of(from.element, from.end));
  // Charges of the image are opposite.
  if (node.grounded) return enter(from, -1);
  for (const ElementEnd& at : node.ends)
    if (at.element != from.element || at.end != from.end)
      enter(at, 1 / (static_cast<double>(node.ends.size()) - 1));
}

}  // namespace

std::vector<MatrixUpdate> spread_sheaths(const Discretization& discretization,
                                         std::span<const Sheath> sheaths, double k) {
  const Basis& basis = discretization.basis();
  const std::span<const Element> elements = discretization.elements();
  std::vector<std::vector<MatrixUpdate>> of_sheath(sheaths.size());
  for_each_parallel(sheaths.size(), [&](std::size_t i) {
    const Sheath& sheath = sheaths[i];
    const Element& p = elements[sheath.element];
    // Half of each potential acts on the wire, half from it: Z is symmetric.
    const auto add = [&](std::size_t other, const PowerForm& form) {
      const ShapePolynomials of_p(p.length_m, k), of_q(elements[other].length_m, k);
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) {
          const Complex value = 0.25 * sheath.elastance_ohm_m *
                                product(of_p.charge[a], form, of_q.charge[b]);
          for (const BasisWeight& m : basis.at(sheath.element, a))
            for (const BasisWeight& n : basis.at(other, b)) {
              const auto row =
                             static_cast<std::uint32_t>(std::max(m.function, n.function)),
                         column =
                             static_cast<std::uint32_t>(std::min(m.function, n.function));
              of_sheath[i].push_back(
                  {row, column,
                   (row == column ? 2.0 : 1.0) * m.weight * n.weight * value});
            }
        }
    };
    const auto kernel = [&](const Element& q) {
      return SheathKernel{p.radius_m, sheath.radius_m, q.radius_m};
    };
    PowerForm own = kernel(p).form(p.length_m, p.length_m, 0);
    const double at_once = 2 * std::log(sheath.radius_m / p.radius_m) * p.length_m;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        if ((a + b) % 2 == 0) own[3 * a + b] -= at_once / static_cast<double>(a + b + 1);
    add(sheath.element, own);
    for (const std::uint8_t end : {0, 1})
      for_reached(
          discretization.mesh(), elements, {sheath.element, end}, 0, 1,
          reach_radii * sheath.radius_m, [&](ElementEnd at, double gap, double weight) {
            const Element& q = elements[at.element];
            PowerForm form = kernel(q).form(p.length_m, q.length_m, p.length_m + gap);
            for (std::size_t a = 0; a < 3; ++a)
              for (std::size_t b = 0; b < 3; ++b)
                form[3 * a + b] *= weight * (end == 0 && a == 1 ? -1 : 1) *
                                   (at.end == 1 && b == 1 ? -1 : 1);
            add(at.element, form);
          });
  });
  std::vector<MatrixUpdate> all;
  for (const auto& updates : of_sheath)
    all.insert(all.end(), updates.begin(), updates.end());
  return all;
}

}  // namespace thinwire
