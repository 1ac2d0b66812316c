#include "kernels/ground/ground_table.h"

#include <array>

#include "kernels/base/constants.h"

namespace thinwire {
namespace {

using Box = GroundTableView::Box;
constexpr int degree = GroundTableView::degree, terms = GroundTableView::terms;
/// Chebyshev nodes a side: one degree more than is kept, to see what is left out.
constexpr int nodes = degree + 2;
/// What may be left out of a box, as a sum of moduli.
constexpr double tolerance = 1.5e-7;
constexpr int most_cuts = 14;

/// Chebyshev nodes, and the coefficient of T_i from values at them.
struct Chebyshev {
  double node[nodes];
  double transform[nodes][nodes];  ///< [i][node]

  Chebyshev() {
    for (int a = 0; a < nodes; ++a) {
      const double angle = pi * (a + 0.5) / nodes;
      node[a] = std::cos(angle);
      for (int i = 0; i < nodes; ++i)
        transform[i][a] = (i == 0 ? 1.0 : 2.0) / nodes * std::cos(i * angle);
    }
  }
};

/// Coefficients of all T_i T_j of one box, [i][j][8].
using BoxCoefficients = std::array<std::array<std::array<double, 8>, nodes>, nodes>;

/// One octave's box with what became of it.
class BoxTree {
 public:
  BoxTree(Complex eps, const ReflectionRange& range) : eps_(eps) {
    boxes_.emplace_back();
    make(0, range, 0);
  }
  const std::vector<Box>& boxes() const { return boxes_; }
  const std::vector<double>& coefficients() const { return coefficients_; }

 private:
  void make(std::size_t number, const ReflectionRange& range, int cuts) {
    Box box{0.5 * (range.rho_0 + range.rho_1),
            2 / (range.rho_1 - range.rho_0),
            0.5 * (range.zeta_0 + range.zeta_1),
            2 / (range.zeta_1 - range.zeta_0),
            0,
            -1};
    const BoxCoefficients c = fit(range, box);
    double left_out[2] = {0, 0};  // of high degree in rho, in zeta
    for (int n = 0; n < 8; n += 2) {
      double in_rho = 0, in_zeta = 0;
      for (int i = 0; i < nodes; ++i)
        for (int j = std::max(0, degree + 1 - i); j < nodes; ++j)
          (i > j ? in_rho : in_zeta) += std::hypot(c[i][j][n], c[i][j][n + 1]);
      left_out[0] = std::max(left_out[0], in_rho);
      left_out[1] = std::max(left_out[1], in_zeta);
    }
    if (left_out[0] + left_out[1] > tolerance && cuts < most_cuts) {
      box.cut = left_out[0] > left_out[1] ? 0 : 1;
      box.next = static_cast<std::uint32_t>(boxes_.size());
      boxes_[number] = box;
      boxes_.resize(boxes_.size() + 2);
      ReflectionRange lower = range, upper = range;
      if (box.cut == 0)
        lower.rho_1 = upper.rho_0 = box.rho_middle;
      else
        lower.zeta_1 = upper.zeta_0 = box.zeta_middle;
      make(box.next, lower, cuts + 1);
      make(box.next + 1, upper, cuts + 1);
      return;
    }
    box.next = static_cast<std::uint32_t>(coefficients_.size() / (8 * terms));
    boxes_[number] = box;
    for (int j = 0; j <= degree; ++j)
      for (int i = 0; i <= degree - j; ++i)
        coefficients_.insert(coefficients_.end(), c[i][j].begin(), c[i][j].end());
  }

  BoxCoefficients fit(const ReflectionRange& range, const Box& box) const {
    static const Chebyshev chebyshev;
    double rho[nodes], zeta[nodes];
    for (int a = 0; a < nodes; ++a) {
      rho[a] = box.rho_middle + chebyshev.node[a] / box.rho_scale;
      zeta[a] = box.zeta_middle + chebyshev.node[a] / box.zeta_scale;
    }
    std::vector<ReflectedKernels> values(nodes * nodes);
    reflected_kernels_grid(eps_, range, rho, zeta, values);
    const Complex c0 = image_strength(eps_);
    BoxCoefficients half{}, c{};
    for (int a = 0; a < nodes; ++a)
      for (int b = 0; b < nodes; ++b) {
        const double distance = std::hypot(rho[a], zeta[b]);
        const Complex over_g = distance * std::polar(1.0, distance);
        const ReflectedKernels& k = values[a * nodes + b];
        const Complex rest[4] = {over_g * Complex(k.h) + c0, over_g * Complex(k.phi) + c0,
                                 over_g * Complex(k.zz) - c0, over_g * Complex(k.q)};
        for (int j = 0; j < nodes; ++j)
          for (int n = 0; n < 4; ++n) {
            half[a][j][2 * n] += chebyshev.transform[j][b] * rest[n].real();
            half[a][j][2 * n + 1] += chebyshev.transform[j][b] * rest[n].imag();
          }
      }
    for (int i = 0; i < nodes; ++i)
      for (int a = 0; a < nodes; ++a)
        for (int j = 0; j < nodes; ++j)
          for (int n = 0; n < 8; ++n)
            c[i][j][n] += chebyshev.transform[i][a] * half[a][j][n];
    return c;
  }

  Complex eps_;
  std::vector<Box> boxes_;
  std::vector<double> coefficients_;
};

int octave_of(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return exponent - 1;
}

}  // namespace

GroundTable::GroundTable(Complex eps, double least, double most) : eps_(eps) {
  // max(rho, zeta) is R / sqrt 2 at least.
  first_octave_ = octave_of(least / std::sqrt(2.0));
  octaves_ = octave_of(most) - first_octave_ + 1;
  std::vector<std::vector<BoxTree>> trees(3 * octaves_);
  // The largest octaves first: they are cut most.
#pragma omp parallel for schedule(dynamic)
  for (std::int32_t t = 0; t < 3 * octaves_; ++t) {
    const std::int32_t root = 3 * octaves_ - 1 - t;
    const double s = std::ldexp(1.0, root / 3 + first_octave_);
    const ReflectionRange range = root % 3 == 0   ? ReflectionRange{s, 2 * s, 0, s}
                                  : root % 3 == 1 ? ReflectionRange{0, s, s, 2 * s}
                                                  : ReflectionRange{s, 2 * s, s, 2 * s};
    trees[root].emplace_back(eps, range);
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
}

}  // namespace thinwire
