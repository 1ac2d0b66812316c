#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"
#include "kernels/matrix/matrix_update.h"

namespace thinwire {

/// A matrix of some hundred unknowns and what it is to be solved for.
///
/// Impedances depend on lengths in wavelengths alone. So the mesh of every frequency is
/// scaled to the wave number 1 rad/m, and meshes of one structure at many frequencies
/// make up a batch as those of many structures do.
struct BatchSystem {
  std::vector<Element> elements;  ///< lengths times the wave number
  std::span<const BasisFunction> basis;
  Medium medium;
  std::vector<MatrixUpdate> loads;  ///< ohm, each entry once
  std::vector<Complex> v;           ///< [rhs_count][unknowns()]

  std::size_t unknowns() const { return basis.size(); }
  std::size_t rhs_count() const { return v.size() / unknowns(); }
};

struct BatchSolution {
  std::vector<Complex> current;           ///< [rhs_count][unknowns]
  std::vector<double> relative_residual;  ///< of each right-hand side
  double growth = 0, smallest_pivot = 0;  ///< as of SplitLdlt

  /// Whether elimination without pivots has lost few digits, and the matrix is far from
  /// singular.
  bool sound() const;
};

/// Fills, factors and solves many small systems together.
class BatchSolver {
 public:
  virtual ~BatchSolver() = default;

  /// As Backend::name().
  virtual std::string name() const = 0;

  /// Whether it takes a system of so many unknowns and right-hand sides.
  virtual bool takes(std::size_t unknowns, std::size_t rhs_count) const = 0;

  /// One solution for each system, the same bits whatever else is solved with it. Each
  /// matrix is what solve() makes of that frequency alone, to rounding. Several threads
  /// may call at once. Throws Error{memory}, Error{device}.
  virtual std::vector<BatchSolution> solve(std::span<const BatchSystem* const> systems,
                                           GreensKernel kernel) const = 0;
};

/// On the CPU, one system on each thread of OpenMP: what the GPU's is held against.
std::unique_ptr<BatchSolver> cpu_batch_solver();

/// On the current GPU, which calls from other threads make theirs; in the GPU module.
/// name: as Backend::name().
std::unique_ptr<BatchSolver> make_device_batch_solver(int index, std::string name);

}  // namespace thinwire
