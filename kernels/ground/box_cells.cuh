#pragma once

#include "kernels/device/tuning.h"
#include "kernels/ground/ground_cells.h"

namespace thinwire::device {

inline constexpr int cut_threads = tuning::box_cut_threads;
/// Number of kernels of the half space: Gh, Kphi, Kzz, Q.
inline constexpr int kernels = 4;

using CellRule = ChebyshevRule<cell_nodes>;
/// A box's coefficients of T_i T_j, or values at its nodes: [rho][zeta][kernel].
using BoxValues = HdComplex[box_nodes][box_nodes][kernels];

/// A box with what takes its coefficients to those of its cells.
struct CutMemory {
  BoxValues box;
  double rho[max_cells][cell_nodes][box_nodes], zeta[max_cells][cell_nodes][box_nodes];
  int first_wide;
  __device__ CutMemory() {}
};

__device__ inline void set_cells(const CellRule& rule, int rho_cells, int zeta_cells,
                                 CutMemory& shared) {
  for (int e = threadIdx.x; e < (rho_cells + zeta_cells) * cell_nodes; e += cut_threads) {
    const int cell = e / cell_nodes, i = e % cell_nodes;
    const bool of_rho = cell < rho_cells;
    double row[box_nodes];
    cell_row(rule, of_rho ? cell : cell - rho_cells, of_rho ? rho_cells : zeta_cells, i,
             row);
    double* to = of_rho ? shared.rho[cell][i] : shared.zeta[cell - rho_cells][i];
    for (int m = 0; m < box_nodes; ++m) to[m] = row[m];
  }
}

/// Row i of a cell's column, for one kernel.
__device__ inline void set_row(const double* of_rho, const BoxValues& box, int kernel,
                               HdComplex (&row)[box_nodes]) {
#pragma unroll
  for (int j = 0; j < box_nodes; ++j)
    combine(of_rho, &box[0][j][kernel], box_nodes * kernels, row[j]);
}

/// Returns the truncation of a cell; four neighbouring lanes have a kernel each and all
/// get it.
__device__ inline LeftOut left_out_of_cell(const CutMemory& shared, int rho_cell,
                                           int zeta_cell, int kernel) {
  LeftOut left;
#pragma unroll 1
  for (int i = 0; i < cell_nodes; ++i) {
    HdComplex row[box_nodes];
    set_row(shared.rho[rho_cell][i], shared.box, kernel, row);
    for (int j = max(0, GroundTableView::degree + 1 - i); j < cell_nodes; ++j) {
      HdComplex c;
      combine(shared.zeta[zeta_cell][j], row, 1, c);
      double square = norm(c);
      for (int lane = 1; lane < kernels; lane *= 2)
        square = fmax(square, __shfl_xor_sync(0xffffffffu, square, lane));
      (i > j ? left.rho : left.zeta) += std::sqrt(square);
    }
  }
  return left;
}

__device__ inline void load_box(const BoxValues& from, BoxValues& to) {
  for (int e = threadIdx.x; e < box_nodes * box_nodes * kernels; e += cut_threads)
    (&to[0][0][0])[e] = (&from[0][0][0])[e];
}

}  // namespace thinwire::device
