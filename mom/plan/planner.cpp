#include "mom/plan/planner.h"

#include <algorithm>

#include "cg/direct/direct.h"
#include "kernels/base/error.h"
#include "kernels/base/openmp_threads.h"
#include "kernels/base/started.h"
#include "kernels/base/stopwatch.h"
#include "mom/loads/loads.h"
#include "mom/media/medium.h"
#include "mom/media/real_ground.h"
#include "mom/plan/choices.h"
#include "mom/plan/choose_device.h"
#include "mom/plan/cost_model.h"
#include "mom/plan/frequency_checks.h"
#include "mom/plan/gpus.h"
#include "mom/problem/stored_matrix.h"

namespace thinwire {
namespace {

/// Cost of derivatives at one frequency, in fills of the matrix on the CPU: impedances by
/// any number of symbols, and the gains besides (docs/theory/gradients.md).
constexpr double impedance_fills = 3.2, gain_fills = 3;

double gradient_seconds(const Problem& problem, const Options& options,
                        std::size_t unknowns) {
  double fills = 0;
  for (const Run& run : problem.runs)
    fills += static_cast<double>(run.frequency_hz.size()) *
             (impedance_fills + (run.patterns.empty() ? 0 : gain_fills));
  return fills * fill_seconds_on_cpu(unknowns, options, options.threads);
}

/// Whether the proximity effect adds something in any run.
bool has_close_wires(const Problem& problem, const RunMeshes& meshes) {
  for (std::size_t r = 0; r < problem.runs.size(); ++r)
    if (meshes.of(r).proximity(medium_of(problem.runs[r].ground),
                               wire_materials(meshes.of(r), problem.runs[r].loads)))
      return true;
  return false;
}

/// Loads the GPU module and opens the GPUs. Where that fails, choose_device tells.
void open_gpus(const DeviceRequest& device) {
  try {
    (void)gpus_of(device);
  } catch (const Error&) {
  }
}

/// Planning itself wakes no threads for what one may solve.
int planning_threads(const Problem& problem, const Options& options) {
  return may_be_for_one_thread(problem, options) ? 1 : thread_count(options);
}

}  // namespace

Planner::Planner(const Problem& problem, const Options& options)
    : problem_(problem), asked_(options_for_stored(problem, options)), options_(asked_) {
  const Stopwatch watch(seconds_);
  check_options(asked_);
  check_real_ground(problem, asked_);
  if (asked_.device.kind == DeviceRequest::Kind::cuda && asked_.ranks == nullptr)
    gpus_open_ = started([device = asked_.device] { open_gpus(device); });
  const OpenMpThreads threads(planning_threads(problem, asked_));
  {
    const Stopwatch meshing(mesh_s_);
    Options first = asked_;
    first.monitor = asked_.monitor.part(0, mesh_share);
    meshes_.emplace(problem, first);
  }
  warnings_ = check_frequencies(problem, *meshes_);
  if (asked_.proximity == SwitchChoice::on && !has_close_wires(problem, *meshes_))
    warnings_.push_back(
        "the proximity effect changes nothing: no wires are close to each other or bend");
  varied_.emplace(problem, asked_, *meshes_);
  work_ = workload(problem, asked_);
}

const Plan& Planner::choose(const Options& options) {
  const int ranks = options.ranks == nullptr ? 1 : options.ranks->ranks();
  RankShares alike = work_.ranks;
  if (alike.ranks() != static_cast<std::size_t>(ranks)) alike = equal_shares(ranks);
  return choose(options, alike);
}

const Plan& Planner::choose(const Options& options, const RankShares& shares) {
  return keep_plan(options_for_stored(problem_, options), shares, true);
}

double Planner::seconds_on_cpu(const Options& options) {
  Options on_cpu = options_for_stored(problem_, options);
  if (on_cpu.device.kind == DeviceRequest::Kind::cuda) on_cpu.device = {};
  return keep_plan(on_cpu, work_.ranks, false).predicted_seconds;
}

bool Planner::is_for_one_thread(const Options& options) {
  constexpr double short_s = 0.1;
  if (!may_be_for_one_thread(problem_, options)) return false;
  Options alone = options;
  alone.threads = 1;
  return seconds_on_cpu(alone) < short_s;
}

bool Planner::solved_side_by_side(const Options& options) {
  const Plan& needed = choose(options);
  return !needed.gpu && needed.unknowns < min_unknowns_for_threads;
}

bool Planner::is_planned_by(const Options& options, const RankShares& shares) const {
  return plan_ && options.device == options_.device &&
         thread_count(options) == thread_count(options_) &&
         options.cpu_rates == options_.cpu_rates && options.ranks == options_.ranks &&
         options.matrix_sink == options_.matrix_sink && options.symv == options_.symv &&
         shares.of_gpus.gpus.empty() && shares.weight == work_.ranks.weight &&
         shares.free_bytes == work_.ranks.free_bytes;
}

const Plan& Planner::keep_plan(const Options& options, const RankShares& shares,
                               bool looks_for_gpus) {
  const bool planned = is_planned_by(options, shares) && (looked_ || !looks_for_gpus);
  options_ = options;
  if (planned) return *plan_;
  const Stopwatch watch(seconds_);
  Options counted = options;
  counted.threads = thread_count(options);
  const OpenMpThreads threads(planning_threads(problem_, options));
  work_.ranks = shares;
  plan_ = make_plan(counted, looks_for_gpus);
  // Short solves are the CPU's, whatever GPUs there are.
  looked_ =
      looks_for_gpus || options.device.kind != DeviceRequest::Kind::automatic ||
      (plan_->shortage.empty() && predicted_seconds(*plan_, work_) < worth_a_look_s);
  return *plan_;
}

const CountedMesh& Planner::counted(const Discretization& mesh) const {
  const auto known =
      std::ranges::find(counted_, &mesh, [](const auto& c) { return &c->where(); });
  if (known != counted_.end()) return **known;
  return *counted_.emplace_back(std::make_unique<CountedMesh>(mesh, asked_, work_));
}

Plan Planner::make_plan(const Options& options, bool looks_for_gpus) const {
  const Discretization& largest = meshes_->largest();
  const CountedMesh& mesh = counted(largest);
  Plan plan =
      choose_device({mesh, mesh.size(), options, work_, options.threads, looks_for_gpus});
  add_reason(plan.solver, meshes_->operator_plan().why);
  plan.segments = problem_.structure.segments().size();
  plan.mesh_elements = largest.elements().size();
  plan.unknowns = largest.unknowns();
  plan.buried = max_buried_wires(problem_, *meshes_);
  if (options.save_matrix && !problem_.runs.empty()) {
    const std::size_t n = meshes_->of(problem_.runs.size() - 1).unknowns();
    plan.saved_bytes = n * n * sizeof(Complex);
  }
  if (const Lattice* lattice = largest.lattice()) {
    plan.lattice_antennas = lattice->antennas();
    plan.lattice_places = lattice->places;
  }
  plan.boxes_asked = options.boxes.has_value();
  plan.proximity_seconds = proximity_seconds(meshes_->proximity_multiplications(),
                                             options.cpu_rates, options.threads);
  plan.predicted_seconds =
      predicted_seconds(plan, work_) +
      preparation_seconds(plan.mesh_elements, options.cpu_rates, options.threads);
  if (!varied_->empty())
    plan.predicted_seconds += gradient_seconds(problem_, options, plan.unknowns);
  return plan;
}

SolverPlan Planner::solver_of(std::size_t run) const {
  const Discretization& mesh = meshes_->of(run);
  if (&mesh == &meshes_->largest()) return plan_->solver;
  Options there = options_;
  there.device = {plan_->gpu ? DeviceRequest::Kind::cuda : DeviceRequest::Kind::cpu,
                  plan_->index};
  if (plan_->gpus.size() > 1)
    there.device.beside = {plan_->gpus.begin() + 1, plan_->gpus.end()};
  const CountedMesh& counts = counted(mesh);
  return choose_device({counts, counts.size(), there, work_, thread_count(there)}).solver;
}

Plan plan(const Problem& problem, const Options& options, int ranks) {
  Planner planner(problem, options);
  return ranks > 0 ? planner.choose(options, equal_shares(ranks))
                   : planner.choose(options);
}

bool may_be_for_one_thread(const Problem& problem, const Options& options) {
  constexpr std::size_t max_segments = 2000;
  return options.threads == 0 && options.device.kind != DeviceRequest::Kind::cuda &&
         options.precision == PrecisionChoice::in_double &&
         problem.structure.segments().size() <= max_segments;
}

}  // namespace thinwire
