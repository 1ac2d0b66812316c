#pragma once

#include <vector>

#include "cg/krylov/solver.h"
#include "papers/assembly/block_crs.h"

namespace thinwire {

/// A body to be solved: held at some nodes, forces at the others.
struct ElasticLoad {
  std::vector<char> held;   ///< [nodes]
  std::vector<Vec3> force;  ///< [nodes], zero where held
};

/// The steps of a finite-element solve (figure 1 of Ohshima et al. 2011) and their
/// seconds, from a mesh whose connectivity is known.
struct ElasticSolve {
  double assemble_s = 0;
  double hold_s = 0;   ///< boundary conditions
  double copy_s = 0;   ///< of the matrix to where it is solved with
  double solve_s = 0;  ///< factors of the diagonal blocks, and iterations
  SolveResult result;
  std::vector<Vec3> displacement;  ///< [nodes]
};

/// Conjugate gradients with the LU factors of the diagonal 3 x 3 blocks, on the CPU. With
/// one thread the matrix is assembled element by element, else by rows on all. Throws
/// what solve() does.
ElasticSolve elastic_solve(const ElasticBody& body, const Connectivity& connectivity,
                           const ElasticLoad& load, bool one_thread,
                           const SolverControl& control);

/// The solver on the current GPU; the matrix assembled there by rows, or on the CPU by
/// all threads and then copied.
ElasticSolve device_elastic_solve(const ElasticBody& body,
                                  const Connectivity& connectivity,
                                  const ElasticLoad& load, bool assemble_on_gpu,
                                  const SolverControl& control);

/// Forces as the solvers take them, [3 nodes], and displacements back.
std::vector<Complex> side_of(std::span<const Vec3> force);
std::vector<Vec3> displacements(std::span<const Complex> solution);

}  // namespace thinwire
