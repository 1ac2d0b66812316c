#include "kernels/ground/ground_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/ground/box_fitter.h"
#include "kernels/ground/ground_order.h"

namespace thinwire {
namespace {

using Box = GroundTableView::Box;
/// Truncation of a box and of its cells, as sums of moduli, relative to the error.
constexpr double of_box = 1.5, of_cells = 1.2;
constexpr int max_cuts = 24;
/// Radians of the wave in the ground over a box, at most, before it is looked at.
constexpr double max_phase = 12;
/// Narrowest box, of its octave: all wires may lie at one height.
constexpr double narrowest = 1.0 / 64;

/// The boxes of a table, from the octaves' own on, halved until each is represented.
class TableBoxes {
 public:
  TableBoxes(Complex eps, GroundSide side, const ReflectionPlaces& places)
      : eps_(eps), k2_(std::sqrt(eps)), side_(side), places_(places) {
    for (std::int32_t root = 0; root < 3 * places.octaves(); ++root)
      nodes_.push_back({root, places.box(root)});
  }

  /// Box numbers are those of the table; halves stand side by side.
  void make(BoxFitter& fitter, double error) {
    std::uint32_t fits = 0;
    for (std::size_t next = 0; next < nodes_.size();) {
      std::vector<std::size_t> looked_at;
      std::vector<ReflectionRange> ranges;
      for (; next < nodes_.size(); ++next)
        if (!settle(next)) {
          looked_at.push_back(next);
          ranges.push_back(nodes_[next].range);
        }
      const std::vector<LeftOut> left = fitter.fit(ranges);
      for (std::size_t i = 0; i < looked_at.size(); ++i, ++fits) {
        Node& node = nodes_[looked_at[i]];
        if (left[i].both() > of_box * error && node.cuts < max_cuts)
          halve(looked_at[i], left[i].rho > left[i].zeta ? 0 : 1);
        else
          node.fit = fits;
      }
    }
  }

  /// The numbers of the fits of the leaves, in the order of their boxes.
  std::vector<std::uint32_t> leaves() const {
    std::vector<std::uint32_t> fits;
    for (const Node& node : nodes_)
      if (node.fit != no_fit) fits.push_back(node.fit);
    return fits;
  }

  /// With the cells of the leaves one behind the other; boxes where nothing is have the
  /// one past all.
  std::vector<Box> boxes(std::span<const CellCounts> counts) const {
    std::size_t past = 0;
    for (const CellCounts& cells : counts) past += cells.all();
    std::vector<Box> boxes;
    std::uint32_t cell = 0;
    for (auto [node, leaf] = std::pair(nodes_.begin(), counts.begin());
         node != nodes_.end(); ++node) {
      const ReflectionRange& range = node->range;
      if (node->cut >= 0) {
        const ReflectionRange& upper = nodes_[node->halves + 1].part;
        boxes.push_back({upper.rho_0, 0, upper.zeta_0, 0, node->halves, node->cut, 0, 0});
      } else if (node->fit == no_fit) {
        boxes.push_back({0, 0, 0, 0, static_cast<std::uint32_t>(past), -1, 1, 1});
      } else {
        boxes.push_back({range.rho_0, leaf->rho / (range.rho_1 - range.rho_0),
                         range.zeta_0, leaf->zeta / (range.zeta_1 - range.zeta_0), cell,
                         -1, leaf->rho, leaf->zeta});
        cell += static_cast<std::uint32_t>((leaf++)->all());
      }
    }
    return boxes;
  }

 private:
  static constexpr std::uint32_t no_fit = 0xffffffff;
  struct Node {
    std::int32_t root;
    ReflectionRange part;  ///< of the octave's box
    int cuts = 0;
    ReflectionRange range{};  ///< that is in use of it
    std::int8_t cut = -1;
    std::uint32_t halves = 0, fit = no_fit;
  };

  /// Whether no fit is wanted of a box: nothing is there, or it is halved without.
  bool settle(std::size_t number) {
    const Node& node = nodes_[number];
    const std::optional<ReflectionRange> used = places_.in_use(node.root, node.part);
    if (!used) return true;
    const ReflectionRange range = widened(*used, node.root);
    nodes_[number].range = range;
    if (is_silent(range)) return true;
    const int direction =
        side_ == GroundSide::above ? first_cut(range) : first_cut_below(range);
    if (direction >= 0) halve(number, direction);
    return direction >= 0;
  }

  void halve(std::size_t number, int direction) {
    Node& node = nodes_[number];
    node.cut = static_cast<std::int8_t>(direction);
    node.halves = static_cast<std::uint32_t>(nodes_.size());
    const ReflectionRange& range = node.range;
    Node lower = {node.root, range, node.cuts + 1}, upper = lower;
    if (direction == 0)
      lower.part.rho_1 = upper.part.rho_0 = 0.5 * (range.rho_0 + range.rho_1);
    else
      lower.part.zeta_1 = upper.part.zeta_0 = 0.5 * (range.zeta_0 + range.zeta_1);
    nodes_.push_back(lower);
    nodes_.push_back(upper);
  }

  /// Too deep below the surface for anything to come through.
  bool is_silent(const ReflectionRange& range) const {
    constexpr double silent_nats = 25;
    return side_ == GroundSide::below && -k2_.imag() * range.zeta_0 > silent_nats;
  }

  /// Where the wave in the ground, e^{-j k2 rho} along the surface, lives and turns or
  /// dies away upward too much for one box that is told without looking: 0 to halve in
  /// rho, 1 in zeta, -1.
  int first_cut(const ReflectionRange& range) const {
    const double steep = std::sqrt(eps_ - 1.0).real();
    const double past = std::max(-k2_.imag() * range.rho_0, steep * range.zeta_0),
                 phase = (k2_.real() - 1) * (range.rho_1 - range.rho_0),
                 nats = steep * (range.zeta_1 - range.zeta_0);
    if (past > GroundWaves::dead_nats || phase < 6.5 + 0.6 * past) return -1;
    return nats > 9.5 ? 1 : 0;
  }

  /// Below, that wave goes all ways, and what comes through the air goes down as
  /// e^{-j k2 zeta}.
  int first_cut_below(const ReflectionRange& range) const {
    const double rho = range.rho_1 - range.rho_0, zeta = range.zeta_1 - range.zeta_0;
    const bool alive =
        -k2_.imag() * std::hypot(range.rho_0, range.zeta_0) < GroundWaves::dead_nats;
    if (alive && std::abs(k2_) * std::max(rho, zeta) > max_phase)
      return rho > zeta ? 0 : 1;
    return std::abs(k2_) * zeta > max_phase ? 1 : -1;
  }

  ReflectionRange widened(ReflectionRange range, std::int32_t root) const {
    const double octave = places_.box(root).rho_1 - places_.box(root).rho_0;
    const double least = std::min(narrowest * octave, 1 / std::abs(k2_));
    const auto widen = [least](double& from, double& to) {
      if (to - from >= least) return;
      from = std::max(0.0, 0.5 * (from + to - least));
      to = from + least;
    };
    widen(range.rho_0, range.rho_1);
    widen(range.zeta_0, range.zeta_1);
    return range;
  }

  Complex eps_, k2_;
  GroundSide side_;
  const ReflectionPlaces& places_;
  std::vector<Node> nodes_;
};

}  // namespace

GroundTable::GroundTable(Complex eps, const ReflectionPlaces& places, GroundSide side,
                         const TableMaking& making)
    : eps_(eps), first_octave_(places.first_octave()), octaves_(places.octaves()) {
  const auto fitter = making.make_fitter(eps, side);
  TableBoxes boxes(eps, side, places);
  boxes.make(*fitter, making.error);
  const std::vector<CellCounts> counts =
      fitter->cut(boxes.leaves(), of_cells * making.error);
  boxes_ = boxes.boxes(counts);
  std::size_t cells = 0;
  for (const CellCounts& count : counts) cells += count.all();
  constexpr std::size_t cell = 8 * GroundTableView::terms;
  coefficients_.resize((cells + 1) * cell);
  fitter->write({coefficients_.data(), cells * cell});
  std::fill_n(coefficients_.end() - cell, cell, 0.0);
}

void GroundTable::leave_out_charges() {
  for (std::size_t n = 0; n < coefficients_.size(); n += 8)
    coefficients_[n + 2] = coefficients_[n + 3] = 0;
}

}  // namespace thinwire
