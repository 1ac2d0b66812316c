#include "papers/assembly/elastic_solve.h"

#include <omp.h>

#include <chrono>
#include <utility>

#include "kernels/base/openmp_threads.h"
#include "papers/assembly/assembly.h"
#include "papers/assembly/block_crs_operator.h"
#include "papers/assembly/node_blocks.h"

namespace thinwire {

std::vector<Complex> side_of(std::span<const Vec3> force) {
  std::vector<Complex> side;
  side.reserve(3 * force.size());
  for (const Vec3 f : force) side.insert(side.end(), {f.x, f.y, f.z});
  return side;
}

std::vector<Vec3> displacements(std::span<const Complex> solution) {
  std::vector<Vec3> u(solution.size() / 3);
  for (std::size_t i = 0; i < u.size(); ++i)
    u[i] = {solution[3 * i].real(), solution[3 * i + 1].real(),
            solution[3 * i + 2].real()};
  return u;
}

ElasticSolve elastic_solve(const ElasticBody& body, const Connectivity& connectivity,
                           const ElasticLoad& load, bool one_thread,
                           const SolverControl& control) {
  const OpenMpThreads threads(one_thread ? 1 : omp_get_max_threads());
  auto last = std::chrono::steady_clock::now();
  const auto lap = [&] {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> seconds = now - std::exchange(last, now);
    return seconds.count();
  };
  ElasticSolve steps;
  const BlockPattern& pattern = connectivity.pattern;
  std::vector<double> value(block_values * pattern.blocks());
  const std::vector<Complex> side = side_of(load.force);
  std::vector<Complex> u(side.size());
  lap();
  if (one_thread)
    assemble_in_order(body, connectivity, value);
  else
    assemble_rows(body, connectivity, 0, pattern.rows(), value);
  steps.assemble_s = lap();
  hold_nodes(pattern, load.held, value);
  steps.hold_s = lap();
  const BlockMatrixView matrix = pattern.view(value.data());
  const NodeBlockPreconditioner m(matrix);
  steps.result = solve(Recurrence::cocg, BlockCrsOperator(matrix), &m, side, u, control);
  steps.solve_s = lap();
  steps.displacement = displacements(u);
  return steps;
}

}  // namespace thinwire
