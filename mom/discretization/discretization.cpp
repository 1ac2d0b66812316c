#include "mom/discretization/discretization.h"

#include <cmath>
#include <map>

#include "kernels/base/constants.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

/// Where the centre of a segment lies in its elements: the element and the distance from
/// its start.
struct CentrePoint {
  std::size_t element;
  double distance_m;
};

CentrePoint find_centre(const WireMesh& mesh, std::span<const Element> elements,
                        std::size_t segment) {
  const std::size_t first = mesh.first_element(segment),
                    last = mesh.first_element(segment + 1);
  double total = 0;
  for (std::size_t e = first; e < last; ++e) total += elements[e].length_m;
  double left = 0.5 * total;
  std::size_t e = first;
  while (e + 1 < last && left > elements[e].length_m) left -= elements[e++].length_m;
  return {e, left};
}

}  // namespace

Discretization::Discretization(const Structure& structure, const MeshOptions& options,
                               std::shared_ptr<const Lattice> lattice,
                               const Monitor& monitor)
    : structure_(structure),
      lattice_(std::move(lattice)),
      mesh_(structure, options, monitor.part(0, 0.8)),
      basis_(mesh_) {
  monitor.tell("mesh", 0.9);
  elements_.resize(mesh_.elements().size());
  for_each_cheap(elements_.size(), [&](std::size_t i) {
    const MeshElement& e = mesh_.elements()[i];
    const Vec3 along = e.end_m - e.start_m;
    const double length = norm(along);
    elements_[i] = {e.start_m, (1.0 / length) * along, length, e.radius_m};
  });
}

std::vector<BasisWeight> Discretization::mean_current(std::size_t segment,
                                                      double k) const {
  const std::size_t first = mesh_.first_element(segment),
                    last = mesh_.first_element(segment + 1);
  double total = 0;
  for (std::size_t e = first; e < last; ++e) total += elements_[e].length_m;
  std::map<std::size_t, double> weight_of;
  for (std::size_t e = first; e < last; ++e)
    for (int end = 0; end < 2; ++end)
      for (const BasisWeight& w : basis_.at(e, end))
        // The integral of sin ks / sin kL over the element is tan(kL/2) / k.
        weight_of[w.function] +=
            w.weight * std::tan(0.5 * k * elements_[e].length_m) / (k * total);
  std::vector<BasisWeight> weights;
  for (const auto& [function, weight] : weight_of) weights.push_back({function, weight});
  return weights;
}

std::vector<BasisWeight> Discretization::start_current(std::size_t segment) const {
  const auto at = basis_.at(mesh_.first_element(segment), 0);
  return {at.begin(), at.end()};
}

std::vector<Complex> Discretization::centre_currents(
    std::span<const Complex> coefficients, double k) const {
  std::vector<Complex> current(structure_.segments().size());
  for_each_cheap(current.size(), [&](std::size_t s) {
    const auto [e, x] = find_centre(mesh_, elements_, s);
    const double length = elements_[e].length_m, scale = 1 / std::sin(k * length);
    current[s] =
        scale * (std::sin(k * (length - x)) * basis_.end_current(coefficients, e, 0) +
                 std::sin(k * x) * basis_.end_current(coefficients, e, 1));
  });
  return current;
}

std::vector<Complex> Discretization::centre_charges(std::span<const Complex> coefficients,
                                                    double k) const {
  // Continuity: q = -I' / (j w), and k / w = 1 / c.
  const Complex factor = Complex(0, 1) / speed_of_light_m_per_s;
  std::vector<Complex> charge(structure_.segments().size());
  for_each_cheap(charge.size(), [&](std::size_t s) {
    const auto [e, x] = find_centre(mesh_, elements_, s);
    const double length = elements_[e].length_m, scale = 1 / std::sin(k * length);
    charge[s] = factor * scale *
                (std::cos(k * x) * basis_.end_current(coefficients, e, 1) -
                 std::cos(k * (length - x)) * basis_.end_current(coefficients, e, 0));
  });
  return charge;
}

}  // namespace thinwire
