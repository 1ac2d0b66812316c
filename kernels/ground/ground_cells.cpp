#include "kernels/ground/ground_cells.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/simd_clones.h"

namespace thinwire {
namespace {

constexpr int degree = GroundTableView::degree, terms = GroundTableView::terms;
/// One degree more than is kept, to see what is left out.
constexpr int cell_nodes = degree + 2;
constexpr int most_cells = 32;

/// Nodes of n a side, and the coefficient of T_i from values at them.
template <int n>
struct Chebyshev {
  std::array<double, n> node;
  double transform[n][n];  ///< [i][node]

  Chebyshev() {
    for (int a = 0; a < n; ++a) {
      const double angle = pi * (a + 0.5) / n;
      node[a] = std::cos(angle);
      for (int i = 0; i < n; ++i)
        transform[i][a] = (i == 0 ? 1.0 : 2.0) / n * std::cos(i * angle);
    }
  }
  static const Chebyshev& get() {
    static const Chebyshev chebyshev;
    return chebyshev;
  }
};

/// [i][j] of T_i T_j from the values at n by n nodes.
template <int n>
THINWIRE_INLINE void transform(const EightSums (&values)[n][n], EightSums (&c)[n][n]) {
  const Chebyshev<n>& chebyshev = Chebyshev<n>::get();
  EightSums half[n][n] = {};
  for (int a = 0; a < n; ++a)
    for (int j = 0; j < n; ++j)
      for (int b = 0; b < n; ++b) half[a][j] += chebyshev.transform[j][b] * values[a][b];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      c[i][j] = EightSums{};
      for (int a = 0; a < n; ++a) c[i][j] += chebyshev.transform[i][a] * half[a][j];
    }
}

/// T_0 .. T_11 at the nodes of cell number `cell` of `cells`.
struct CellPolynomials {
  double t[cell_nodes][box_nodes];

  CellPolynomials(int cell, int cells) {
    for (int a = 0; a < cell_nodes; ++a) {
      const double x = (2 * cell + 1 + Chebyshev<cell_nodes>::get().node[a]) / cells - 1;
      t[a][0] = 1;
      t[a][1] = x;
      for (int i = 2; i < box_nodes; ++i) t[a][i] = 2 * x * t[a][i - 1] - t[a][i - 2];
    }
  }
};

/// The largest modulus among the four kernels.
double largest(const EightSums& c) {
  double size = 0;
  for (int n = 0; n < 8; n += 2) size = std::max(size, c[n] * c[n] + c[n + 1] * c[n + 1]);
  return std::sqrt(size);
}

/// Powers of x in T_i, i <= 4.
constexpr double power_in[5][5] = {
    {1}, {0, 1}, {-1, 0, 2}, {0, -3, 0, 4}, {1, 0, -8, 0, 8}};
static_assert(degree == 4);

void append_powers(const EightSums (&c)[cell_nodes][cell_nodes],
                   std::vector<double>& coefficients) {
  for (int j = degree; j >= 0; --j)
    for (int i = degree - j; i >= 0; --i) {
      EightSums sum{};
      for (int m = i; m <= degree; ++m)
        for (int n = j; n <= degree - m; ++n)
          sum += power_in[m][i] * power_in[n][j] * c[m][n];
      for (int e = 0; e < 8; ++e) coefficients.push_back(sum[e]);
    }
}

/// What is left out of a box's cells by rho's powers and by zeta's.
struct LeftOut {
  double rho = 0, zeta = 0;
};

LeftOut add_up(const EightSums (&c)[cell_nodes][cell_nodes]) {
  LeftOut left;
  for (int i = 0; i < cell_nodes; ++i)
    for (int j = std::max(0, degree + 1 - i); j < cell_nodes; ++j)
      (i > j ? left.rho : left.zeta) += largest(c[i][j]);
  return left;
}

/// Chebyshev coefficients of every cell, [rho][zeta] of cell_nodes.
THINWIRE_SIMD_CLONES
void cell_coefficients(const EightSums* box, const CellPolynomials& x,
                       const CellPolynomials& y, EightSums (&c)[cell_nodes][cell_nodes]) {
  EightSums half[cell_nodes][box_nodes] = {}, values[cell_nodes][cell_nodes] = {};
  for (int a = 0; a < cell_nodes; ++a)
    for (int i = 0; i < box_nodes; ++i)
      for (int j = 0; j < box_nodes; ++j)
        half[a][j] += x.t[a][i] * box[i * box_nodes + j];
  for (int a = 0; a < cell_nodes; ++a)
    for (int b = 0; b < cell_nodes; ++b)
      for (int j = 0; j < box_nodes; ++j) values[a][b] += y.t[b][j] * half[a][j];
  transform<cell_nodes>(values, c);
}

}  // namespace

const std::array<double, box_nodes>& box_node_places() {
  return Chebyshev<box_nodes>::get().node;
}

THINWIRE_SIMD_CLONES
BoxGrid box_coefficients(const BoxGrid& values) {
  EightSums from[box_nodes][box_nodes], to[box_nodes][box_nodes];
  for (int a = 0; a < box_nodes; ++a)
    for (int b = 0; b < box_nodes; ++b) from[a][b] = values[a][b];
  transform<box_nodes>(from, to);
  BoxGrid c;
  for (int i = 0; i < box_nodes; ++i)
    for (int j = 0; j < box_nodes; ++j) c[i][j] = to[i][j];
  return c;
}

BoxCells cut_into_cells(const BoxGrid& box, double tolerance) {
  BoxCells cells;
  // Twice as many where one cell is too wide, which the first cells mostly are.
  const auto too_wide = [&]() -> int* {
    cells.coefficients.clear();
    EightSums c[cell_nodes][cell_nodes];
    for (int j = 0; j < cells.zeta_cells; ++j)
      for (int i = 0; i < cells.rho_cells; ++i) {
        cell_coefficients(&box[0][0], {i, cells.rho_cells}, {j, cells.zeta_cells}, c);
        const LeftOut left = add_up(c);
        int& number = left.rho > left.zeta ? cells.rho_cells : cells.zeta_cells;
        if (left.rho + left.zeta > tolerance && number < most_cells) return &number;
        append_powers(c, cells.coefficients);
      }
    return nullptr;
  };
  while (int* number = too_wide()) *number *= 2;
  return cells;
}

}  // namespace thinwire
