#pragma once

#include <string>
#include <vector>

#include "bench/converge.h"
#include "bench/halved_mesh.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Change of V^H I at a place of the antenna, volt ampere, where the mesh is refined.
struct MeshChange {
  std::string place;
  Complex change_va;
};

/// Returns what every source, junction, open end and wire adds to V^H I, twice the
/// complex input power, from the graded mesh to one twice as fine, V the ports' voltages
/// on the latter; for a problem of one run and one frequency.
///
/// The functions of a mesh span those of the coarser one whose elements they halve
/// (HalvedMesh). With the finer systems Z I = V and Z K = conj(V) and the coarse currents
/// J and L of both carried over to it,
///
///     V^H I - V^H J = sum over functions m of (K - L)_m (V - Z J)_m,
///
/// since V - Z J is orthogonal to the coarse functions (Galerkin). So no place needs a
/// solve of its own. V^T I would vanish where feeds are in quadrature.
std::vector<MeshChange> mesh_changes(const Problem& single, const HalvedMesh& halved);

/// The magnitudes of the same as shares of their sum: at most ten, the largest first.
std::vector<MeshCost> mesh_costs(const Problem& single, const HalvedMesh& halved);

}  // namespace thinwire
