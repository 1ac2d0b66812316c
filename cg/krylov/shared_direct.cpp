#include "cg/krylov/shared_direct.h"

#include <algorithm>

#include "cg/direct/inverse_norm.h"
#include "cg/vector_ops.h"

namespace thinwire {
namespace {

/// Steps of refinement after which what is left is rounding.
constexpr int max_refinements = 8;

}  // namespace

double SharedDirectSolver::reciprocal_condition() const {
  const double inverse_norm = inverse_norm1(
      z_.size(), [this](std::span<Complex> x) { factors_.solve(x); }, z_.comm());
  return 1 / (z_.norm1() * inverse_norm);
}

std::vector<SolveResult> SharedDirectSolver::solve(std::span<const Complex> v,
                                                   std::span<Complex> current,
                                                   const SolverControl& control) {
  std::fill(current.begin(), current.end(), 0.0);
  std::vector<SolveResult> results;
  for (const double residual : refine(v, current)) {
    SolveResult result;
    result.relative_residual = residual;
    results.push_back(std::move(result));
  }
  const std::size_t n = z_.size();
  iterated_ = false;
  SolverControl together = control;
  together.comm = &vectors_;
  together.flexible = true;  // rounding in such factors is not linear
  for (std::size_t s = 0; s < results.size(); ++s) {
    // Written so that NaN is one, too.
    if (results[s].relative_residual <= control.tolerance) continue;
    iterated_ = true;
    const auto of_side = current.subspan(s * n, n);
    std::fill(of_side.begin(), of_side.end(), 0.0);
    results[s] = thinwire::solve(Recurrence::gmres, z_, &factors_, v.subspan(s * n, n),
                                 of_side, together);
  }
  return results;
}

/// Solves by the factors and corrects by the residual as long as that halves it
/// (Wilkinson 1963). Returns the relative residual of every side.
std::vector<double> SharedDirectSolver::refine(std::span<const Complex> v,
                                               std::span<Complex> current) const {
  const std::size_t n = z_.size(), rhs_count = v.size() / n;
  const auto rhs = [n](auto all, std::size_t s) { return all.subspan(s * n, n); };
  std::vector<double> size(rhs_count), residual(rhs_count, 1);
  for (std::size_t s = 0; s < rhs_count; ++s) size[s] = norm2(rhs(v, s), vectors_);
  std::vector<Complex> r(v.begin(), v.end()), corrected(v.size());
  std::vector<char> improving(rhs_count, 1);
  for (int step = 0; step < max_refinements; ++step) {
    factors_.solve(r);
    for (std::size_t i = 0; i < r.size(); ++i) corrected[i] = current[i] + r[i];
    z_.apply_many(corrected, r);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = v[i] - r[i];
    for (std::size_t s = 0; s < rhs_count; ++s) {
      if (!improving[s]) continue;
      const double left = norm2(rhs(std::span<const Complex>(r), s), vectors_),
                   now = size[s] > 0 ? left / size[s] : left;
      if (step == 0 || now < residual[s]) {
        const auto better = rhs(std::span<const Complex>(corrected), s);
        std::copy(better.begin(), better.end(), rhs(current, s).begin());
      }
      improving[s] = step == 0 ? now > 0 : now <= 0.5 * residual[s];
      residual[s] = step == 0 ? now : std::min(now, residual[s]);
    }
    if (std::none_of(improving.begin(), improving.end(), [](char on) { return on; }))
      break;
  }
  return residual;
}

}  // namespace thinwire
