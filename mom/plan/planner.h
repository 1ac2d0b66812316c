#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mom/plan/plan.h"
#include "mom/plan/plan_input.h"
#include "mom/plan/run_meshes.h"
#include "mom/plan/varied_structures.h"

namespace thinwire {

/// Plans the solve of a problem: checks, meshes and counts the problem once, and chooses
/// the device and the method. The choice can be repeated with other threads, CPU rates or
/// devices: each function with options replaces the last plan. The solve uses the meshes
/// and the last plan.
class Planner {
 public:
  /// Checks and meshes the problem, which must outlive this object. Throws the errors
  /// that solve() throws before it looks for a device.
  Planner(const Problem& problem, const Options& options);
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  /// Returns the plan for these options, which may differ from those of the constructor
  /// in threads, CPU rates, device, ranks, matrix sink and monitor only. Returns the last
  /// plan if it was made for equal options. Without `shares`, uses those of the last
  /// plan, or equal ones if the number of ranks has changed, and does not communicate.
  /// Throws the errors of choose_device(); a shortage of memory is reported in
  /// Plan::shortage.
  const Plan& choose(const Options& options);
  const Plan& choose(const Options& options, const RankShares& shares);

  /// Returns the predicted seconds of the solve on the CPU, without looking for GPUs.
  double seconds_on_cpu(const Options& options);

  /// True if one thread should solve the problem: the options leave the choice open
  /// (Options::threads is 0, no GPU requested), and the solve is so short that waking
  /// other threads for its many short loops takes longer than they save.
  bool is_for_one_thread(const Options& options);

  /// True if variants of this problem are solved at the same time, each on one thread, as
  /// small problems on a CPU are. Others are solved one after the other on all threads.
  bool solved_side_by_side(const Options& options);

  /// Returns the last plan. There must be one.
  const Plan& plan() const { return *plan_; }
  /// Returns the options of the last plan, at first those of the constructor.
  const Options& options() const { return options_; }
  /// Returns the solver that the last plan uses for a run.
  SolverPlan solver_of(std::size_t run) const;

  const Problem& problem() const { return problem_; }
  const RunMeshes& meshes() const { return *meshes_; }
  /// Returns the meshes of the structures varied by Problem::parameters.
  const VariedStructures& varied() const { return *varied_; }
  /// Returns the warnings about frequencies (check_frequencies) and the proximity effect.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Returns the seconds spent on meshing (mesh_s), or on all planning so far (seconds).
  double mesh_s() const { return mesh_s_; }
  double seconds() const { return seconds_; }

 private:
  bool is_planned_by(const Options& options, const RankShares& shares) const;
  const CountedMesh& counted(const Discretization& mesh) const;
  /// Makes a plan; options.threads must not be 0.
  Plan make_plan(const Options& options, bool looks_for_gpus) const;
  const Plan& keep_plan(const Options& options, const RankShares& shares,
                        bool looks_for_gpus);

  const Problem& problem_;
  const Options asked_;  ///< constructor's options; counted_ depends on them
  Options options_;
  Workload work_;
  std::optional<RunMeshes> meshes_;
  std::optional<VariedStructures> varied_;
  std::vector<std::string> warnings_;
  mutable std::vector<std::unique_ptr<CountedMesh>> counted_;
  std::optional<Plan> plan_;
  bool looked_ = false;  ///< whether GPUs were looked for, or cannot matter
  double mesh_s_ = 0, seconds_ = 0;
  std::future<void> gpus_open_;  ///< start of CUDA (0.2 s), concurrent with meshing
};

/// Fraction of a solve's reported progress that is assigned to meshing.
inline constexpr double mesh_share = 0.02;

/// Returns the fraction that is reported once its frequencies begin: after meshing and
/// the sums of the proximity effect.
inline double prepared_share(const Plan& plan) {
  return mesh_share + (1 - mesh_share) * plan.proximity_seconds / plan.predicted_seconds;
}

/// Returns the plan of a problem for `ranks` ranks that share the work, each on a host
/// like this one (0: the ranks of Options::ranks). Throws the errors of Planner.
Plan plan(const Problem& problem, const Options& options, int ranks = 0);

/// False if the options or the number of segments alone rule out
/// Planner::is_for_one_thread(). Large problems take long, and one thread is not used
/// where the options request a GPU.
bool may_be_for_one_thread(const Problem& problem, const Options& options);

}  // namespace thinwire
