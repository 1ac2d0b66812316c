#include <chrono>
#include <utility>

#include "cg/krylov/device_solver.h"
#include "papers/assembly/assembly.h"
#include "papers/assembly/block_crs_operator.h"
#include "papers/assembly/device_assembly.h"
#include "papers/assembly/elastic_solve.h"
#include "papers/assembly/node_blocks.h"

namespace thinwire {

ElasticSolve device_elastic_solve(const ElasticBody& body,
                                  const Connectivity& connectivity,
                                  const ElasticLoad& load, bool assemble_on_gpu,
                                  const SolverControl& control) {
  const DeviceStream stream;
  auto last = std::chrono::steady_clock::now();
  const auto lap = [&] {
    stream.synchronize();
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> seconds = now - std::exchange(last, now);
    return seconds.count();
  };
  ElasticSolve steps;
  const std::size_t nodes = body.mesh.nodes();
  const DeviceAssembly assembly(body, connectivity);
  DeviceBuffer<double> value(block_values * connectivity.pattern.blocks(),
                             "matrix of 3 x 3 blocks");
  const auto held = uploaded(load.held, "held nodes", stream);
  const BodyView view = assembly.view();
  const BlockMatrixView matrix = {nodes, view.row_ptr, view.column, value.data()};
  const std::vector<Complex> side = side_of(load.force);
  std::vector<Complex> u(side.size());
  std::vector<double> host_value(assemble_on_gpu ? 0 : value.size());
  lap();
  if (assemble_on_gpu)
    assembly.rows(0, nodes, value.data(), stream);
  else
    assemble_rows(body, connectivity, 0, nodes, host_value);
  steps.assemble_s = lap();
  if (!assemble_on_gpu) value.upload(host_value, stream);
  steps.copy_s = lap();
  hold_nodes(matrix, held.data(), value.data(), stream);
  steps.hold_s = lap();
  const DeviceNodeBlockPreconditioner m(matrix);
  steps.result = solve(Recurrence::cocg, DeviceBlockCrsOperator(matrix), &m, side, u,
                       control, Placement::graph);
  steps.solve_s = lap();
  steps.displacement = displacements(u);
  return steps;
}

}  // namespace thinwire
