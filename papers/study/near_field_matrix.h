#pragma once

#include "geometry/structure.h"
#include "kernels/base/monitor.h"
#include "kernels/spmv/csr.h"

namespace thinwire {

/// Pattern of the near field of a structure, each NEC segment an element: functions whose
/// elements have centres within near_radius_m of each other; numbered by boxes of 0.4
/// near_radius_m on a Morton curve, along the wires in each box. The values stand in for
/// the real ones: symmetric, falling with the distance of the functions, diagonally
/// dominant. Throws Error{geometry}, and what the monitor throws when a stop is asked
/// for.
Csr<double> near_field_matrix(const Structure& structure, double near_radius_m,
                              const Monitor& monitor = {});

/// Square wire grid of cells x cells, each 0.1 m; near radius in cells.
Csr<double> plate_near_field(std::size_t cells, double near_cells,
                             const Monitor& monitor = {});
/// Closed hull of 5 cells x cells x cells, each 0.1 m.
Csr<double> hull_near_field(std::size_t cells, double near_cells,
                            const Monitor& monitor = {});
/// side x side dipoles of 0.5 m and 21 segments, 0.5 m apart.
Csr<double> array_near_field(std::size_t side, double near_radius_m,
                             const Monitor& monitor = {});

}  // namespace thinwire
