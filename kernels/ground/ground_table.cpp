#include "kernels/ground/ground_table.h"

#include <algorithm>
#include <cmath>

#include "kernels/ground/buried_kernels.h"
#include "kernels/ground/ground_cells.h"
#include "kernels/ground/ground_order.h"
#include "kernels/ground/octaves.h"

namespace thinwire {
namespace {

using Box = GroundTableView::Box;
constexpr int terms = GroundTableView::terms;
/// What may be left out of a box and out of its cells, as sums of moduli, over the error.
constexpr double of_box = 1.5, of_cells = 1.2;
constexpr int most_cuts = 24;
/// Radians of the wave in the ground over a box, at most, before it is looked at.
constexpr double most_phase = 12;
/// Narrowest box, of its octave: all wires may lie at one height.
constexpr double narrowest = 1.0 / 64;

/// One octave's box with what became of it.
class BoxTree {
 public:
  BoxTree(Complex eps, GroundSide side, const ReflectionPlaces& places, std::int32_t root,
          double error)
      : eps_(eps),
        k2_(std::sqrt(eps)),
        side_(side),
        places_(places),
        root_(root),
        error_(error) {
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
    if (is_silent(range)) return make_leaf(number, range, {});
    const int direction =
        side_ == GroundSide::above ? first_cut(range) : first_cut_below(range);
    if (direction >= 0) return halve(number, range, direction, cuts);
    const BoxGrid c = fit(range);
    double left_out[2] = {0, 0};  // of high degree in rho, in zeta
    for (int n = 0; n < 8; n += 2) {
      double tail[2] = {0, 0};
      for (int i = 0; i < box_nodes; ++i)
        for (int j = 0; j < box_nodes; ++j)
          if (std::max(i, j) >= box_nodes - 2)
            tail[i > j ? 0 : 1] +=
                std::sqrt(c[i][j][n] * c[i][j][n] + c[i][j][n + 1] * c[i][j][n + 1]);
      for (int d = 0; d < 2; ++d) left_out[d] = std::max(left_out[d], tail[d]);
    }
    if (left_out[0] + left_out[1] > of_box * error_ && cuts < most_cuts)
      halve(number, range, left_out[0] > left_out[1] ? 0 : 1, cuts);
    else
      make_leaf(number, range, c);
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
    if (alive && std::abs(k2_) * std::max(rho, zeta) > most_phase)
      return rho > zeta ? 0 : 1;
    return std::abs(k2_) * zeta > most_phase ? 1 : -1;
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
    BoxCells cells = cut_into_cells(c, of_cells * error_);
    if (side_ == GroundSide::below) {
      for (std::size_t n = 0; n < cells.coefficients.size(); n += 8) {
        double* phi = cells.coefficients.data() + n + 2;
        const Complex of_charges = Complex(phi[0], phi[1]) / eps_;
        phi[0] = of_charges.real();
        phi[1] = of_charges.imag();
      }
    }
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
    const double octave = places_.box(root_).rho_1 - places_.box(root_).rho_0;
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

  BoxGrid fit(const ReflectionRange& range) const {
    double rho[box_nodes], zeta[box_nodes];
    for (int a = 0; a < box_nodes; ++a) {
      const double along = 0.5 * (1 + box_node_places()[a]);
      rho[a] = range.rho_0 + along * (range.rho_1 - range.rho_0);
      zeta[a] = range.zeta_0 + along * (range.zeta_1 - range.zeta_0);
    }
    const std::vector<ReflectedKernels> values = beside_the_image(range, rho, zeta);
    BoxGrid over_g;
    for (int a = 0; a < box_nodes; ++a)
      for (int b = 0; b < box_nodes; ++b) {
        const double distance = std::hypot(rho[a], zeta[b]);
        const Complex g = distance * std::polar(1.0, distance);
        const ReflectedKernels& k = values[a * box_nodes + b];
        const Complex rest[4] = {g * Complex(k.h), g * Complex(k.phi), g * Complex(k.zz),
                                 g * Complex(k.q)};
        for (int n = 0; n < 4; ++n) {
          over_g[a][b][2 * n] = rest[n].real();
          over_g[a][b][2 * n + 1] = rest[n].imag();
        }
      }
    return box_coefficients(over_g);
  }

  /// The kernels less those of the image, at nodes: [rho][zeta]. Below, those of charges
  /// times eps, so that all count alike.
  std::vector<ReflectedKernels> beside_the_image(const ReflectionRange& range,
                                                 std::span<const double> rho,
                                                 std::span<const double> zeta) const {
    const bool above = side_ == GroundSide::above;
    std::vector<ReflectedKernels> values(rho.size() * zeta.size());
    (above ? reflected_kernels_grid : below_kernels_grid)(eps_, range, rho, zeta, values);
    const Complex strength = above ? image_strength(eps_) : -image_strength(eps_);
    const Complex wave = Complex(0, -1) * (above ? 1.0 : k2_);
    for (std::size_t a = 0; a < rho.size(); ++a)
      for (std::size_t b = 0; b < zeta.size(); ++b) {
        const double distance = std::hypot(rho[a], zeta[b]);
        const Complex image = strength / distance * std::exp(wave * distance);
        const HdComplex c = {image.real(), image.imag()};
        ReflectedKernels& k = values[a * zeta.size() + b];
        if (!above) k.phi = HdComplex{eps_.real(), eps_.imag()} * k.phi;
        k = {k.h + c, k.phi + c, k.zz - c, k.q};
      }
    return values;
  }

  Complex eps_, k2_;
  GroundSide side_;
  const ReflectionPlaces& places_;
  std::int32_t root_;
  double error_;
  std::vector<Box> boxes_;
  std::vector<double> coefficients_;
};

}  // namespace

GroundTable::GroundTable(Complex eps, const ReflectionPlaces& places, GroundSide side,
                         double error)
    : eps_(eps), first_octave_(places.first_octave()), octaves_(places.octaves()) {
  std::vector<std::vector<BoxTree>> trees(3 * octaves_);
  // The largest octaves first: they are cut most.
#pragma omp parallel for schedule(dynamic)
  for (std::int32_t t = 0; t < 3 * octaves_; ++t) {
    const std::int32_t root = 3 * octaves_ - 1 - t;
    trees[root].emplace_back(eps, side, places, root, error);
  }
  std::size_t all = 8 * terms;
  for (const auto& tree : trees) all += tree.front().coefficients().size();
  coefficients_.reserve(all);
  join_trees(trees, 8 * terms, boxes_, coefficients_);
  // A box that nothing lies in has a cell for all that, past the others.
  coefficients_.resize(coefficients_.size() + 8 * terms, 0.0);
}

void GroundTable::leave_out_charges() {
  for (std::size_t n = 0; n < coefficients_.size(); n += 8)
    coefficients_[n + 2] = coefficients_[n + 3] = 0;
}

}  // namespace thinwire
