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

/// Plans a problem for its solve: checks, meshes and counts it once, and chooses where
/// and how to solve it, again where the threads, the rates of the CPU or the devices
/// become known later. The solve takes the meshes and the last plan from here.
class Planner {
 public:
  /// problem must outlive this. Throws what solve() throws before it looks for a device.
  Planner(const Problem& problem, const Options& options);
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  /// Returns the plan by these options: those of the constructor with other threads,
  /// rates, devices, ranks, sinks or monitors. Computes nothing where the last plan was
  /// made by the same. Without `shares` for equal ranks, as many as options.ranks has,
  /// whom nobody asks. A shortage of memory is Plan::shortage. Throws as choose_device.
  const Plan& choose(const Options& options);
  const Plan& choose(const Options& options, const RankShares& shares);

  /// Returns the predicted seconds on the CPU, which looks for no GPU.
  double seconds_on_cpu(const Options& options);

  /// Whether one thread should solve this: where the user left the choice
  /// (Options::threads 0, no GPU asked for) and the solve is short on the CPU, waking
  /// other threads for many short loops takes longer than they save.
  bool is_for_one_thread(const Options& options);

  /// Whether variants of this problem are solved one on each thread: small ones on a CPU.
  /// Others take all threads, one after the other.
  bool solved_side_by_side(const Options& options);

  /// The last plan, and the options that it was made by.
  const Plan& plan() const { return *plan_; }
  const Options& options() const { return options_; }
  /// How to solve a run by that plan.
  SolverPlan solver_of(std::size_t run) const;

  const Problem& problem() const { return problem_; }
  const RunMeshes& meshes() const { return *meshes_; }
  /// The meshes of Problem::parameters.
  const VariedStructures& varied() const { return *varied_; }
  /// Doubts about frequencies (check_frequencies) and about the proximity effect.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Seconds that meshes took, and all of the planning so far.
  double mesh_s() const { return mesh_s_; }
  double seconds() const { return seconds_; }

 private:
  bool is_planned_by(const Options& options, const RankShares& shares) const;
  const CountedMesh& counted(const Discretization& mesh) const;
  /// options.threads: not 0.
  Plan make_plan(const Options& options, bool looks_for_gpus) const;
  const Plan& keep_plan(const Options& options, const RankShares& shares,
                        bool looks_for_gpus);

  const Problem& problem_;
  const Options asked_;  ///< of the constructor; the counts depend on them
  Options options_;
  Workload work_;
  std::optional<RunMeshes> meshes_;
  std::optional<VariedStructures> varied_;
  std::vector<std::string> warnings_;
  mutable std::vector<std::unique_ptr<CountedMesh>> counted_;
  std::optional<Plan> plan_;
  bool looked_ = false;  ///< for GPUs, where that could matter
  double mesh_s_ = 0, seconds_ = 0;
  std::future<void> gpus_open_;  ///< of CUDA, which takes 0.2 s to start, beside the mesh
};

/// The part of a solve's progress that the mesh takes.
inline constexpr double mesh_share = 0.02;

/// Returns the plan of a problem, as if so many ranks shared the work, each on a host
/// like this one; 0: those of Options::ranks. Throws as Planner does.
Plan plan(const Problem& problem, const Options& options, int ranks = 0);

/// Whether Planner::is_for_one_thread() may be true, as far as options and the number of
/// segments decide: larger problems are long, and GPUs are not planned for.
bool may_be_for_one_thread(const Problem& problem, const Options& options);

}  // namespace thinwire
