#include "kernels/ground/ground_table.h"

#include <algorithm>

#include "kernels/ground/ground_cells.h"
#include "kernels/ground/ground_order.h"

namespace thinwire {
namespace {

using Box = GroundTableView::Box;
constexpr int terms = GroundTableView::terms;
/// What may be left out of a box and out of its cells, as sums of moduli.
constexpr double box_tolerance = 1.5e-7, cell_tolerance = 1.2e-7;
constexpr int most_cuts = 24;
/// Narrowest box, of its octave: all wires may lie at one height.
constexpr double narrowest = 1.0 / 64;

/// One octave's box with what became of it.
class BoxTree {
 public:
  BoxTree(Complex eps, const ReflectionPlaces& places, std::int32_t root)
      : eps_(eps), places_(places), root_(root) {
    boxes_.emplace_back();
    make(0, places.box(root), 0);
  }
  const std::vector<Box>& boxes() const { return boxes_; }
  const std::vector<double>& coefficients() const { return coefficients_; }

 private:
  void make(std::size_t number, const ReflectionRange& part, int cuts) {
    const std::optional<ReflectionRange> used = places_.in_use(root_, part);
    if (!used) {
      boxes_[number] = {0, 0, 0, 0, 0, -1, 1, 1};
      return;
    }
    const ReflectionRange range = widened(*used);
    if (const int direction = first_cut(range); direction >= 0)
      return halve(number, range, direction, cuts);
    const BoxGrid c = fit(range);
    double left_out[2] = {0, 0};  // of high degree in rho, in zeta
    for (int n = 0; n < 8; n += 2) {
      double tail[2] = {0, 0};
      for (int i = 0; i < box_nodes; ++i)
        for (int j = 0; j < box_nodes; ++j)
          if (std::max(i, j) >= box_nodes - 2)
            tail[i > j ? 0 : 1] += std::hypot(c[i][j][n], c[i][j][n + 1]);
      for (int d = 0; d < 2; ++d) left_out[d] = std::max(left_out[d], tail[d]);
    }
    if (left_out[0] + left_out[1] > box_tolerance && cuts < most_cuts)
      halve(number, range, left_out[0] > left_out[1] ? 0 : 1, cuts);
    else
      make_leaf(number, range, c);
  }

  /// Where the wave in the ground, e^{-j k2 rho} along the surface, lives and turns too
  /// often for one box that is told without looking: 0 to halve in rho, 1 in zeta, -1.
  int first_cut(const ReflectionRange& range) const {
    constexpr double dead_nats = GroundWaves::dead_nats, most_phase = 12;
    const Complex k2 = std::sqrt(eps_);
    const double steep = std::sqrt(eps_ - 1.0).real();  // it dies away upward
    const bool alive =
        -k2.imag() * range.rho_0 < dead_nats && steep * range.zeta_0 < dead_nats;
    if (!alive || (k2.real() - 1) * (range.rho_1 - range.rho_0) < most_phase) return -1;
    return steep * (range.zeta_1 - range.zeta_0) > 2 * dead_nats ? 1 : 0;
  }

  void halve(std::size_t number, const ReflectionRange& range, int direction, int cuts) {
    ReflectionRange lower = range, upper = range;
    if (direction == 0)
      lower.rho_1 = upper.rho_0 = 0.5 * (range.rho_0 + range.rho_1);
    else
      lower.zeta_1 = upper.zeta_0 = 0.5 * (range.zeta_0 + range.zeta_1);
    const std::size_t next = boxes_.size();
    boxes_[number] = {upper.rho_0,
                      0,
                      upper.zeta_0,
                      0,
                      static_cast<std::uint32_t>(next),
                      static_cast<std::int8_t>(direction),
                      0,
                      0};
    boxes_.resize(next + 2);
    make(next, lower, cuts + 1);
    make(next + 1, upper, cuts + 1);
  }

  void make_leaf(std::size_t number, const ReflectionRange& range, const BoxGrid& c) {
    const BoxCells cells = cut_into_cells(c, cell_tolerance);
    boxes_[number] = {range.rho_0,
                      cells.rho_cells / (range.rho_1 - range.rho_0),
                      range.zeta_0,
                      cells.zeta_cells / (range.zeta_1 - range.zeta_0),
                      static_cast<std::uint32_t>(coefficients_.size() / (8 * terms)),
                      -1,
                      static_cast<std::uint8_t>(cells.rho_cells),
                      static_cast<std::uint8_t>(cells.zeta_cells)};
    coefficients_.insert(coefficients_.end(), cells.coefficients.begin(),
                         cells.coefficients.end());
  }

  ReflectionRange widened(ReflectionRange range) const {
    const ReflectionRange box = places_.box(root_);
    const auto widen = [](double& from, double& to, double least) {
      if (to - from >= least) return;
      from = std::max(0.0, 0.5 * (from + to - least));
      to = from + least;
    };
    widen(range.rho_0, range.rho_1, narrowest * (box.rho_1 - box.rho_0));
    widen(range.zeta_0, range.zeta_1, narrowest * (box.zeta_1 - box.zeta_0));
    return range;
  }

  BoxGrid fit(const ReflectionRange& range) const {
    double rho[box_nodes], zeta[box_nodes];
    for (int a = 0; a < box_nodes; ++a) {
      const double along = 0.5 * (1 + box_node_places()[a]);
      rho[a] = range.rho_0 + along * (range.rho_1 - range.rho_0);
      zeta[a] = range.zeta_0 + along * (range.zeta_1 - range.zeta_0);
    }
    std::vector<ReflectedKernels> values(box_nodes * box_nodes);
    reflected_kernels_grid(eps_, range, rho, zeta, values);
    const Complex c0 = image_strength(eps_);
    BoxGrid over_g;
    for (int a = 0; a < box_nodes; ++a)
      for (int b = 0; b < box_nodes; ++b) {
        const double distance = std::hypot(rho[a], zeta[b]);
        const Complex g = distance * std::polar(1.0, distance);
        const ReflectedKernels& k = values[a * box_nodes + b];
        const Complex rest[4] = {g * Complex(k.h) + c0, g * Complex(k.phi) + c0,
                                 g * Complex(k.zz) - c0, g * Complex(k.q)};
        for (int n = 0; n < 4; ++n) {
          over_g[a][b][2 * n] = rest[n].real();
          over_g[a][b][2 * n + 1] = rest[n].imag();
        }
      }
    return box_coefficients(over_g);
  }

  Complex eps_;
  const ReflectionPlaces& places_;
  std::int32_t root_;
  std::vector<Box> boxes_;
  std::vector<double> coefficients_;
};

}  // namespace

GroundTable::GroundTable(Complex eps, const ReflectionPlaces& places)
    : eps_(eps), first_octave_(places.first_octave()), octaves_(places.octaves()) {
  std::vector<std::vector<BoxTree>> trees(3 * octaves_);
  // The largest octaves first: they are cut most.
#pragma omp parallel for schedule(dynamic)
  for (std::int32_t t = 0; t < 3 * octaves_; ++t) {
    const std::int32_t root = 3 * octaves_ - 1 - t;
    trees[root].emplace_back(eps, places, root);
  }
  boxes_.resize(trees.size());
  for (std::size_t root = 0; root < trees.size(); ++root) {
    const BoxTree& tree = trees[root].front();
    const auto leaves = static_cast<std::uint32_t>(coefficients_.size() / (8 * terms));
    // Box 0 goes to the root's place, the others to the end.
    const auto shift = static_cast<std::uint32_t>(boxes_.size()) - 1;
    for (std::size_t b = 0; b < tree.boxes().size(); ++b) {
      Box box = tree.boxes()[b];
      box.next += box.cut < 0 ? leaves : shift;
      if (b == 0)
        boxes_[root] = box;
      else
        boxes_.push_back(box);
    }
    coefficients_.insert(coefficients_.end(), tree.coefficients().begin(),
                         tree.coefficients().end());
  }
  // A box that nothing lies in has a cell for all that, past the others.
  coefficients_.resize(coefficients_.size() + 8 * terms, 0.0);
}

}  // namespace thinwire
