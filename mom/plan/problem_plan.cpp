#include "mom/plan/problem_plan.h"

#include "kernels/base/openmp_threads.h"
#include "mom/media/real_ground.h"
#include "mom/plan/choose_device.h"
#include "mom/plan/cost_model.h"
#include "mom/plan/frequency_checks.h"
#include "mom/plan/run_meshes.h"
#include "mom/plan/varied_structures.h"
#include "mom/problem/stored_matrix.h"

namespace thinwire {

namespace {

/// Cost of derivatives at one frequency, in fills of the matrix on the CPU: impedances by
/// any number of symbols, and the gains besides (docs/theory/gradients.md).
constexpr double impedance_fills = 3.2, gain_fills = 3;

/// Reading, checks and the plan itself, mostly on one thread and within a factor of two,
/// of decks of 10^4 to 10^6 segments (docs/performance.md).
constexpr double preparation_s_per_element = 4e-6;

double gradient_seconds(const Problem& problem, const Options& options,
                        std::size_t unknowns) {
  double fills = 0;
  for (const Run& run : problem.runs)
    fills += static_cast<double>(run.frequency_hz.size()) *
             (impedance_fills + (run.patterns.empty() ? 0 : gain_fills));
  return fills * fill_seconds_on_cpu(unknowns, options, thread_count(options));
}

}  // namespace

Plan plan(const Problem& problem, const Options& wanted, int ranks) {
  check_options(wanted);
  const OpenMpThreads threads(thread_count(wanted));
  const Options options = options_for_stored(problem, wanted);
  check_real_ground(problem, options);
  const RunMeshes meshes(problem, options);
  (void)check_frequencies(problem, meshes);
  const VariedStructures varied(problem, options, meshes);
  const Discretization& discretization = meshes.largest();
  Workload work = workload(problem, options);
  work.ranks = equal_shares(
      ranks > 0 || options.ranks == nullptr ? ranks : options.ranks->ranks());
  DeviceChoice choice =
      choose_device(discretization, options, work, thread_count(options));
  add_reason(choice.plan, meshes.operator_plan().why);
  Plan plan;
  plan.segments = problem.structure.segments().size();
  plan.mesh_elements = discretization.elements().size();
  plan.unknowns = discretization.unknowns();
  plan.buried = max_buried_wires(problem, meshes);
  plan.matrix_bytes = choice.matrix_bytes;
  if (options.save_matrix && !problem.runs.empty()) {
    const std::size_t n = meshes.of(problem.runs.size() - 1).unknowns();
    plan.saved_bytes = n * n * sizeof(Complex);
  }
  plan.total_bytes = choice.total_bytes;
  plan.host_bytes = choice.host_bytes;
  plan.device_bytes = choice.device_bytes;
  plan.gpus = choice.gpus.size();
  plan.shortage = choice.shortage;
  plan.gpu_too_small = choice.gpu_too_small;
  plan.ranks = static_cast<int>(choice.plan.ranks);
  plan.device = choice.name;
  plan.solver = name_of(choice.plan.solver);
  plan.preconditioner = name_of(choice.plan.preconditioner);
  plan.operator_name = name_of(choice.plan.operator_choice);
  if (const Lattice* lattice = discretization.lattice()) {
    plan.lattice_antennas = lattice->antennas();
    plan.lattice_places = lattice->places;
  }
  plan.grid = choice.grid;
  plan.why = choice.plan.why;
  if (choice.plan.solver != SolverChoice::direct)
    plan.predicted_iterations = choice.plan.iterations;
  plan.blocks = choice.plan.block_count;
  plan.block_inverses = choice.plan.block_inverses;
  plan.block_bytes = choice.plan.block_bytes;
  plan.boxes = choice.plan.boxes;
  plan.boxes_asked = options.boxes.has_value();
  plan.coarse_functions = choice.plan.coarse_functions;
  plan.ground_table_bytes = choice.ground.table_bytes + choice.buried.table_bytes;
  plan.ground_table_seconds = choice.ground.table_s + choice.buried.table_s;
  plan.predicted_seconds =
      predicted_seconds(choice, work) +
      preparation_s_per_element * static_cast<double>(discretization.elements().size());
  if (!varied.empty())
    plan.predicted_seconds +=
        gradient_seconds(problem, options, discretization.unknowns());
  return plan;
}

}  // namespace thinwire
