#include "kernels/ground/transmission_table.h"

#include <algorithm>
#include <utility>

#include "kernels/ground/ground_order.h"
#include "kernels/ground/octaves.h"
#include "kernels/ground/transmission_box.h"

namespace thinwire {
namespace {

using Box = TransmissionTableView::Box;
/// Truncation of a box, of its polynomial and of intermediate steps, as sums of moduli,
/// relative to the error.
constexpr double of_box = 1, of_leaf = 2, of_dropped = 0.02;
constexpr int max_cuts = 24;
/// Limit of the terms of a leaf: with fewer its table outgrows the caches, with more a
/// look-up adds up more (56, 84 and 120 measured).
constexpr int max_terms = 84;
/// Radians of a wave over a box, at most, before it is looked at.
constexpr double max_phase = 10;
/// Nothing arrives deeper, in nats of the wave in the ground.
constexpr double silent_nats = 25;

/// From and to of rho, z, depth.
using Sides = std::array<std::array<double, 2>, 3>;

Sides sides_of(const TransmissionRange& r) {
  return {{{r.rho_0, r.rho_1}, {r.z_0, r.z_1}, {r.depth_0, r.depth_1}}};
}

/// One octave's box with what became of it.
class TransmissionTree {
 public:
  TransmissionTree(Complex eps, std::span<const TransmissionRange> in_use, double error)
      : eps_(eps), k2_(std::sqrt(eps)), steep_(std::sqrt(eps - 1.0)), error_(error) {
    std::vector<Sides> used;
    for (const TransmissionRange& range : in_use) used.push_back(sides_of(range));
    boxes_.emplace_back();
    make(0, used, 0);
  }
  const std::vector<Box>& boxes() const { return boxes_; }
  const std::vector<double>& coefficients() const { return coefficients_; }

 private:
  static double width(const std::array<double, 2>& side) { return side[1] - side[0]; }

  void make(std::size_t number, std::vector<Sides>& used, int cuts) {
    if (used.empty()) return make_empty(number);
    Sides box = used.front();
    for (const Sides& s : used)
      for (int v = 0; v < 3; ++v)
        box[v] = {std::min(box[v][0], s[v][0]), std::max(box[v][1], s[v][1])};
    if (const int variable = first_cut(box); variable >= 0)
      return halve(number, box, used, variable, cuts);
    std::array<int, 3> nodes = nodes_for(box);
    for (;;) {
      const ChebyshevBox fitted = fit(box, nodes);
      const std::array<double, 3> tail = fitted.tails();
      if (tail[0] + tail[1] + tail[2] <= of_box * error_ || cuts == max_cuts)
        return settle(number, box, used, fitted.shortened(of_dropped * error_));
      const int worst =
          static_cast<int>(std::max_element(tail.begin(), tail.end()) - tail.begin());
      if (nodes[worst] == ChebyshevBox::max_nodes)
        return halve(number, box, used, worst, cuts);
      nodes[worst] = std::min(2 * nodes[worst], ChebyshevBox::max_nodes);
    }
  }

  /// Where waves turn too often for one box that is told without looking: which of rho,
  /// z, depth to halve, or -1. The wave in the ground goes along the surface until it
  /// dies, and dies away upward; all that goes down does so as e^{-j k2 depth}.
  int first_cut(const Sides& box) const {
    constexpr double dead_nats = GroundWaves::dead_nats;
    const bool alive = -k2_.imag() * std::hypot(box[0][0], box[2][0]) < dead_nats &&
                       steep_.real() * box[1][0] < dead_nats;
    const bool silent = -k2_.imag() * box[2][0] > silent_nats;
    const double fast = std::abs(k2_);
    const double phase[3] = {alive ? fast * width(box[0]) : 0,
                             alive ? std::abs(steep_) * width(box[1]) : 0,
                             silent ? 0 : fast * width(box[2])};
    const int worst = static_cast<int>(std::max_element(phase, phase + 3) - phase);
    return phase[worst] > max_phase ? worst : -1;
  }

  /// Estimates the nodes that suffice, from the distance from R = 0 and the waves.
  std::array<int, 3> nodes_for(const Sides& box) const {
    const double nearest = std::hypot(box[0][0], box[1][0] + box[2][0]);
    const double rate = 1 / nearest + std::abs(k2_);
    // Near by little is left to represent.
    const double farthest = std::hypot(box[0][1], box[1][1] + box[2][1]);
    const int most = std::abs(k2_) * farthest < 3e-3 ? 6 : ChebyshevBox::max_nodes;
    std::array<int, 3> nodes;
    for (int v = 0; v < 3; ++v) {
      const double x = rate * width(box[v]);
      nodes[v] = x < 1e-8 ? 1 : x < 0.02 ? 3 : x < 0.2 ? 6 : most;
    }
    return nodes;
  }

  ChebyshevBox fit(const Sides& box, const std::array<int, 3>& nodes) const {
    std::vector<double> at[3];
    for (int v = 0; v < 3; ++v)
      for (const double node : chebyshev_nodes(nodes[v]))
        at[v].push_back(box[v][0] + 0.5 * (1 + node) * width(box[v]));
    std::vector<double> z, depth;
    for (const double up : at[1])
      for (const double down : at[2]) {
        z.push_back(up);
        depth.push_back(down);
      }
    std::vector<ReflectedKernels> kernels(at[0].size() * z.size());
    transmission_kernels_grid(
        eps_, {box[0][0], box[0][1], box[1][0], box[1][1], box[2][0], box[2][1]}, at[0],
        z, depth, kernels);
    std::vector<EightNumbers> over_g;
    over_g.reserve(kernels.size());
    // Charges are held against their own static part, so that all count alike.
    const Complex of_charges = 0.5 * (eps_ + 1.0), c0 = image_strength(eps_);
    for (std::size_t i = 0; i < at[0].size(); ++i)
      for (std::size_t j = 0; j < z.size(); ++j) {
        const ReflectedKernels& k = kernels[i * z.size() + j];
        const double distance = std::hypot(at[0][i], z[j] + depth[j]);
        const Complex g = distance * std::polar(1.0, distance);
        const Complex h = g * Complex(k.h) - 1.0,
                      phi = g * of_charges * Complex(k.phi) - 1.0,
                      q = g * Complex(k.q) + c0 * at[0][i] / (distance + z[j] + depth[j]);
        over_g.push_back(
            EightNumbers{h.real(), h.imag(), phi.real(), phi.imag(), q.real(), q.imag()});
      }
    return {nodes, std::move(over_g)};
  }

  /// Returns the boxes that lie in one half of a box.
  static std::vector<Sides> on_one_side(const std::vector<Sides>& used, int variable,
                                        double middle, bool upper) {
    std::vector<Sides> some;
    for (Sides s : used) {
      auto& [from, to] = s[variable];
      if (upper ? to < middle : from >= middle) continue;
      (upper ? from : to) = upper ? std::max(from, middle) : std::min(to, middle);
      some.push_back(s);
    }
    return some;
  }

  /// Puts two boxes behind and calls next(number, whether upper).
  template <class Next>
  void cut(std::size_t number, int variable, double middle, const Next& next) {
    const std::size_t lower = boxes_.size();
    Box& box = boxes_[number];
    box.middle[variable] = middle;
    box.next = static_cast<std::uint32_t>(lower);
    box.cut = static_cast<std::int8_t>(variable);
    boxes_.resize(lower + 2);
    next(lower, false);
    next(lower + 1, true);
  }

  void halve(std::size_t number, const Sides& box, const std::vector<Sides>& used,
             int variable, int cuts) {
    const double middle = 0.5 * (box[variable][0] + box[variable][1]);
    cut(number, variable, middle, [&](std::size_t part, bool upper) {
      std::vector<Sides> some = on_one_side(used, variable, middle, upper);
      make(part, some, cuts + 1);
    });
  }

  /// Makes a leaf of a fitted box, or halves what was fitted until it is short enough.
  void settle(std::size_t number, const Sides& box, const std::vector<Sides>& used,
              const ChebyshevBox& fitted) {
    if (used.empty()) return make_empty(number);
    const ChebyshevBox::Powers powers = fitted.powers_within(of_leaf * error_);
    if (powers.terms() <= max_terms) return make_leaf(number, box, fitted, powers);
    const int variable = static_cast<int>(
        std::max_element(powers.most.begin(), powers.most.end()) - powers.most.begin());
    const double middle = 0.5 * (box[variable][0] + box[variable][1]);
    cut(number, variable, middle, [&](std::size_t part, bool upper) {
      Sides half = box;
      half[variable][upper ? 0 : 1] = middle;
      settle(part, half, on_one_side(used, variable, middle, upper),
             fitted.half(variable, upper).shortened(of_dropped * error_));
    });
  }

  void make_leaf(std::size_t number, const Sides& box, const ChebyshevBox& fitted,
                 const ChebyshevBox::Powers& powers) {
    Box& leaf = boxes_[number];
    for (int v = 0; v < 3; ++v) {
      leaf.middle[v] = 0.5 * (box[v][0] + box[v][1]);
      leaf.scale[v] = powers.most[v] > 0 ? 2 / width(box[v]) : 0;
      leaf.most[v] = static_cast<std::uint8_t>(powers.most[v]);
    }
    leaf.next = static_cast<std::uint32_t>(coefficients_.size() / 8);
    leaf.cut = -1;
    leaf.degree = static_cast<std::uint8_t>(powers.degree);
    const std::size_t first = coefficients_.size();
    fitted.append(powers, coefficients_);
    const Complex charges = 2.0 / (eps_ + 1.0);
    for (std::size_t n = first; n < coefficients_.size(); n += 8) {
      double* phi = coefficients_.data() + n + 2;
      const Complex own = charges * Complex(phi[0], phi[1]);
      phi[0] = own.real();
      phi[1] = own.imag();
    }
  }

  /// A box that nothing lies in: zero.
  void make_empty(std::size_t number) {
    boxes_[number] = {{}, {}, static_cast<std::uint32_t>(coefficients_.size() / 8),
                      -1, 0,  {}};
    coefficients_.resize(coefficients_.size() + 8, 0.0);
  }

  Complex eps_, k2_, steep_;
  double error_;
  std::vector<Box> boxes_;
  std::vector<double> coefficients_;
};

}  // namespace

TransmissionTable::TransmissionTable(Complex eps, const TransmissionPlaces& places,
                                     double error)
    : eps_(eps), first_octave_(places.first_octave()), octaves_(places.octaves()) {
  const std::int32_t roots = TransmissionTableView::octave_boxes * octaves_;
  std::vector<std::vector<TransmissionTree>> trees(roots);
  // The largest octaves first: they are cut most.
#pragma omp parallel for schedule(dynamic)
  for (std::int32_t t = 0; t < roots; ++t) {
    const std::int32_t root = roots - 1 - t;
    trees[root].emplace_back(eps, places.in_use(root), error);
  }
  join_trees(trees, 8, boxes_, coefficients_);
}

}  // namespace thinwire
