#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mom/problem/problem.h"

namespace thinwire {

/// Complex vectors at the points of a grid, for one frequency.
struct GridField {
  std::string_view name, unit;      ///< "e", "v_per_m"
  std::span<const Complex> values;  ///< x, y, z of each point
};

/// Returns the wires as VTK PolyData (.vtp): a line for each segment, with its tag, its
/// radius (m), and of the current (A) the peak value and the phase (degrees).
/// start_m, end_m: x, y, z of each segment.
std::string wires_vtp(std::span<const double> start_m, std::span<const double> end_m,
                      std::span<const double> radius_m, std::span<const double> tag,
                      std::span<const Complex> current_a);

/// Returns near fields as a VTK StructuredGrid (.vts): of each field the real and the
/// imaginary part and the peak |F| = sqrt(|Fx|^2 + |Fy|^2 + |Fz|^2) at each point.
/// position_m: x, y, z of each point, `points` along each axis, the first one fastest.
std::string fields_vts(std::span<const double> position_m,
                       const std::array<std::size_t, 3>& points,
                       std::span<const GridField> fields);

/// Returns the same as VTK ImageData (.vti), which holds steps instead of points. Throws
/// Error{usage} where the grid is not rectangular.
std::string fields_vti(std::span<const double> position_m,
                       const std::array<std::size_t, 3>& points,
                       std::span<const GridField> fields);

}  // namespace thinwire
