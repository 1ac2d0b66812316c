#pragma once

#include <array>
#include <vector>

#include "kernels/ground/ground_table.h"

namespace thinwire {

/// Chebyshev nodes a side of a box of the table.
inline constexpr int box_nodes = 12;

/// [rho][zeta]: of T_i T_j, or values at nodes.
using BoxGrid = std::array<std::array<EightSums, box_nodes>, box_nodes>;

/// The nodes, in -1 .. 1.
const std::array<double, box_nodes>& box_node_places();
/// Chebyshev coefficients from the values at the nodes.
BoxGrid box_coefficients(const BoxGrid& values);

/// A box cut into equal cells, each with the coefficients of GroundTableView.
struct BoxCells {
  int rho_cells = 1, zeta_cells = 1;
  std::vector<double> coefficients;  ///< [zeta][rho][terms][8]
};

/// As few cells as keep what is left out below `tolerance`, a sum of moduli.
BoxCells cut_into_cells(const BoxGrid& coefficients, double tolerance);

}  // namespace thinwire
