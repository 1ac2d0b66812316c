#pragma once

#include <string>
#include <vector>

#include "bench/converge.h"
#include "bench/halved_mesh.h"
#include "mom/problem.h"

namespace thinwire {

/// What a place of the antenna adds to V^T I, volt ampere, where the mesh is refined.
struct MeshChange {
  std::string place;
  Complex change_va;
};

/// What every source, junction, open end and wire adds to V^T I from the graded mesh to
/// one twice as fine, V the ports' voltages on the latter; for a problem of one run and
/// one frequency.
///
/// The functions of a mesh span those of the coarser one whose elements they halve
/// (HalvedMesh). With the finer system Z I = V, the coarse currents J carried over to it
/// and e = I - J,
///
///     V^T I - V^T J = sum over functions m of e_m (V - Z J)_m,
///
/// since V - Z J is orthogonal to the coarse functions (Galerkin). So the change of the
/// input admittance is the sum of what each place adds, and no place needs a solve of its
/// own.
std::vector<MeshChange> mesh_changes(const Problem& single, const HalvedMesh& halved);

/// The same as shares of the whole change: at most ten, the dearest first.
std::vector<MeshCost> mesh_costs(const Problem& single, const HalvedMesh& halved);

}  // namespace thinwire
