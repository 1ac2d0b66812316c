#include "cg/krylov/preconditioner_reuse.h"

#include <algorithm>
#include <cmath>

namespace thinwire {
namespace {

/// Iterations of a solve by which two alike differ.
constexpr double slack = 2;

}  // namespace

bool PreconditionerReuse::serves(double parameter) const {
  return per_decade_ > 0 && std::abs(parameter - made_for_) <= reach_ * made_for_ &&
         excess_ <= 0.5 * whole_;
}

void PreconditionerReuse::made(double parameter) {
  made_for_ = parameter;
  excess_ = 0;
}

int PreconditionerReuse::max_iterations(const SolverControl& control) const {
  const int limit = static_cast<int>(2 * (whole_ + slack));
  return control.max_iterations > 0 ? std::min(limit, control.max_iterations) : limit;
}

void PreconditionerReuse::solved(std::span<const SolveResult> results, double tolerance,
                                 double parameter) {
  double fresh = 0;
  for (const SolveResult& result : results) {
    const double decades =
        std::log10(result.residual_history.front() / result.residual_history.back());
    const double iterations = result.iterations;
    if (parameter != made_for_)
      excess_ += std::max(0.0, iterations - slack - per_decade_ * decades) /
                 static_cast<double>(results.size());
    else if (result.status == SolveStatus::converged && decades >= 1)
      fresh = std::max(fresh, iterations / decades);
  }
  // Where the initial guess is all but a solution, the estimate before is the better one.
  if (fresh > 0) per_decade_ = fresh;
  whole_ = -std::log10(tolerance) * per_decade_;
}

void PreconditionerReuse::failed(double parameter) {
  reach_ = 0.5 * std::abs(parameter / made_for_ - 1);
}

}  // namespace thinwire
