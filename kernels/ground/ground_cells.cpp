#include "kernels/ground/ground_cells.h"

#include "kernels/base/constants.h"
#include "kernels/base/simd_clones.h"

namespace thinwire {
namespace {

constexpr int degree = GroundTableView::degree;

/// Rows of a box's coefficients for one column of its cells, [rho's power][zeta's].
struct alignas(vector_alignment) ColumnRows
    : std::array<std::array<EightSums, box_nodes>, cell_nodes> {};
/// Matrix that evaluates the coefficients of a box on one cell, along one axis.
using CellMatrix = std::array<double[box_nodes], cell_nodes>;

CellMatrix cell_matrix(int cell, int cells) {
  CellMatrix matrix;
  for (int i = 0; i < cell_nodes; ++i)
    cell_row(ChebyshevRule<cell_nodes>::get(), cell, cells, i, matrix[i]);
  return matrix;
}

THINWIRE_SIMD_CLONES
void column_rows(const CellMatrix& rho, const BoxGrid& box, ColumnRows& rows) {
  for (int i = 0; i < cell_nodes; ++i)
    for (int j = 0; j < box_nodes; ++j)
      combine(rho[i], &box[0][j], box_nodes, rows[i][j]);
}

THINWIRE_SIMD_CLONES
void cell_coefficients(const CellMatrix& zeta, const ColumnRows& rows,
                       EightSums (&c)[cell_nodes][cell_nodes]) {
  for (int i = 0; i < cell_nodes; ++i)
    for (int j = 0; j < cell_nodes; ++j) combine(zeta[j], rows[i].data(), 1, c[i][j]);
}

/// The largest modulus among the four kernels.
double largest(const EightSums& c) {
  double size = 0;
  for (int n = 0; n < 8; n += 2) size = std::max(size, c[n] * c[n] + c[n + 1] * c[n + 1]);
  return std::sqrt(size);
}

LeftOut left_out(const EightSums (&c)[cell_nodes][cell_nodes]) {
  LeftOut left;
  for (int i = 0; i < cell_nodes; ++i)
    for (int j = std::max(0, degree + 1 - i); j < cell_nodes; ++j)
      (i > j ? left.rho : left.zeta) += largest(c[i][j]);
  return left;
}

THINWIRE_SIMD_CLONES
void append_powers(const EightSums (&c)[cell_nodes][cell_nodes],
                   std::vector<double>& coefficients) {
  EightSums kept[degree + 1][degree + 1];
  for (int m = 0; m <= degree; ++m)
    for (int n = 0; n <= degree; ++n) kept[m][n] = c[m][n];
  for (int j = degree; j >= 0; --j)
    for (int i = degree - j; i >= 0; --i) {
      EightSums sum;
      power_coefficient(kept, i, j, sum);
      for (int e = 0; e < 8; ++e) coefficients.push_back(sum[e]);
    }
}

}  // namespace

template <int n>
const ChebyshevRule<n>& ChebyshevRule<n>::get() {
  static const ChebyshevRule rule = [] {
    ChebyshevRule made;
    for (int a = 0; a < n; ++a) {
      const double angle = pi * (a + 0.5) / n;
      made.node[a] = std::cos(angle);
      for (int i = 0; i < n; ++i)
        made.transform[i][a] = (i == 0 ? 1.0 : 2.0) / n * std::cos(i * angle);
    }
    return made;
  }();
  return rule;
}
template struct ChebyshevRule<box_nodes>;
template struct ChebyshevRule<cell_nodes>;

THINWIRE_SIMD_CLONES
void box_coefficients(const BoxGrid& values, BoxGrid& coefficients) {
  const auto& rule = ChebyshevRule<box_nodes>::get();
  BoxGrid half;
  for (int a = 0; a < box_nodes; ++a)
    for (int j = 0; j < box_nodes; ++j)
      combine(rule.transform[j], values[a].data(), 1, half[a][j]);
  for (int i = 0; i < box_nodes; ++i)
    for (int j = 0; j < box_nodes; ++j)
      combine(rule.transform[i], &half[0][j], box_nodes, coefficients[i][j]);
}

BoxCells cut_into_cells(const BoxGrid& box, double tolerance) {
  BoxCells cells;
  // Twice as many where one cell is too wide, which the first cells mostly are.
  const auto too_wide = [&]() -> int* {
    cells.coefficients.clear();
    std::vector<ColumnRows> columns(cells.rho_cells);
    alignas(vector_alignment) EightSums c[cell_nodes][cell_nodes];
    for (int j = 0; j < cells.zeta_cells; ++j) {
      const CellMatrix zeta = cell_matrix(j, cells.zeta_cells);
      for (int i = 0; i < cells.rho_cells; ++i) {
        if (j == 0) column_rows(cell_matrix(i, cells.rho_cells), box, columns[i]);
        cell_coefficients(zeta, columns[i], c);
        const LeftOut left = left_out(c);
        int& number = left.rho > left.zeta ? cells.rho_cells : cells.zeta_cells;
        if (left.both() > tolerance && number < max_cells) return &number;
        append_powers(c, cells.coefficients);
      }
    }
    return nullptr;
  };
  while (int* number = too_wide()) *number *= 2;
  return cells;
}

}  // namespace thinwire
