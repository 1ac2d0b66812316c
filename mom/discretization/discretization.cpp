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

Element straight(const Vec3& start_m, const Vec3& end_m, double radius_m) {
  const Vec3 along = end_m - start_m;
  const double length_m = norm(along);
  return {start_m, (1 / length_m) * along, length_m, radius_m};
}

}  // namespace

std::vector<Element> segments_of(const Structure& structure) {
  std::vector<Element> segments(structure.segments().size());
  for_each_cheap(segments.size(), [&](std::size_t i) {
    const Segment& s = structure.segments()[i];
    segments[i] = straight(s.start_m, s.end_m, s.radius_m);
  });
  return segments;
}

Discretization::Discretization(const Structure& structure, const MeshOptions& options,
                               std::shared_ptr<const Lattice> lattice,
                               const Monitor& monitor)
    : structure_(structure),
      lattice_(std::move(lattice)),
      mesh_(structure, options, monitor.part(0, 0.8)),
      basis_(mesh_) {
  monitor.report("mesh", 0.9);
  elements_.resize(mesh_.elements().size());
  for_each_cheap(elements_.size(), [&](std::size_t i) {
    const MeshElement& e = mesh_.elements()[i];
    elements_[i] = straight(e.start_m, e.end_m, e.radius_m);
  });
}

void Discretization::add_proximity(Medium medium, std::vector<WireMaterial> materials) {
  if (find_proximity(medium, materials)) return;
  auto proximity = std::make_unique<Proximity>(elements_, basis_, medium, materials);
  proximity_.push_back({medium, std::move(materials), std::move(proximity)});
}

void Discretization::prepare_proximity(const Monitor& monitor) const {
  const auto count = static_cast<double>(proximity_.size());
  double done = 0;
  for (const ProximityIn& one : proximity_) {
    one.proximity->prepare(monitor.part(done / count, (done + 1) / count));
    ++done;
  }
}

double Discretization::proximity_multiplications() const {
  double sum = 0;
  for (const ProximityIn& one : proximity_) sum += one.proximity->multiplications();
  return sum;
}

const Discretization::ProximityIn* Discretization::find_proximity(
    Medium medium, const std::vector<WireMaterial>& materials) const {
  for (const ProximityIn& one : proximity_)
    if (one.medium == medium && one.materials == materials) return &one;
  return nullptr;
}

const Proximity* Discretization::proximity(
    Medium medium, const std::vector<WireMaterial>& materials) const {
  const ProximityIn* const found = find_proximity(medium, materials);
  return found && !found->proximity->empty() ? found->proximity.get() : nullptr;
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

std::vector<BasisWeight> Discretization::gap_current(std::size_t segment, Gap gap,
                                                     double k) const {
  if (const Duplicate* duplicate = mesh_.duplicate(segment)) {
    if (duplicate->reversed && gap != Gap::segment)
      gap = gap == Gap::start ? Gap::end : Gap::start;
    std::vector<BasisWeight> weights = gap_current(duplicate->original, gap, k);
    if (duplicate->reversed)
      for (BasisWeight& w : weights) w.weight = -w.weight;
    return weights;
  }
  if (gap == Gap::segment) return mean_current(segment, k);
  const auto at = gap == Gap::start ? basis_.at(mesh_.first_element(segment), 0)
                                    : basis_.at(mesh_.first_element(segment + 1) - 1, 1);
  return {at.begin(), at.end()};
}

SegmentCentres::SegmentCentres(const Discretization& discretization, double k)
    : basis_(discretization.basis()),
      centres_(discretization.structure().segments().size()) {
  for_each_cheap(centres_.size(), [&](std::size_t s) {
    const Duplicate* const duplicate = discretization.mesh().duplicate(s);
    const auto [e, x] = find_centre(discretization.mesh(), discretization.elements(),
                                    duplicate ? duplicate->original : s);
    const double length = discretization.elements()[e].length_m,
                 sine = std::sin(k * length);
    // Continuity: q = -I' / (j w), and k / w = 1 / c.
    const double charge = 1 / (speed_of_light_m_per_s * sine);
    const double sense = duplicate && duplicate->reversed ? -1 : 1;
    centres_[s] = {
        e,
        {sense * std::sin(k * (length - x)) / sine, sense * std::sin(k * x) / sine},
        {-charge * std::cos(k * (length - x)), charge * std::cos(k * x)}};
  });
}

void SegmentCentres::evaluate(std::span<const Complex> coefficients,
                              std::vector<Complex>& current_a,
                              std::vector<Complex>& charge_c_per_m) const {
  current_a.resize(centres_.size());
  charge_c_per_m.resize(centres_.size());
  for_each_cheap(centres_.size(), [&](std::size_t s) {
    const Centre& c = centres_[s];
    const Complex start = basis_.end_current(coefficients, c.element, 0),
                  end = basis_.end_current(coefficients, c.element, 1);
    current_a[s] = c.current[0] * start + c.current[1] * end;
    const Complex q = c.charge_s_per_m[0] * start + c.charge_s_per_m[1] * end;
    charge_c_per_m[s] = {-q.imag(), q.real()};
  });
}

}  // namespace thinwire
