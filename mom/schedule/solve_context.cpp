#include "mom/schedule/solve_context.h"

#include <algorithm>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "mom/gpu/gpu.h"
#include "mom/systems/shared_backend.h"

namespace thinwire {
namespace {

WavenumberRange wavenumbers_of(const Run& run) {
  const auto [low, high] =
      std::minmax_element(run.frequency_hz.begin(), run.frequency_hz.end());
  return {wavenumber_rad_per_m(*low), wavenumber_rad_per_m(*high),
          run.frequency_hz.size()};
}

Workload shared_workload(const Problem& problem, const Options& options) {
  Workload work = workload(problem, options);
  work.ranks = shares_of_ranks(options);
  return work;
}

}  // namespace

double wavenumber_rad_per_m(double frequency_hz) {
  return 2 * pi * frequency_hz / speed_of_light_m_per_s;
}

SolveContext::SolveContext(const Problem& problem, const Options& options,
                           const RunMeshes& meshes, GainDerivativesOf derivatives_of)
    : problem_(problem),
      options_(options),
      meshes_(meshes),
      varied_(problem, options, meshes),
      derivatives_of_(derivatives_of),
      work_(shared_workload(problem, options)),
      place_(choose_device(meshes.largest(), options, work_, thread_count(options))) {
  add_reason(place_.plan, meshes.operator_plan().why);
  if (!place_.shortage.empty()) throw Error(ErrorKind::memory, place_.shortage);
  make_plans();
  if (place_.gpu) gpu_backend_ = gpu_backend();
  if (const Comm* ranks = options.ranks; ranks && ranks->ranks() > 1)
    shared_backend_ = std::make_unique<SharedBackend>(backend(), *ranks);
}

std::unique_ptr<Backend> SolveContext::gpu_backend() const {
  const Gpu& gpu = require_gpu();
  if (std::ranges::any_of(plans_, [](auto& plan) { return plan.ranks > 1; })) {
    const Comm& ranks = *options_.ranks;
    std::vector<double> weights(static_cast<std::size_t>(ranks.ranks()), 1);
    if (place_.plan.ranks > 1) weights = place_.gpu_weights;
    // Shares follow from them: all are to have the first one's.
    ranks.broadcast(weights, 0);
    return gpu.backend(ranks, weights);
  }
  if (place_.gpus.size() > 1) return gpu.backend(place_.gpus, place_.gpu_weights);
  return gpu.backend();
}

void SolveContext::make_plans() {
  for (std::size_t r = 0; r < problem_.runs.size(); ++r) {
    std::size_t alike = 0;
    while (!meshes_.same(alike, r)) ++alike;
    plans_.push_back(alike < r ? plans_[alike]
                     : &discretization(r) == &meshes_.largest()
                         ? place_.plan
                         : plan_there(place_, discretization(r), options_, work_,
                                      thread_count(options_)));
  }
}

GreensKernel SolveContext::kernel() const {
  return options_.kernel == KernelChoice::exact ? GreensKernel::exact
                                                : GreensKernel::reduced;
}

const Backend& SolveContext::backend() const {
  if (other_backend_) return *other_backend_;
  if (shared_backend_) return *shared_backend_;
  return gpu_backend_ ? *gpu_backend_ : cpu_backend();
}

SystemInput SolveContext::system_input(std::size_t run) const {
  WavenumberRange range = wavenumbers_of(problem_.runs[run]);
  if (options_.sweep == SweepChoice::fast)
    range.count = std::min(range.count, solved_of_fast_sweep);
  return {discretization(run),
          options_,
          range,
          widest_medium(run),
          plan_for(run).operator_choice,
          plan_for(run).ranks > 1 ? options_.ranks : nullptr};
}

/// Returns the medium with the images of every run on the same mesh: they are near pairs,
/// too.
Medium SolveContext::widest_medium(std::size_t run) const {
  Medium widest;
  for (std::size_t r = 0; r < problem_.runs.size(); ++r) {
    const Medium medium = medium_of(problem_.runs[r].ground);
    if (meshes_.same(run, r) && medium.sources() > widest.sources()) widest = medium;
  }
  return widest;
}

}  // namespace thinwire
