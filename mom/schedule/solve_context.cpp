#include "mom/schedule/solve_context.h"

#include <algorithm>

#include "kernels/base/error.h"
#include "mom/gpu/gpu.h"
#include "mom/systems/shared_backend.h"

namespace thinwire {
SolveContext::SolveContext(const Planner& planner, const Options& options,
                           GainDerivativesOf derivatives_of)
    : planner_(planner), options_(options), derivatives_of_(derivatives_of) {
  const Plan& plan = planner.plan();
  if (!plan.shortage.empty()) throw Error(ErrorKind::memory, plan.shortage);
  for (std::size_t r = 0; r < problem().runs.size(); ++r) {
    std::size_t alike = 0;
    while (!meshes().same(alike, r)) ++alike;
    plans_.push_back(alike < r ? plans_[alike] : planner.solver_of(r));
  }
  if (plan.gpu) gpu_backend_ = gpu_backend();
  if (const Comm* ranks = options.ranks; ranks && ranks->ranks() > 1)
    shared_backend_ = std::make_unique<SharedBackend>(backend(), *ranks);
}

std::unique_ptr<Backend> SolveContext::gpu_backend() const {
  const Gpu& gpu = require_gpu();
  const Plan& plan = planner_.plan();
  if (std::ranges::any_of(plans_, [](auto& run) { return run.ranks > 1; })) {
    const Comm& ranks = *options_.ranks;
    std::vector<double> weights(static_cast<std::size_t>(ranks.ranks()), 1);
    if (plan.solver.ranks > 1) weights = plan.gpu_weights;
    // Shares follow from them: all are to have the first one's.
    ranks.broadcast(weights, 0);
    return gpu.backend(ranks, weights);
  }
  if (plan.gpus.size() > 1) return gpu.backend(plan.gpus, plan.gpu_weights);
  return gpu.backend();
}

const Backend& SolveContext::backend() const {
  if (other_backend_) return *other_backend_;
  if (shared_backend_) return *shared_backend_;
  return gpu_backend_ ? *gpu_backend_ : cpu_backend();
}

SystemInput SolveContext::system_input(std::size_t run) const {
  return {discretization(run),
          options_,
          solved_wavenumbers(this->run(run), options_),
          widest_medium(run),
          plan_for(run).operator_choice,
          plan_for(run).ranks > 1 ? options_.ranks : nullptr,
          planner_.plan().grid ? &*planner_.plan().grid : nullptr};
}

/// Returns the medium with the images of every run on the same mesh: they are near pairs,
/// too.
Medium SolveContext::widest_medium(std::size_t run) const {
  Medium widest;
  for (std::size_t r = 0; r < problem().runs.size(); ++r) {
    const Medium medium = medium_of(problem().runs[r].ground);
    if (meshes().same(run, r) && medium.sources() > widest.sources()) widest = medium;
  }
  return widest;
}

}  // namespace thinwire
