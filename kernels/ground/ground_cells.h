#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/base/exp.h"
#include "kernels/ground/ground_table.h"

namespace thinwire {

/// Chebyshev nodes a side of a box of the table; and of a cell, one degree more than is
/// kept, to see what is left out.
inline constexpr int box_nodes = 12, cell_nodes = GroundTableView::degree + 2;
/// Cells along a side of a box.
inline constexpr int max_cells = 32;

/// The nodes, in -1 .. 1, and the coefficient of T_i from values at them: [i][node].
template <int n>
struct ChebyshevRule {
  double node[n];
  double transform[n][n];

  static const ChebyshevRule& get();
};

/// Function that a table is fitted to at one place: the kernels beside their image, over
/// G.
struct BesideImage {
  GroundSide side;
  HdComplex eps, k2, c0;

  BesideImage(Complex of, GroundSide on)
      : side(on), eps(to_hd(of)), k2(square_root(eps)), c0(to_hd(image_strength(of))) {}

  /// Divides the kernels k at a place by G, in their order. Below the surface those of
  /// charges are multiplied by eps, so that all have equal weight.
  THINWIRE_HD void over_g(double rho, double zeta, const ReflectedKernels& k,
                          HdComplex (&rest)[4]) const {
    const bool above = side == GroundSide::above;
    const HdComplex wave = above ? HdComplex{1, 0} : k2, strength = above ? c0 : -c0;
    const double distance = std::sqrt(rho * rho + zeta * zeta);
    const HdComplex image = (exp_simd(wave.im * distance) / distance) *
                            (strength * turned(-wave.re * distance));
    const HdComplex over = distance * turned(distance), phi = above ? k.phi : eps * k.phi;
    rest[0] = over * (k.h + image);
    rest[1] = over * (phi + image);
    rest[2] = over * (k.zz - image);
    rest[3] = over * k.q;
  }

  /// Returns the factor of the table's coefficients of charges.
  THINWIRE_HD HdComplex of_charges() const {
    return side == GroundSide::above ? HdComplex{1, 0} : HdComplex{1, 0} / eps;
  }

 private:
  THINWIRE_HD static HdComplex turned(double angle) {
    HdComplex to;
    sincos_simd(angle, to.im, to.re);
    return to;
  }
};

/// Where the nodes of a box are.
THINWIRE_HD inline double box_node(const ChebyshevRule<box_nodes>& rule, int node,
                                   double from, double to) {
  return from + 0.5 * (1 + rule.node[node]) * (to - from);
}

/// A sum of moduli by its highest degrees in rho and in zeta.
struct LeftOut {
  double rho = 0, zeta = 0;
  THINWIRE_HD double both() const { return rho + zeta; }
};

/// Returns the truncation of one kernel's coefficients of a box, T_i T_j having
/// square_at(i, j) for |c|^2.
template <class SquareAt>
THINWIRE_HD LeftOut highest_degrees(const SquareAt& square_at) {
  LeftOut tail;
  for (int i = 0; i < box_nodes; ++i)
    for (int j = i < box_nodes - 2 ? box_nodes - 2 : 0; j < box_nodes; ++j)
      (i > j ? tail.rho : tail.zeta) += std::sqrt(square_at(i, j));
  return tail;
}

/// Computes the row that takes a box's Chebyshev coefficients, along one axis, to
/// coefficient i of cell number `cell` of `cells`.
THINWIRE_HD inline void cell_row(const ChebyshevRule<cell_nodes>& rule, int cell,
                                 int cells, int i, double (&row)[box_nodes]) {
  for (double& of_degree : row) of_degree = 0;
  for (int a = 0; a < cell_nodes; ++a) {
    const double x = (2 * cell + 1 + rule.node[a]) / cells - 1;
    double t = 1, next = x;  // T_m and T_m+1
    for (int m = 0; m < box_nodes; ++m) {
      row[m] += rule.transform[i][a] * t;
      const double after = 2 * x * next - t;
      t = next;
      next = after;
    }
  }
}

/// sum = row . of, every `stride`th. Value: EightSums, or HdComplex of one kernel.
template <class Value>
THINWIRE_HD THINWIRE_INLINE void combine(const double* row, const Value* of, int stride,
                                         Value& sum) {
  sum = Value{};
  for (int m = 0; m < box_nodes; ++m) sum += row[m] * of[m * stride];
}

/// The coefficient of x^i y^j in a cell from those of T_m T_n.
template <class Value>
THINWIRE_HD THINWIRE_INLINE void power_coefficient(
    const Value (&c)[GroundTableView::degree + 1][GroundTableView::degree + 1], int i,
    int j, Value& sum) {
  constexpr int degree = GroundTableView::degree;
  constexpr double power_in[degree + 1][degree + 1] = {
      {1}, {0, 1}, {-1, 0, 2}, {0, -3, 0, 4}, {1, 0, -8, 0, 8}};
  sum = Value{};
  for (int m = i; m <= degree; ++m)
    for (int n = j; n <= degree - m; ++n)
      sum += power_in[m][i] * power_in[n][j] * c[m][n];
}

/// Where the widest vectors are in memory: GCC aligns them to what the oldest processors
/// want, and code that is compiled for newer ones as well relies on more.
inline constexpr std::size_t vector_alignment = 64;

/// [rho][zeta]: of T_i T_j, or values at nodes.
struct alignas(vector_alignment) BoxGrid
    : std::array<std::array<EightSums, box_nodes>, box_nodes> {};

/// Sets Chebyshev coefficients from the values at the nodes. Not returned: GCC 13 does
/// not align the place of a result in a parallel loop.
void box_coefficients(const BoxGrid& values, BoxGrid& coefficients);

/// A box cut into equal cells, each with the coefficients of GroundTableView.
struct BoxCells {
  int rho_cells = 1, zeta_cells = 1;
  std::vector<double> coefficients;  ///< [zeta][rho][terms][8]
};

/// As few cells as keep what is left out, a sum of moduli, below `tolerance`.
BoxCells cut_into_cells(const BoxGrid& coefficients, double tolerance);

}  // namespace thinwire
