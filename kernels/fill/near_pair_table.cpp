#include "kernels/fill/near_pair_table.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include <omp.h>

#include "kernels/base/parallel.h"
#include "kernels/element/coaxial_lanes.h"
#include "kernels/element/quadrature_order.h"

namespace thinwire {
namespace {

void add(double factor, const ElementMatrix& m, ElementMatrix& sum) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) sum.z[i][j] += factor * m.z[i][j];
}

}  // namespace

NearPairTable::NearPairTable(std::span<const Element> elements, WavenumberRange range,
                             GreensKernel kernel, Medium medium, std::size_t max_bytes,
                             const Monitor& monitor, double limit_radii, double nats)
    : elements_(elements),
      limit_(range.last, limit_radii, nats),
      kernel_(kernel),
      medium_(medium) {
  for (int s = 0; s < medium.sources(); ++s) pairs_.push_back(find(s, monitor));
  WavenumberNodes nodes(range, reach_m_);
  if (nodes.empty() || classes() * nodes.size() * sizeof(ElementMatrix) > max_bytes)
    return;
  nodes_ = std::move(nodes);
  for (int s = 0; s < medium.sources(); ++s) integrate(s, of_source(s, monitor));
}

std::size_t NearPairTable::bytes_of(std::span<const Element> elements,
                                    WavenumberRange range, GreensKernel kernel,
                                    Medium medium, std::size_t max_bytes) {
  const NearPairTable found(elements, range, kernel, medium, 0);
  const std::size_t a_node = found.classes() * sizeof(ElementMatrix),
                    nodes = WavenumberNodes(range, found.reach_m_).size();
  return found.bytes() + (a_node * nodes > max_bytes ? 0 : a_node * nodes);
}

Monitor NearPairTable::of_source(int s, const Monitor& monitor) const {
  const double sources = medium_.sources();
  return monitor.part(s / sources, (s + 1) / sources);
}

NearPairTable::Pairs NearPairTable::find(int s, const Monitor& monitor) {
  const auto radius_of = [this](const Element& e) {
    return kernel_ == GreensKernel::exact ? e.radius_m : 0;
  };
  std::vector<Vec3> centre, source_centre;
  std::vector<double> reach;
  for (const Element& e : elements_) {
    centre.push_back(centre_of(e));
    source_centre.push_back(centre_of(medium_.source(e, s)));
    reach.push_back(near_reach(e.length_m, radius_of(e), limit_));
  }
  Pairs pairs{{close_pairs(source_centre, centre, reach,
                           [&](std::uint32_t p, std::uint32_t q) {
                             if (monitor.stopped()) return false;
                             const Element &one = elements_[p], &other = elements_[q];
                             return far_order(norm(source_centre[p] - centre[q]),
                                              std::max(one.length_m, other.length_m),
                                              std::max(radius_of(one), radius_of(other)),
                                              limit_) == 0;
                           })},
              {},
              {},
              {}};
  monitor.check();
  pairs.classes = classify_pairs(elements_, medium_, s, pairs);
  for (std::uint32_t p = 0; p < elements_.size(); ++p)
    for (const std::uint32_t q : pairs.of(p))
      reach_m_ = std::max(reach_m_,
                          near_pair_reach(norm(source_centre[p] - centre[q]),
                                          elements_[p].length_m, elements_[q].length_m));
  return pairs;
}

double NearPairTable::smoothing(std::uint32_t p, std::uint32_t q, double k) const {
  return near_pair_smoothing(elements_[p].length_m, elements_[q].length_m, k);
}

/// Calls body(p, q, turns, number) for the first pair of every class, in parallel. Throws
/// what the monitor does.
template <class Body>
void NearPairTable::for_classes(const Pairs& pairs, const Monitor& monitor,
                                const Body& body) const {
  constexpr std::size_t at_once = 8, between_reports = 16;
  const std::size_t count = pairs.classes.size();
  std::atomic<bool> go_on{true};
  for_each_parallel(
      count,
      [&](std::size_t i) {
        if (!go_on.load(std::memory_order_relaxed)) return;
        body(pairs.classes.p[i], pairs.classes.q[i],
             PairSymmetry::of(pairs.classes.first_turns[i]), i);
        if (i % between_reports != 0) return;
        if (monitor.stopped()) go_on = false;
        // Classes are begun in their order. What the monitor throws ends all threads.
        if (omp_get_thread_num() == 0) try {
            monitor.report("fill", static_cast<double>(i) / static_cast<double>(count));
          } catch (...) {
            go_on = false;
            throw;
          }
      },
      at_once);
  monitor.check();
}

void NearPairTable::integrate(int s, const Monitor& monitor) {
  Pairs& pairs = pairs_[s];
  const std::size_t nodes = nodes_.size();
  const std::span<const double> node_k = nodes_.k_rad_per_m();
  pairs.nodes.resize(pairs.classes.size() * nodes);
  for_classes(
      pairs, monitor,
      [&](std::uint32_t p, std::uint32_t q, PairSymmetry symmetry, std::size_t i) {
        const Element first = medium_.source(elements_[p], s);
        for (std::size_t n = 0; n < nodes; ++n)
          add(smoothing(p, q, node_k[n]),
              near_pair_by_lanes(first, elements_[q], symmetry, node_k[n], kernel_,
                                 limit_.nats),
              pairs.nodes[i * nodes + n]);
      });
}

void NearPairTable::set_wavenumber(double k, const Monitor& monitor) {
  if (nodes_.empty()) {
    for (int s = 0; s < medium_.sources(); ++s) evaluate(s, k, of_source(s, monitor));
    return;
  }
  const std::vector<double> weight = nodes_.weights(k);
  for (Pairs& pairs : pairs_) interpolate(pairs, weight, k);
}

void NearPairTable::evaluate(int s, double k, const Monitor& monitor) {
  Pairs& pairs = pairs_[s];
  pairs.current.resize(pairs.classes.size());
  for_classes(
      pairs, monitor,
      [&](std::uint32_t p, std::uint32_t q, PairSymmetry symmetry, std::size_t i) {
        pairs.current[i] =
            near_pair_by_lanes(medium_.source(elements_[p], s), elements_[q], symmetry, k,
                               kernel_, limit_.nats);
      });
}

void NearPairTable::interpolate(Pairs& pairs, std::span<const double> weight,
                                double k) const {
  const std::size_t nodes = weight.size();
  pairs.current.resize(pairs.classes.size());
  for_classes(pairs, {},
              [&](std::uint32_t p, std::uint32_t q, PairSymmetry, std::size_t i) {
                ElementMatrix m;
                for (std::size_t n = 0; n < nodes; ++n)
                  add(weight[n], pairs.nodes[i * nodes + n], m);
                pairs.current[i] = ElementMatrix{};
                add(1 / smoothing(p, q, k), m, pairs.current[i]);
              });
}

ElementMatrix NearPairTable::at(std::uint32_t p, std::uint32_t q, int s) const {
  if (q > p) return transposed(at(q, p, s));
  const Pairs& pairs = pairs_[s];
  const auto first = pairs.second.begin() + static_cast<std::ptrdiff_t>(pairs.row[p]);
  const auto last = pairs.second.begin() + static_cast<std::ptrdiff_t>(pairs.row[p + 1]);
  const auto found = std::lower_bound(first, last, q);
  const std::ptrdiff_t pair = found - pairs.second.begin();
  return PairSymmetry::of(pairs.classes.symmetry[pair])
      .undo(pairs.current[pairs.classes.of_pair[pair]]);
}

std::size_t NearPairTable::pairs() const {
  std::size_t count = 0;
  for (const Pairs& pairs : pairs_) count += pairs.second.size();
  return count;
}

std::size_t NearPairTable::classes() const {
  std::size_t count = 0;
  for (const Pairs& pairs : pairs_) count += pairs.classes.size();
  return count;
}

std::size_t NearPairTable::bytes() const {
  return classes() * ((nodes_.size() + 1) * sizeof(ElementMatrix) +
                      2 * sizeof(std::uint32_t) + sizeof(std::uint8_t)) +
         pairs() * (2 * sizeof(std::uint32_t) + sizeof(std::uint8_t));
}

}  // namespace thinwire
