#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/vec3.h"

namespace thinwire {

/// A surface of triangles and quadrangles.
struct SurfaceMesh {
  std::vector<Vec3> vertex_m;
  /// Indices of the corners; of a triangle the last one twice.
  std::vector<std::array<std::size_t, 4>> cell;
};

/// Reads a surface from STL (text or binary) or gmsh's .msh (versions 2 and 4, text), all
/// lengths times `metres`. Throws Error{deck} for another or a damaged file.
SurfaceMesh read_surface_mesh(std::string_view bytes, const std::string& name,
                              double metres);

/// Merges equal vertices, drops cells without area and doubled ones, cuts cells with
/// edges longer than cell_m, and joins vertices of much finer meshes. Adds a line on each
/// to `notes`, and on edges of one cell or of more than two.
SurfaceMesh cleaned(SurfaceMesh mesh, double cell_m, std::vector<std::string>& notes);

/// Returns the edges as a deck of wires, one segment each, which a plane wave from above
/// meets at this frequency. Wires have the surface of the cells beside them twice, as the
/// equal-area rule asks (Ludwig 1987): radius d / (2 pi) in a grid of squares d wide.
std::string wire_grid_deck(const SurfaceMesh& mesh, double frequency_hz,
                           const std::string& comment);

}  // namespace thinwire
