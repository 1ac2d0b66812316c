#include "kernels/ground/transmission_tree.h"

#include <algorithm>
#include <utility>

#include "kernels/ground/ground_order.h"

namespace thinwire {
namespace {

/// Truncation of a box, of its polynomial and of intermediate steps, as sums of moduli,
/// relative to the error.
constexpr double of_box = 1, of_leaf = 2, of_dropped = 0.02;
constexpr int max_cuts = 24;
/// Limit of the terms of a leaf: with fewer its table outgrows the caches, with more a
/// look-up adds up more (56, 84 and 120 measured).
constexpr int max_terms = 84;
/// Boxes of fewer places are not worth halving for that.
constexpr double few_places = 3000;
/// Radians of a wave over a box, at most, before it is looked at.
constexpr double max_phase = 10;
/// Nothing arrives deeper, in nats of the wave in the ground.
constexpr double silent_nats = 25;

/// Time of a fit, of which some are in vain, in that of an integral for one place: for
/// the path, the waves at each pair of z and depth, the sums at each node.
double fit_time(const std::array<int, 3>& nodes, int levels) {
  const double pairs = nodes[1] * nodes[2] * levels;
  return 80 + 0.5 * pairs + 0.25 * nodes[0] * pairs;
}

}  // namespace

TransmissionTree::TransmissionTree(Complex eps, std::span<const TransmissionUse> in_use,
                                   double error, const TransmissionFunctions& functions)
    : k2_(std::sqrt(eps)),
      steep_(std::sqrt(eps - 1.0)),
      error_(error),
      functions_(functions),
      numbers_(functions.numbers()) {
  std::vector<Part> used;
  for (const auto& [r, count] : in_use)
    used.push_back(
        {{{{r.rho_0, r.rho_1}, {r.z_0, r.z_1}, {r.depth_0, r.depth_1}}}, count});
  boxes_.emplace_back();
  make(0, used, 0);
}

void TransmissionTree::make(std::size_t number, const std::vector<Part>& used, int cuts) {
  if (used.empty()) return make_empty(number);
  Part box = used.front();
  box.count = 0;
  for (const Part& part : used) {
    for (int v = 0; v < 3; ++v)
      box.sides[v] = {std::min(box.sides[v][0], part.sides[v][0]),
                      std::max(box.sides[v][1], part.sides[v][1])};
    box.count += part.count;
  }
  if (const int variable = first_cut(box); variable >= 0)
    return halve(number, box, used, variable, cuts);
  std::array<int, 3> nodes = nodes_for(box);
  for (;;) {
    if (box.count < fit_time(nodes, functions_.levels())) {
      boxes_[number].cut = TransmissionBox::unfitted;
      return;
    }
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

/// Where waves turn too often for one box that is told without looking: which of rho, z,
/// depth to halve, or -1. The wave in the ground goes along the surface until it dies,
/// and dies away upward; all that goes down does so as e^{-j k2 depth}.
int TransmissionTree::first_cut(const Part& box) const {
  constexpr double dead_nats = GroundWaves::dead_nats;
  const auto& [rho, z, depth] = box.sides;
  const bool alive = -k2_.imag() * std::hypot(rho[0], depth[0]) < dead_nats &&
                     steep_.real() * z[0] < dead_nats;
  const bool silent = -k2_.imag() * depth[0] > silent_nats;
  const double fast = std::abs(k2_);
  const double phase[3] = {alive ? fast * box.width(0) : 0,
                           alive ? std::abs(steep_) * box.width(1) : 0,
                           silent ? 0 : fast * box.width(2)};
  const int worst = static_cast<int>(std::max_element(phase, phase + 3) - phase);
  return phase[worst] > max_phase ? worst : -1;
}

/// Estimates the nodes that suffice, from the distance from R = 0 and the waves.
std::array<int, 3> TransmissionTree::nodes_for(const Part& box) const {
  const auto& [rho, z, depth] = box.sides;
  const double nearest = std::hypot(rho[0], z[0] + depth[0]);
  const double rate = 1 / nearest + std::abs(k2_);
  // Near by little is left to represent.
  const double farthest = std::hypot(rho[1], z[1] + depth[1]);
  const int most = std::abs(k2_) * farthest < 3e-3 ? 6 : ChebyshevBox::max_nodes;
  std::array<int, 3> nodes;
  for (int v = 0; v < 3; ++v) {
    const double x = rate * box.width(v);
    nodes[v] = x < 1e-8 ? 1 : x < 0.02 ? 3 : x < 0.2 ? 6 : most;
  }
  return nodes;
}

ChebyshevBox TransmissionTree::fit(const Part& box,
                                   const std::array<int, 3>& nodes) const {
  std::vector<double> at[3];
  for (int v = 0; v < 3; ++v)
    for (const double node : chebyshev_nodes(nodes[v]))
      at[v].push_back(box.sides[v][0] + 0.5 * (1 + node) * box.width(v));
  std::vector<double> z, depth;
  for (const double up : at[1])
    for (const double down : at[2]) {
      z.push_back(up);
      depth.push_back(down);
    }
  const auto& [rho_side, z_side, depth_side] = box.sides;
  return {nodes, static_cast<int>(numbers_),
          functions_.at({rho_side[0], rho_side[1], z_side[0], z_side[1], depth_side[0],
                         depth_side[1]},
                        at[0], z, depth)};
}

/// Returns the parts that lie in one half of a box.
std::vector<TransmissionTree::Part> TransmissionTree::on_one_side(
    const std::vector<Part>& used, int variable, double middle, bool upper) {
  std::vector<Part> some;
  for (Part part : used) {
    const double whole = part.width(variable);
    auto& [from, to] = part.sides[variable];
    if (upper ? to < middle : from >= middle) continue;
    (upper ? from : to) = upper ? std::max(from, middle) : std::min(to, middle);
    if (whole > 0) part.count *= part.width(variable) / whole;
    some.push_back(part);
  }
  return some;
}

/// Puts two boxes behind and calls next(number, whether upper).
template <class Next>
void TransmissionTree::cut(std::size_t number, int variable, double middle,
                           const Next& next) {
  const std::size_t lower = boxes_.size();
  TransmissionBox& box = boxes_[number];
  box.middle[variable] = middle;
  box.next = static_cast<std::uint32_t>(lower);
  box.cut = static_cast<std::int8_t>(variable);
  boxes_.resize(lower + 2);
  next(lower, false);
  next(lower + 1, true);
}

void TransmissionTree::halve(std::size_t number, const Part& box,
                             const std::vector<Part>& used, int variable, int cuts) {
  const double middle = 0.5 * (box.sides[variable][0] + box.sides[variable][1]);
  cut(number, variable, middle, [&](std::size_t part, bool upper) {
    make(part, on_one_side(used, variable, middle, upper), cuts + 1);
  });
}

/// Makes a leaf of a fitted box, or halves what was fitted until it is short enough.
void TransmissionTree::settle(std::size_t number, const Part& box,
                              const std::vector<Part>& used, const ChebyshevBox& fitted) {
  if (used.empty()) return make_empty(number);
  const ChebyshevBox::Powers powers = fitted.powers_within(of_leaf * error_);
  if (powers.terms() <= max_terms || box.count < few_places)
    return make_leaf(number, box, fitted, powers);
  const int variable = static_cast<int>(
      std::max_element(powers.most.begin(), powers.most.end()) - powers.most.begin());
  const double middle = 0.5 * (box.sides[variable][0] + box.sides[variable][1]);
  cut(number, variable, middle, [&](std::size_t part, bool upper) {
    Part half = box;
    half.sides[variable][upper ? 0 : 1] = middle;
    half.count *= 0.5;
    settle(part, half, on_one_side(used, variable, middle, upper),
           fitted.half(variable, upper).shortened(of_dropped * error_));
  });
}

void TransmissionTree::make_leaf(std::size_t number, const Part& box,
                                 const ChebyshevBox& fitted,
                                 const ChebyshevBox::Powers& powers) {
  TransmissionBox& leaf = boxes_[number];
  for (int v = 0; v < 3; ++v) {
    leaf.middle[v] = 0.5 * (box.sides[v][0] + box.sides[v][1]);
    leaf.scale[v] = powers.most[v] > 0 ? 2 / box.width(v) : 0;
    leaf.most[v] = static_cast<std::uint8_t>(powers.most[v]);
  }
  leaf.next = static_cast<std::uint32_t>(coefficients_.size() / numbers_);
  leaf.cut = TransmissionBox::leaf;
  leaf.degree = static_cast<std::uint8_t>(powers.degree);
  fitted.append(powers, coefficients_);
}

/// A box that nothing lies in: zero.
void TransmissionTree::make_empty(std::size_t number) {
  boxes_[number] = {{},
                    {},
                    static_cast<std::uint32_t>(coefficients_.size() / numbers_),
                    TransmissionBox::leaf,
                    0,
                    {}};
  coefficients_.resize(coefficients_.size() + numbers_, 0.0);
}

}  // namespace thinwire
