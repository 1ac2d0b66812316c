#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cg/linear_operator.h"
#include "cg/precondition/box_size.h"
#include "cg/precondition/entry_reader.h"
#include "cg/precondition/overlap.h"
#include "cg/preconditioner.h"
#include "kernels/base/monitor.h"
#include "kernels/element/medium.h"
#include "kernels/matrix/matrix_update.h"
#include "mom/discretization/discretization.h"
#include "mom/preconditioners/coarse_matrix.h"
#include "mom/preconditioners/coarse_space.h"

namespace thinwire {

/// Levels of overlapping Schwarz preconditioners.
struct SchwarzLevels {
  BoxSize boxes;
  bool coarse = false;  ///< a coarse space of flows (coarse_space.h) beside the boxes
};

/// Data of the structure that these levels are made of, at one wave number.
struct SchwarzGeometry {
  std::vector<OverlappingSet> boxes;
  CoarseSpace space;  ///< empty: boxes alone
  std::optional<CoarseCouplings> couplings;
};

/// Makes both levels' geometry. loads: as LoadModel::updates(). Throws what
/// the monitor and coarse_space throw.
SchwarzGeometry schwarz_geometry(const Discretization& where, SchwarzLevels levels,
                                 double k_rad_per_m, Medium medium,
                                 std::span<const MatrixUpdate> loads,
                                 const Monitor& monitor = {});

/// The matrix that is to be preconditioned.
struct SchwarzInput {
  const Discretization& discretization;
  double k_rad_per_m = 0;
  Medium medium;
  std::span<const MatrixUpdate> loads;  ///< as LoadModel::updates()
  const EntryReader& read;              ///< entries of Z, loads included
  const LinearOperator& z;              ///< must outlive a preconditioner of two levels
};

/// Makes the preconditioner, on the CPU: boxes alone, also where all wires are in one
/// cluster, so that no flow is left. Throws what its parts and the monitor throw.
std::unique_ptr<Preconditioner> make_schwarz(const SchwarzInput& input,
                                             SchwarzLevels levels,
                                             const Monitor& monitor = {});

/// Returns the number of coarse functions of such a preconditioner at this wave number,
/// without making it.
std::size_t coarse_functions(const Discretization& where, double k_rad_per_m);

}  // namespace thinwire
